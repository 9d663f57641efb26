"""Whether the rules are sound by which growth is filled, measured and decided: samples of each, with what has to come of them. For Benchmarks/growth --check,
a part of make verify; it measures nothing, and starts nothing."""

import collections
import contextlib
import json
import os
import pathlib
import sqlite3
import struct
import sys
import tempfile
import time
import types

import growth_cold
import growth_counts
import growth_parts
import growth_receipts
import growth_repacking
import growth_rounds
import growth_rows
import growth_stock
import growth_verdicts
from growth_engines import PostgreSQL, SQLite
from growth_figures import Figures
from growth_plan import points_of, points_of_part
from growth_repacking import Sight
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
    ([100] * 15, [110] * 12 + [130] * 3, WITHIN, "three of fifteen rounds say otherwise, which chance seldom brings about"),
    ([100] * 15, [110] * 11 + [130] * 4, UNDECIDED, "four of fifteen may be as many as would"),
    ([100] * 9, [110] + [150] * 8, BEYOND, "one of nine says otherwise"),
    ([100] * 8, [110] + [150] * 7, UNDECIDED, "one of eight may be so by chance"),
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
# At which of three sizes each part is measured.
PLACES = {"size": [(1, 1), (9, 1), (9, 5)], "idle": [(1, 1), (9, 1), (9, 5)], "instructions": [(1, 1), (9, 1), (9, 5)], "coldstart": [(9, 5)],
          "pings": [(9, 5)], "nodes": [(9, 5)], "housekeeping": [(9, 5)], "repacking": [(9, 1)]}
