"""Small charts as plain SVG, for scripts/growth-pictures: panels side by side, each with lines or bars that bear their own names.

The same figures give the same bytes, so that `make verify` can compare. A picture has a ground of its own and follows the reader's light or dark.
"""

import math
from html import escape
from typing import NamedTuple

from three_places import three_places

WIDTH, HEIGHT, TOP, BOTTOM, LEFT, GAP = 840, 310, 104, 46, 58, 34
STYLE = """\
svg{--ground:#fff;--ink:#1d2126;--soft:#5d646c;--rule:#e3e6e9;--c0:#0a6b74;--c1:#b5480f;--c2:#5b4bb5}
@media(prefers-color-scheme:dark){svg{--ground:#15181c;--ink:#e8eaed;--soft:#a3abb3;--rule:#30353b;--c0:#5cc4cd;--c1:#f0925a;--c2:#aa9cf5}}
text{font:13px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:var(--ink)}
.ground{fill:var(--ground);stroke:var(--rule)}.title{font-size:16px;font-weight:600}.panel{font-weight:600}.soft{fill:var(--soft);font-size:12px}
.rule{stroke:var(--rule)}.axis{stroke:var(--soft)}.line{fill:none;stroke-width:2}.limit{fill:none;stroke-width:1.5;stroke-dasharray:2 4}
.halo{paint-order:stroke;stroke:var(--ground);stroke-width:4px;stroke-linejoin:round}
.end{text-anchor:end}.middle{text-anchor:middle}.strong{font-weight:600}
""" + "".join(
    f".s{n}{{stroke:var(--c{n})}}.f{n}{{fill:var(--c{n})}}.b{n}{{fill:var(--c{n});opacity:.13}}" + ("\n" if n == 2 else "") for n in range(3))


class Line(NamedTuple):
    """Values by what they hang on. `factor`: up to so many times the first value at a size of `since` or more is promised, and drawn as a band from there on."""
    name: str
    points: list
    colour: int = 0
    factor: float = 0
    since: float = 0

    @property
    def base(self):
        """Where a band begins, if there is one: size and value."""
        return next((point for point in self.points if point[0] >= self.since), self.points[0])


class Bar(NamedTuple):
    """One bar of values that add up, from below. Its name may have two lines. `pale`: beside a bar that counts."""
    name: str
    parts: list
    colour: int = 0
    pale: bool = False


class Panel(NamedTuple):
    title: str
    unit: str
    along: str = ""
    lines: list = []
    bars: list = []
    # The vertical axis in powers of ten, for what differs by more than the eye can compare.
    logarithmic: bool = False
    # Names stand at their lines and not beside them, where there is no room.
    inside: bool = False
    # How wide it is, beside the others.
    share: float = 1
    # A value that is promised, with what it says: (value, text). It says it where no line is: below where one lies higher.
    limit: tuple = ()


def short(value):
    """A number as people say it: 1 k, 2.5 k, 0.25, 1 M."""
    return three_places(value, ((1e9, " G"), (1e6, " M"), (1e3, " k")))


def nice(top):
    """Round marks of an axis from 0 to at least `top`."""
    step = 10.0 ** math.floor(math.log10(top)) if top > 0 else 1.0
    step = next(step * part for part in (0.2, 0.25, 0.5, 1, 2) if top / (step * part) <= 5)
    return [step * n for n in range(math.ceil(top / step - 1e-9) + 1)]


def decades(low, high):
    return [10.0 ** n for n in range(math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9) + 1)]


def apart(places, least, low, high):
    """Heights of labels, moved as little as keeps them `least` apart, in the same order."""
    order = sorted(range(len(places)), key=lambda n: places[n])
    moved = [places[n] for n in order]
    for _ in range(200):
        for first in range(len(moved) - 1):
            overlap = least - (moved[first + 1] - moved[first])
            if overlap > 0:
                moved[first] -= overlap / 2
                moved[first + 1] += overlap / 2
        moved = [min(max(place, low), high) for place in moved]
    result = [0.0] * len(places)
    for place, n in zip(moved, order):
        result[n] = place
    return result


class Frame(NamedTuple):
    """Where a panel lies, and where a value lies in it."""
    left: float
    right: float
    low: float
    high: float
    logarithmic: bool

    def y(self, value):
        top, bottom = TOP, HEIGHT - BOTTOM
        if self.logarithmic:
            share = (math.log10(max(value, self.low)) - math.log10(self.low)) / (math.log10(self.high) - math.log10(self.low))
        else:
            share = (value - self.low) / (self.high - self.low)
        return bottom - share * (bottom - top)


def text(x, y, words, kinds=""):
    return f'<text x="{x:.1f}" y="{y:.1f}"' + (f' class="{kinds}"' if kinds else "") + f">{escape(words, quote=False)}</text>"


def rule(x1, y1, x2, y2, kinds):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kinds}"/>'


def across(points, left, right):
    """The horizontal place of each size: by its logarithm, since sizes multiply."""
    sizes = sorted({x for line in points for x, _ in line})
    if len(sizes) == 1:
        return sizes, lambda size: (left + right) / 2
    low, high = math.log(max(sizes[0], 1)), math.log(sizes[-1])
    return sizes, lambda size: left + (math.log(max(size, 1)) - low) / (high - low) * (right - left)


