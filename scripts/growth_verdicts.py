"""Whether what an operation costs stays within what is promised while accounts or live sessions grow: for `make growth`, which measures it in rounds, and for
whoever writes it down.

A round measures every size within seconds; so rounds differ by what the machine did meanwhile, and sizes of one round do not. `Benchmarks/growth --check` holds
this file to samples.
"""

import math
import statistics
from typing import NamedTuple

from growth_figures import ENGINES, Missing

# What is promised of growth: so many times what it is with the fewest.
PROMISED = 1.25
WITHIN, BEYOND, UNDECIDED = f"within {PROMISED}", f"not within {PROMISED}", "not decided"
# Rounds without which nothing is said; and how often chance may bring about that so few of them say otherwise: it does for none of five, one of nine, three of 15.
FEWEST, CHANCE = 3, 1 / 32


class Law(NamedTuple):
    """What must not grow: the sum of some quantities of which one operation is made up. What is not measured on an engine is not part of it there."""
    name: str
    quantities: tuple
    unit: str
    # Of which the promise is; of the others it is only told.
    is_promised: bool = True


LAWS = (
    Law("getSession", ("getSession.serverMicroseconds", "getSession.databaseMicroseconds"), "µs"),
    Law("login with PIN", ("login.serveMilliseconds", "login.secondFactorMilliseconds", "login.databaseMilliseconds"), "ms"),
    Law("getServers", ("getServers.serverMilliseconds", "getServers.databaseMilliseconds"), "ms", False),
    # On SQLite the one is answered out of memory (decision 0061), and the other read from the file: they are held to themselves, and not to each other.
    Law("getSession, asked again, instructions", ("getSession.askedAgainInstructions",), "", False),
    Law("getSession, first read of a login, instructions", ("getSession.firstReadInstructions",), "", False),
    Law("login with PIN, instructions of both servers", ("login.serveInstructions", "login.secondFactorInstructions"), "", False),
)


class Bound(NamedTuple):
    """What nobody waits longer for, in milliseconds, while something is done in the background; and what was waited where there was nothing to do."""
    name: str
    quantity: str
    quiet: str
    most: float
    # What was only shown if this was measured, too.
    shown: str


BOUNDS = tuple(
    Bound(f"{name} while rows are repacked", f"repacking.longest{kind}Milliseconds", f"repacking.quiet{kind}Milliseconds", 1_000, "repacking.resumedSeconds")
    for name, kind in (("getSession", "Read"), ("a call that writes", "Write")))


def bounded(bound, longest, quiet, is_shown):
    """A machine that stands still for as long by itself decides nothing where it was longer; nor does a run that ended before what was to be shown."""
    if longest > bound.most:
        return UNDECIDED if quiet > bound.most else f"somebody waits longer than {bound.most / 1e3:g} s"
    return f"nobody waits longer than {bound.most / 1e3:g} s" if is_shown else UNDECIDED


def bounds(figures):
    """Engine, bound, accounts, what was waited at the most, and the verdict, of what was measured."""
    for bound in BOUNDS:
        for each in figures.of(bound.quantity):
            where = {"engine": each.engine, "accounts": each.accounts, "sessions": each.sessions}
            is_shown = bool(figures.of(bound.shown, **where))
            yield each.engine, bound, each.accounts, each.value, bounded(bound, each.value, figures.last(bound.quiet, **where), is_shown)


class Row(NamedTuple):
    engine: str
    law: Law
    # `accounts` or `sessions`, and the number of the other.
    along: str
    beside: int
    # Of each size from the smallest on, what each round found.
    points: list

    @property
    def medians(self):
        return [(size, statistics.median(rounds)) for size, rounds in self.points]

    @property
    def ratio(self):
        """Of medians, the largest size to the smallest."""
        return self.medians[-1][1] / self.medians[0][1]

    @property
    def dearest(self):
        """The size that is dearest beside the smallest, and how many times it."""
        first = self.medians[0][1]
        return max(((size, value / first) for size, value in self.medians[1:]), key=lambda found: found[1])

    @property
    def middle(self):
        """The dearest size and its ratio, where it is not the largest, and the verdict is not of the largest alone; else None."""
        is_of_last = word(self.points[0][1], self.points[-1][1]) == self.verdict
        return None if is_of_last or self.dearest[0] == self.points[-1][0] else self.dearest

    @property
    def by_rounds(self):
        """The smallest and the largest ratio that a round found by itself, or None where the sizes have not the same rounds."""
        few, many = self.points[0][1], self.points[-1][1]
        return (min(found := ratios(few, many)), max(found)) if len(few) == len(many) else None

    @property
    def verdict(self):
        """Of all sizes beside the smallest: one that is beyond is enough, and so is one of which nothing can be said."""
        found = {word(self.points[0][1], rounds) for _, rounds in self.points[1:]}
        return next(verdict for verdict in (BEYOND, UNDECIDED, WITHIN) if verdict in found)


def ratios(few, many):
    return [larger / smaller for smaller, larger in zip(few, many)]


def word(few, many):
    """What rounds say of two sizes.

    The ratio of medians has a margin to what is promised, as a factor. It is decided when rounds of one size differ by no more than that, or when so few rounds say
    otherwise, each by itself, as they would by chance once in 32 times: the sign test.
    """
    if min(len(few), len(many)) < FEWEST:
        return UNDECIDED
    ratio = statistics.median(many) / statistics.median(few)
    is_within = ratio <= PROMISED
    spread = max(max(rounds) / min(rounds) for rounds in (few, many))
    others = sum((each <= PROMISED) != is_within for each in ratios(few, many))
    is_sure = len(few) == len(many) and by_chance(others, len(few)) <= CHANCE
    if spread > max(PROMISED / ratio, ratio / PROMISED) and not is_sure:
        return UNDECIDED
    return WITHIN if is_within else BEYOND


def by_chance(others, rounds):
    """How often no more than `others` of so many rounds would say otherwise, if each said either as likely."""
    return sum(math.comb(rounds, count) for count in range(others + 1)) / 2 ** rounds


def summed(figures, law, engine, along):
    """Rounds of a law by size. Where a size has not the same number of rounds of all its parts, medians are added, as one round."""
    # SQLite is in the server's own process.
    known = [figures.rounds(quantity, along, engine=engine, nodes=1) for quantity in law.quantities if engine != "sqlite" or "database" not in quantity]
    (beside, _), parts, points = known[0], [part for _, part in known], []
    for size in sorted(set.intersection(*(set(part) for part in parts))):
        rounds = [part[size] for part in parts]
        is_whole = len({len(each) for each in rounds}) == 1
        points.append((size, [sum(each) for each in zip(*rounds)] if is_whole else [sum(statistics.median(each) for each in rounds)]))
    return beside, points


def rows(figures):
    """A row for each engine and law, along accounts and along sessions, of what was measured at more than one size and is not nothing."""
    for law in LAWS:
        for engine in ENGINES:
            for along in ("accounts", "sessions"):
                try:
                    beside, points = summed(figures, law, engine, along)
                except Missing:
                    continue
                if len(points) > 1 and min(min(rounds) for _, rounds in points) > 0:
                    yield Row(engine, law, along, beside, points)
