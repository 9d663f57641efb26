"""Whether Benchmarks/check refuses what is off its baseline, and nothing else: samples of what was counted, with what has to come of each. For
`Benchmarks/check --self`, a part of make verify; it counts nothing, and starts nothing."""

import sys

# Of a login every count that is exact is held, of an enrolment not its commits, which come at once, nor what a phone that waits signs and verifies.
LOGIN, ENROLMENT = "QR login with PIN", "enrolment with confirmation"
NOTHING = object()
# Named here once more, so that none is let go of by accident.
HELD = [
    "commits", "commits that wait for the disk", "P-256 signatures", "P-256 verifications", "Ed25519 signatures", "Ed25519 verifications", "X25519",
    "X25519 key pairs", "OPRF evaluations", "ristretto255 multiplications", "ristretto255 base multiplications"]

# What differs from the baseline of an operation (a factor for its instructions, another number for each other count), and whether it is to be refused.
SAMPLES = [
    (LOGIN, {}, False, "nothing differs"),
    (LOGIN, {"instructions": 1.029}, False, "2.9 % more"), (LOGIN, {"instructions": 0.971}, False, "2.9 % less"),
    (LOGIN, {"instructions": 1.031}, True, "3.1 % more"), (LOGIN, {"instructions": 0.969}, True, "3.1 % less"),
    (LOGIN, {"instructions": 0}, True, "no instructions"),
    (LOGIN, {"Ed25519 verifications": 8}, True, "a verification more"), (LOGIN, {"Ed25519 verifications": 6}, True, "a verification less"),
    (LOGIN, {"Ed25519 verifications": 7.3}, False, "a part of one, by what both servers do by themselves"),
    (LOGIN, {"OPRF evaluations": NOTHING}, True, "a count that is missing"),
    (LOGIN, {"system calls": 640, "WAL pages": 32}, False, "what is told and not held"),
    (ENROLMENT, {"commits": 8}, False, "commits that may be shared"),
    (ENROLMENT, {"Ed25519 signatures": 9, "Ed25519 verifications": 9}, False, "a phone that has asked twice more"),
    (ENROLMENT, {"X25519": 8}, True, "another count beside these"),
]


def baseline():
    return {name: {"instructions": 66_360_284.0, "system calls": 606.0, "WAL pages": 31.0, **dict.fromkeys(HELD, 7.0)} for name in (LOGIN, ENROLMENT)}


def found(known, name, differing):
    """One operation as it was counted."""
    counts = {**known[name], **differing, "instructions": known[name]["instructions"] * differing.get("instructions", 1)}
    return {name: {word: value for word, value in counts.items() if value is not NOTHING}}


def faults(differences, left_out):
    known = baseline()
    samples = [(found(known, name, differing), known, refused, f"{name}: {why}") for name, differing, refused, why in SAMPLES]
    # Each count by itself, so that none is left out of what is held.
    samples += [(found(known, LOGIN, {word: 8}), known, True, f"{word}, one more") for word in HELD]
    none = {name: dict.fromkeys(counts, 0.0) for name, counts in known.items()}
    samples += [
        (none, known, True, "a plugin that counts nothing"), (none, none, True, "a baseline of nothing"),
        (known, none, True, "something beside a baseline of nothing"),
        (found(known, LOGIN, {}), {ENROLMENT: known[ENROLMENT]}, True, "an operation that the baseline does not have"),
        (known, {LOGIN: known[LOGIN], ENROLMENT: found(known, ENROLMENT, {"X25519": NOTHING})[ENROLMENT]}, True, "a count that the baseline does not have"),
        (known, known, False, "all as it was"),
    ]
    for counted, beside, refused, why in samples:
        said = list(differences(counted, beside))
        if bool(said) != refused:
            yield f"{'passed' if refused else 'refused'}: {why} {said or ''}"
    if not left_out(known, [LOGIN]) or left_out(known, [ENROLMENT, LOGIN]):
        yield "it does not know which operations of the baseline nobody counts"


def hold(differences, left_out):
    """Ends the program where a sample comes out otherwise."""
    wrong = list(faults(differences, left_out))
    if wrong:
        print("check: it is wrong about samples of what was counted:", *wrong, sep="\n  ", file=sys.stderr)
        sys.exit(1)
    print("check: what is off is refused, and what is not passes")