# The longest wait, that of a quiet server, whether all was shown, and what is to be said of a second at most.
WAITS = [
    (1_000, 10, True, "nobody waits longer than 1 s"), (1_001, 10, True, "somebody waits longer than 1 s"),
    (1_001, 10, False, "somebody waits longer than 1 s"), (5_000, 1_001, True, UNDECIDED), (900, 5_000, True, "nobody waits longer than 1 s"),
    (10, 10, False, UNDECIDED),
]
# What a run of repacking left: rows before and after, receipts and short ones, those that are long and have to be, the largest batch, whether the place went
# back; and the beginning of what is to be said.
LEFT = [
    ((9, 9), (9, 9), (set(), set()), None, False, None), ((9, 9), (9, 8), ({b"a"}, {b"a"}), 200, False, None),
    ((9, 9), (7, 6), ({b"a"}, {b"a"}), 200, False, None), ((9, 8), (8, 7), ({b"a"}, {b"a"}), 200, False, "there were 9"),
    ((9, 9), (9, 9), (set(), {b"a"}), 200, False, "it began anew"), ((9, 9), (9, 7), ({b"a", b"b"}, {b"a"}), 200, False, "2 rows are left"),
    ((9, 9), (9, 8), ({b"b"}, set()), 200, False, "1 rows are left"), ((9, 9), (9, 8), (set(), set()), 200, False, "of 9 receipts 8"),
    ((9, 9), (9, 8), ({b"a"}, {b"a"}), 201, False, "201 rows were changed"), ((9, 9), (9, 8), ({b"a"}, {b"a"}), 200, True, "it was at 02 and went back to 01"),
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
    for longest, quiet, is_shown, expected in WAITS:
        if (found := growth_verdicts.bounded(growth_verdicts.BOUNDS[0], longest, quiet, is_shown)) != expected:
            yield f"of {longest} ms beside {quiet} it is said “{found}” and not “{expected}”"


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
    # The server of one engine was killed in the middle, that of the other was not.
    report = Report(None, {})
    for engine, quantities in (("sqlite", {"resumedSeconds": 1}), ("postgresql", {})):
        report.begin(engine, 10, 1)
        for quantity, value in {"longestReadMilliseconds": 20, "quietReadMilliseconds": 1_500, **quantities}.items():
            report.add(f"repacking.{quantity}", value)
    found = [(engine, accounts, longest, verdict) for engine, _, accounts, longest, verdict in growth_verdicts.bounds(Figures(report.content))]
    if found != [("sqlite", 10, 20, "nobody waits longer than 1 s"), ("postgresql", 10, 20, UNDECIDED)]:
        yield f"of what somebody waits while rows are repacked it is said {found}"


def of_sizes():
    for given, expected in POINTS:
        if (found := points_of(*given)) != expected:
            yield f"of {given} the sizes are {found} and not {expected}"
    for part, expected in PLACES.items():
        if (found := points_of_part(part, PLACES["size"])) != expected:
            yield f"{part} is measured at {found} and not {expected}"
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


def of_counted_questions():
    """Whether what is counted as the first read of a login is one, and what is counted as asked again is of none that was not asked for."""
    effort = growth_parts.Effort(quick=False)
    for sessions, expected in ((1, [growth_counts.AGAIN]), (200, [growth_counts.AGAIN]), (1_000, [growth_counts.FIRST, growth_counts.AGAIN])):
        installation = types.SimpleNamespace(sessions=sessions, get_session=lambda number: number)
        asked, counted = collections.Counter(), collections.Counter()
        for quantity, requests in growth_counts.questions(installation, effort.counted_requests):
            numbers = list(requests)
            if len(numbers) != effort.counted_requests:
                yield f"of {len(numbers)} getSession it is said that they are {effort.counted_requests}"
            before = {asked[number] for number in numbers}
            if not asked and quantity:
                yield "the first of all is counted, which makes what is made once"
            if quantity == growth_counts.FIRST and (before != {0} or len(set(numbers)) != len(numbers)):
                yield f"of {sessions} sessions one is counted as read first that was asked for before"
            if quantity == growth_counts.AGAIN and 0 in before:
                yield f"of {sessions} sessions one is counted as asked again that nobody asked for before"
            asked.update(numbers)
            counted[quantity] += 1
        del counted[None]
        if counted != {quantity: growth_counts.SLICES for quantity in expected}:
            yield f"of {sessions} sessions there are counted {dict(counted)}"


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
        stock.give_up((90, 1))
        if stock.missing([(10, 1), (90, 1)]) != [(90, 1)] or stock.source((90, 7)) != (10, 1):
            yield "a database whose rows were repacked is taken again"


def of_counts():
    """Whether a file of counts is read as the plugin writes it (emulator_counts.h): two threads, each with a word of every kind."""
    with tempfile.TemporaryDirectory() as name:
        file = pathlib.Path(name) / "counts"
        file.write_bytes(struct.pack("=64Q", 1_000, *range(1, 32), 20_000, *range(1, 32)))
        if (found := growth_counts.instructions(file)) != 21_000:
            yield f"of 21,000 instructions {found:,} are read"


def of_receipts():
    """Whether long forms are made as they were signed: of short ones with all that may stand in them, and by SQL for rows that were filled."""
    def some(first, count):
        return bytes(range(first, first + count))

    signed = struct.pack(">32sBBIQ32s32sHQQ8s64sH", some(1, 32), 1, 2, 300, 128, some(2, 32), some(3, 32), 5, 2, 2**31, some(4, 8), some(5, 64), 0)
    numbers = b"\xac\x02" b"\x80\x01" b"\x80\x80\x80\x80\x08"
    ends = some(3, 32) + some(4, 8) + some(5, 64)
    shorts = {
        "with all": b"\x81\x0f\x01\x02" + numbers + b"\x02\x05" + some(6, 16) + some(1, 32) + some(2, 32) + ends,
        "with what the row does not say": b"\x81\x0c\x01\x02" + numbers + b"\x02\x05" + some(1, 32) + ends}
    for name, short in shorts.items():
        of_row = bytes(16) if "all" in name else some(6, 16)
        expected = b"\x01\x35\x01\x01" + some(7, 16) + some(8, 16) + some(6, 16) + signed
        if growth_receipts.long_form(short, some(7, 16), some(8, 16), of_row, {300: some(2, 32)}) != expected:
            yield f"a short form {name} does not become the receipt that was signed"
    yield from of_lengthening()


def of_lengthening():
    """On SQLite, with a row that was filled and one of a phone, whose receipts are by biometric and by PIN."""
    phone, filled, server, key = bytes([200] * 16), bytes([100] * 16), bytes([7] * 16), bytes([9] * 32)
    shorts = [b"\x81" + bytes([marks, 1, method, 2, 3, 4]) + more + bytes(136) for marks, method, more in ((0, 2, b""), (1, 1, bytes([5] * 16)))]
    with tempfile.TemporaryDirectory() as name:
        engine = SQLite(pathlib.Path(name))
        engine.files["serve"].parent.mkdir()
        engine.execute("serve", [
            "CREATE TABLE instance (id BLOB, server BLOB, evaluated_attempt BLOB, receipt BLOB, pin_receipt BLOB) STRICT",
            "CREATE TABLE instance_epoch (instance BLOB, number INTEGER, second_factor_key BLOB) STRICT",
            "CREATE TABLE repacking (name TEXT, place BLOB, is_over INTEGER) STRICT", "INSERT INTO repacking VALUES ('receipts', x'05', 1)",
            *(f"INSERT INTO instance VALUES (x'{id.hex()}', x'{server.hex()}', x'{id.hex()}', {newest}, {by_pin})" for id, newest, by_pin in [
                (phone, *(f"x'{short.hex()}'" for short in shorts)), (filled, f"x'{bytes(147).hex()}'", "NULL"), (bytes(16), "NULL", "NULL")]),
            f"INSERT INTO instance_epoch VALUES (x'{phone.hex()}', 1, x'00'), (x'{phone.hex()}', 2, x'{key.hex()}')"])
        table = growth_repacking.Table(engine)
        if table.phones() != {phone} or table.receipts([phone]) != {phone: shorts} or table.sight()[1:3] != (b"\5", True):
            yield f"receipts of phones are not found: {table.phones()}, {table.sight()}"
        growth_repacking.lengthen(table, table.phones())
        long = table.receipts([phone, filled])
        if long[phone] != [growth_receipts.long_form(short, server, phone, phone, {2: key}) for short in shorts]:
            yield "the receipts of a phone are not put back into the long form"
        now = int.from_bytes(long[filled][0][-82:-74], "big")
        if long[filled] != [growth_receipts.HEAD + server + filled + filled + growth_receipts.template(now), None] or abs(now - time.time()) > 60:
            yield "the receipt of a row that was filled is not put into the long form"
        if {len(each) for each in long[phone] + long[filled] if each} != {growth_receipts.LONG_BYTES}:
            yield "a long form has not the length of a receipt"
        if table.rows() != 3 or table.receipts_and_short() != (2, 0) or table.long() != {phone, filled} or table.sight()[1:3] != (b"", False):
            yield f"of what is to be repacked other is said than is there: {table.receipts_and_short()}, {table.long()}, {table.sight()}"
        # As a server does it, which is killed between the two.
        engine.execute("serve", [f"UPDATE instance SET receipt = x'{bytes([0x81, *bytes(146)]).hex()}' WHERE receipt IS NOT NULL",
                                 f"UPDATE repacking SET place = x'{filled.hex()}'"])
        planted = growth_repacking.plant(table, table.sight(), [phone])
        if planted != {filled} or table.long() != planted or growth_repacking.plant(table, Sight(0, b"", False), [phone]):
            yield f"the row behind the place is not one that is behind it: {planted}"
    if "CAST" in growth_receipts.long_of_row("postgresql", PostgreSQL.words, 1):
        yield "PostgreSQL joins bytes without a cast"


def of_repacking():
    """What is said of what was seen and left."""
    sights = [Sight(moment, place, is_over) for moment, place, is_over in (
        (0, b"", False), (10, b"", False), (11, b"\x40\0\0\0\1", False), (13, b"\xc0", False), (14, b"\xc0", False), (15, b"\xc0", True), (16, b"\xc0", True))]
    if [sight.share for sight in sights[1:6]] != [0, 0.25, 0.75, 0.75, 1] or growth_repacking.worked(sights) != 5 or growth_repacking.worked(sights[:2]):
        yield "how far it came, or for how long it worked, is not what was seen"
    if growth_repacking.went_back(sights) or growth_repacking.went_back([sights[3], sights[2]]) != (sights[3], sights[2]):
        yield "a place that goes back is not told from one that goes on"
    if not growth_repacking.went_back([sights[5], sights[4]]):
        yield "what was over and is no longer went on"
    back = (Sight(0, b"\2", False), Sight(1, b"\1", False))
    for *left, is_back, expected in LEFT:
        found = growth_repacking.fault(*left, back if is_back else None)
        if not (found or "").startswith(expected or "") or bool(found) != bool(expected):
            yield f"of {left} it is said “{found}” and not “{expected}”"


def of_idleness():
    """Whether it is measured again when an autovacuum came, and told when one always does."""
    for counts, expected in (([0, 0], (1, 0)), ([0, 1, 1, 1], (2, 0)), ([0, 1, 1, 3, 3, 5], (growth_parts.IDLE_TRIES, 2))):
        counted, settled = iter(counts), []
        engine = types.SimpleNamespace(settle=lambda: settled.append(1), upkeep=lambda: next(counted), processor=lambda: None)
        installation = types.SimpleNamespace(engine=engine, pid=lambda command: os.getpid())
        found, = growth_parts.idle([installation], types.SimpleNamespace(settling=0, idle=0.001))
        if (len(settled), found["idle.vacuumedTables"][0]) != expected:
            yield f"where autovacuums were {counts} it was idle {len(settled)} times, and {found['idle.vacuumedTables'][0]} are told"


def of_cold_starts():
    """Whether it is seen what of a file is in memory, and a start that is not cold is refused."""
    with tempfile.TemporaryDirectory() as name:
        file, size = pathlib.Path(name) / "file", 64 * os.sysconf("SC_PAGE_SIZE")
        file.write_bytes(bytes(size))
        files = [file, file.with_name("gone")]
        if growth_cold.cached(files) != size:
            yield f"of {size} bytes that were just written {growth_cold.cached(files)} are seen in memory"
        # All of it stays where the folder itself is in memory.
        if growth_cold.evict(files) != size or growth_cold.cached(files) not in (0, size) or file.read_bytes() != bytes(size):
            yield "a file that is to be forgotten is not what it was, or half of it is forgotten"
    for given, is_cold in (((1_000, 0, 1), True), ((1_000, 10, 1), True), ((1_000, 11, 1), False), ((1_000, 0, 0), False)):
        if (growth_cold.doubt(*given) is None) != is_cold:
            yield f"of {given} it is said that it {'was not' if is_cold else 'was'} cold"


def of_dates():
    """Whether a part that is measured on another day has its own."""
    with tempfile.TemporaryDirectory() as name:
        file, facts = pathlib.Path(name) / "figures.json", {"model": "", "ostiary": "", "quick": False, "rounds": 1}
        Report(file, {**facts, "date": "first"}).done(("sqlite", 1, 1, 1), "size")
        Report(file, {**facts, "date": "second"}).done(("sqlite", 1, 1, 1), "coldstart")
        machine = json.loads(file.read_text())["machine"]
        if (machine["date"], machine["dates"]) != ("first", {"size": "first", "coldstart": "second"}):
            yield f"days of parts are {machine}"


def faults():
    for check in (of_verdicts, of_figures, of_sizes, of_rows, of_questions, of_counted_questions, of_folders, of_counts, of_receipts, of_repacking, of_idleness,
                  of_cold_starts, of_dates):
        yield from check()


def main():
    found = list(faults())
    for fault in found:
        print(f"growth: {fault}", file=sys.stderr)
    if found:
        sys.exit(1)
    print(f"growth: {len(VERDICTS)} verdicts, {len(POINTS)} sets of sizes, rows, questions, folders, counts, "
          "receipts, repacking, idleness and cold starts are as they have to be")