def drawn_lines(panel, frame):
    """Bands, lines, marks and names at the right end."""
    sizes, x = across([line.points for line in panel.lines], frame.left + 10, frame.right - 10)
    shown = [text(x(size), HEIGHT - BOTTOM + 18, short(size), "soft middle") for size in sizes]
    shown.append(text((frame.left + frame.right) / 2, HEIGHT - 10, panel.along, "soft middle"))
    for line in panel.lines:
        if line.factor and len(line.points) > 1:
            size, base = line.base
            top, bottom = frame.y(base * line.factor), frame.y(base)
            left = frame.left if size == line.points[0][0] else x(size)
            shown.append(f'<rect x="{left:.1f}" y="{top:.1f}" width="{frame.right - left:.1f}" height="{bottom - top:.1f}" class="b{line.colour}"/>')
            shown.append(rule(left, top, frame.right, top, f"limit s{line.colour}"))
    for line in panel.lines:
        path = " ".join(f"{x(size):.1f},{frame.y(value):.1f}" for size, value in line.points)
        shown.append(f'<polyline points="{path}" class="line s{line.colour}"/>')
        for size, value in line.points:
            shown.append(mark(x(size), frame.y(value), line.colour))
    ends = apart([frame.y(line.points[-1][1]) + raised(line, panel) for line in panel.lines], 17, TOP + 8, HEIGHT - BOTTOM - 5)
    for line, y in zip(panel.lines, ends):
        place, kinds = (frame.right, " end") if panel.inside else (frame.right + 6, "")
        shown.append(text(place, y, label(line), f"f{line.colour} strong halo{kinds}"))
    return shown


def raised(line, panel):
    """How far below its last value the name of a line stands: inside it is above the line, or below where a band is above or the line comes from there."""
    if not panel.inside:
        return 4
    falls = len(line.points) > 1 and line.points[-1][1] < line.points[-2][1]
    return 19 if line.factor or falls else -9


def label(line):
    return f"{line.name} {short(line.points[-1][1])}"


def mark(x, y, colour):
    """Each colour has a shape of its own, for whoever sees no colours."""
    if colour == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" class="f0"/>'
    if colour == 1:
        return f'<rect x="{x - 3.6:.1f}" y="{y - 3.6:.1f}" width="7.2" height="7.2" class="f1"/>'
    return f'<path d="M{x:.1f} {y - 5:.1f}l5 8.6h-10z" class="f2"/>'


def drawn_bars(panel, frame):
    """Bars side by side, each with its sum above and its name below."""
    wide = (frame.right - frame.left) / len(panel.bars)
    shown = []
    for n, bar in enumerate(panel.bars):
        left, broad, so_far = frame.left + wide * (n + 0.18), wide * 0.64, 0.0
        for depth, value in enumerate(bar.parts):
            top, bottom = frame.y(so_far + value), frame.y(so_far)
            strength = 0.4 if bar.pale else (0.85, 0.5, 0.3)[depth]
            shown.append(
                f'<rect x="{left:.1f}" y="{top:.1f}" width="{broad:.1f}" height="{bottom - top:.1f}" class="f{bar.colour}" opacity="{strength}"/>')
            if len(bar.parts) > 1 and bottom - top >= 18:
                shown.append(text(left + broad / 2, (top + bottom) / 2 + 4, short(value), "middle halo"))
            so_far += value
        shown.append(text(left + broad / 2, frame.y(so_far) - 6, short(so_far), f"f{bar.colour} strong middle halo"))
        for row, words in enumerate(bar.name.split("\n")):
            shown.append(text(left + broad / 2, HEIGHT - BOTTOM + 18 + 16 * row, words, "soft middle"))
    if panel.along:
        shown.append(text((frame.left + frame.right) / 2, HEIGHT - 10, panel.along, "soft middle"))
    return shown


def heights(panel):
    values = [value * max(1.0, line.factor if size == line.base[0] else 1.0) for line in panel.lines for size, value in line.points]
    values += [sum(bar.parts) * 1.08 for bar in panel.bars]
    return values + ([panel.limit[0] * 1.05] if panel.limit else [])


def drawn_panel(panel, left, right):
    values = heights(panel)
    if panel.logarithmic:
        marks = decades(min(value for value in values if value > 0), max(values))
        marks = marks if len(marks) > 1 else [marks[0], marks[0] * 10]
    else:
        marks = nice(max(values) or 1)
    # Room for a name above the highest line.
    high = max(marks[-1], max(values) * 2.5) if panel.inside and panel.logarithmic else marks[-1]
    frame = Frame(left, right, marks[0], high, panel.logarithmic)
    shown = [text(left - 40, TOP - 32, panel.title, "panel"), text(left - 40, TOP - 15, panel.unit, "soft")]
    for value in marks:
        shown += [rule(left, frame.y(value), right, frame.y(value), "rule"), text(left - 7, frame.y(value) + 4, short(value), "soft end")]
    if panel.limit:
        value, words = panel.limit
        place = frame.y(value) + (14 if any(each > value for line in panel.lines for _, each in line.points) else -5)
        shown += [rule(left, frame.y(value), right, frame.y(value), "limit axis"), text(left + 6, place, words, "soft halo")]
    shown += drawn_lines(panel, frame) if panel.lines else drawn_bars(panel, frame)
    shown.append(rule(left, HEIGHT - BOTTOM, right, HEIGHT - BOTTOM, "axis"))
    return shown


def picture(title, says, panels):
    """The whole file. `says`: the law in one sentence, under the title and for whoever hears the picture."""
    shown, left = [], 0.0
    for panel in panels:
        right = left + WIDTH * panel.share / sum(each.share for each in panels)
        names = 0 if panel.inside else max([len(label(line)) for line in panel.lines] or [0])
        shown += drawn_panel(panel, left + LEFT, right - GAP / 2 - names * 7.9)
        left = right
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="t d">',
        f'<title id="t">{escape(title)}</title>', f'<desc id="d">{escape(says)}</desc>', f"<style>{STYLE}</style>",
        f'<rect x=".5" y=".5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="8" class="ground"/>', text(18, 27, title, "title"),
        text(18, 46, says, "soft"), *shown, "</svg>", ""])
