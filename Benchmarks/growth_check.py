"""Whether the rules are sound by which growth is filled, measured and decided: samples of each, with what has to come of them. For Benchmarks/growth --check,
a part of make verify; it measures nothing, and starts nothing."""

import contextlib
import json
import pathlib
import sqlite3
import struct
import sys
import tempfile
import time
import types

import growth_counts
import growth_parts
import growth_rounds
import growth_rows
import growth_stock
import growth_verdicts
from growth_engines import SQLite
from growth_figures import Figures
from growth_plan import points_of
from growth_report import Report
from growth_verdicts import BEYOND, UNDECIDED, WITHIN

# What rounds found of the fewest and of the most, and what is to be said of it.
VERDICTS = [
    ([100] * 5, [110] * 5, WITHIN, "nothing differs"),
    ([100] * 5, [125] * 5, WITHIN, "what is promised is kept to the last"),
    ([100] * 5, [126] * 5, BEYOND, "a hundredth more than was promised"),
    ([100] * 5, [90] * 5, WITHIN, "what gets cheaper is not too dear"),
    ([98, 99, 100, 101, 102], [108, 109, 110, 111, 112], WITHIN, "rounds differ by less than is left"),
    ([95, 110, 100, 105, 90], [120, 135, 110, 120, 130], UNDECIDED, "rounds differ by more than is left, and one says otherwise"),
    ([100, 130, 160, 190, 220], [105, 136, 168, 199, 231], WITHIN, "the machine got slower for both, and each round says the same"),
    ([100, 130, 160, 190, 220], [150, 195, 240, 285, 330], BEYOND, "likewise, and it is half as much again"),
    ([100, 130, 160, 190], [105, 136, 168, 199], UNDECIDED, "four rounds that are alike may be so by chance"),
    ([220, 190, 160, 130, 100], [105, 136, 168, 199, 231], UNDECIDED, "the same rounds in another order are not of the same moments"),
    ([100, 100, 100, 100, 300], [110, 110, 110, 110, 110], WITHIN, "a hiccup of one round, which each says as the others do"),
    ([100, 100], [100, 100], UNDECIDED, "two rounds are too few"),
    ([100], [200], UNDECIDED, "once is never"),
]
POINTS = [
    (([1_000, 100_000, 1_000_000], [1, 1_000, 100_000]),
     [(1_000, 1_000), (100_000, 1_000), (1_000_000, 1), (1_000_000, 1_000), (1_000_000, 100_000)]),
    (([1_000, 10_000], [1, 1_000]), [(1_000, 1_000), (10_000, 1), (10_000, 1_000)]),
    (([1_000], [1, 1_000, 100_000]), [(1_000, 1), (1_000, 1_000)]),
    (([500, 5_000], [1, 1_000]), [(500, 1), (5_000, 1), (5_000, 1_000)]),
]


def of_verdicts():
    for few, many, expected, why in VERDICTS:
        if (found := growth_verdicts.word(few, many)) != expected:
            yield f"of {few} and {many} it is said “{found}” and not “{expected}”: {why}"
    # In the middle it is too dear, and at the end it is not.
    row = growth_verdicts.Row("sqlite", growth_verdicts.LAWS[0], "accounts", 1, [(1, [100] * 5), (10, [140] * 5), (100, [100] * 5)])
    if (row.ratio, row.middle, row.verdict) != (1, (10, 1.4), BEYOND):
        yield f"a size in the middle that is too dear is passed over: {row.ratio}, {row.middle}, {row.verdict}"
    row = row._replace(points=[(1, [100] * 5), (10, [110] * 5), (100, [100] * 5)])
    if (row.middle, row.verdict) != (None, WITHIN):
        yield f"a size in the middle is named of which nothing is to be said: {row.middle}"


def of_figures():
    """From what rounds found to what is said of it, by the file."""
    report = Report(None, {})
    found = {1_000: [[10, 11, 12, 13, 14], [5, 4, 3, 2, 1]], 10_000: [[20, 22, 24, 26, 28], [10, 8, 6, 4, 2]]}
    for accounts, parts in found.items():
        report.begin("postgresql", accounts, 1)
        for quantity, rounds in zip(("getSession.serverMicroseconds", "getSession.databaseMicroseconds"), parts):
            growth_rounds.add(report, {quantity: rounds}, growth_rounds.unit)
    figures = Figures(json.loads(json.dumps(report.content)))
    if figures.series("getSession.serverMicroseconds", "accounts") != [(1_000, 12), (10_000, 24)]:
        yield "the value of a measurement is not the median of its rounds"
    rows = list(growth_verdicts.rows(figures))
    expected = [(1_000, [15] * 5), (10_000, [30] * 5)]
    if [(row.law.name, row.along, row.points, row.verdict) for row in rows] != [("getSession", "accounts", expected, BEYOND)]:
        yield f"server and database are not added round by round: {rows}"
    # What was measured once, as in files of before, is there and decides nothing.
    for row in report.content["measurements"]:
        del row["rounds"]
    if [row.verdict for row in growth_verdicts.rows(Figures(report.content))] != [UNDECIDED]:
        yield "a figure that was measured once decides something"


