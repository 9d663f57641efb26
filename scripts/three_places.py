"""Numbers to three places, for pages and pictures."""


def three_places(value, signs=(), form="g"):
    """In the first of `signs`, each a size and what is said for it, that it reaches; else as `form` writes it."""
    for size, sign in signs:
        if value >= size:
            return f"{rounded(value / size):g}{sign}"
    return format(rounded(value), form)


def rounded(value):
    return float(f"{value:.3g}")