def of_sizes():
    for given, expected in POINTS:
        if (found := points_of(*given)) != expected:
            yield f"of {given} the sizes are {found} and not {expected}"
    if growth_rounds.in_turn("abc", 0) != list("abc") or growth_rounds.in_turn("abc", 1) != list("cba"):
        yield "every second round does not go the other way round"


def of_rows():
    """Whether rows stand where they stand in life, and none twice."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        def values(expression, count):
            head, tail = SQLite.words.numbers(1, count)
            return [value for value, in connection.execute(f"{head}SELECT {expression} {tail}")]

        for accounts, count in ((1, 1), (1_000, 1_000), (1_000_000, 1_000), (growth_rows.STEP, 1_000), (99_991, 99_991)):
            found = values(growth_rows.somebody(accounts), count)
            if len(set(found)) != count or min(found) < 1 or max(found) > accounts:
                yield f"of {accounts} accounts {count} sessions are not each somebody else's"
            if count < accounts and not 0.45 < sum(found) / count / accounts < 0.55:
                yield f"sessions are not of people from the whole table of {accounts}"
        found = values(growth_rows.scattered(), 100_000)
        if len(set(found)) != 100_000:
            yield "two rows have the same number that ought to be at random"
        rising = sum(one < other for one, other in zip(found, found[1:])) / len(found)
        if not 0.2 < rising < 0.8:
            yield "numbers that ought to be at random only rise"
    if 10**9 * growth_rows.LEAP >= 2**63:
        yield "numbers do not fit into a column"


def of_questions():
    """Whether each live session is asked for once before any is asked for again."""
    for sessions in (1, 2, 1_000, 7_919, 7_919 * 2, 100_000):
        installation = types.SimpleNamespace(sessions=sessions, get_session=lambda number: number)
        halves = [*growth_parts.live(installation, sessions // 2), *growth_parts.live(installation, sessions - sessions // 2, first=sessions // 2)]
        if sorted(halves) != list(range(1, sessions + 1)):
            yield f"of {sessions} sessions not each is asked for once"


def of_folders():
    """Which kept databases are taken again."""
    with tempfile.TemporaryDirectory() as name:
        stock = growth_stock.Stock(pathlib.Path(name), SQLite, None, b"key", None, None)
        good = {"accounts": 10, "sessions": 1, "rows": growth_stock.of_rows(), "deviceKey": b"key".hex(), "at": time.time(), "weighed": {}}
        kept = {(10, 1): {}, (10, 5): {}, (20, 1): {"rows": "others"}, (30, 1): {"deviceKey": "00"}, (40, 1): {"at": time.time() - 30 * 86_400}, (90, 1): {}}
        for point, other in kept.items():
            stock.place(point).mkdir()
            (stock.place(point) / growth_stock.MARK).write_text(json.dumps({**good, **other}))
        half = stock.folder / "20-1.part"
        half.mkdir()
        (half / growth_stock.MARK).write_text(json.dumps(good))
        if (found := stock.missing(kept)) != [(20, 1), (30, 1), (40, 1)]:
            yield f"of kept databases those are filled again: {found}"
        if [stock.source(point) for point in ((50, 1), (9, 1), (90, 7))] != [(10, 1), None, (90, 1)]:
            yield "a database is not made from the fullest that has no more accounts"


def of_counts():
    """Whether a file of counts is read as the plugin writes it (emulator_counts.h): two threads, each with a word of every kind."""
    with tempfile.TemporaryDirectory() as name:
        file = pathlib.Path(name) / "counts"
        file.write_bytes(struct.pack("=64Q", 1_000, *range(1, 32), 20_000, *range(1, 32)))
        if (found := growth_counts.instructions(file)) != 21_000:
            yield f"of 21,000 instructions {found:,} are read"


def faults():
    for check in (of_verdicts, of_figures, of_sizes, of_rows, of_questions, of_folders, of_counts):
        yield from check()


def main():
    found = list(faults())
    for fault in found:
        print(f"growth: {fault}", file=sys.stderr)
    if found:
        sys.exit(1)
    print(f"growth: {len(VERDICTS)} verdicts, {len(POINTS)} sets of sizes, rows, questions, folders and counts are as they have to be")
