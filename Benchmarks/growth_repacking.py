"""The part `repacking`: receipts of a whole table, brought into their short form by a server that is killed in the middle (docs/decisions/0068).

What was measured is only worth something if it was all done, and once: so a run ends with a sentence where rows are missing or left long, where the place
went back, where more rows than a batch were changed at once, or where a phone's receipt came out other than it was.
"""

import concurrent.futures
import math
import pathlib
import threading
import time
from typing import NamedTuple

import growth_parts
import growth_receipts
from growth_servers import HEX, Meter

# The most rows of a transaction (ReceiptRepacking.batch).
BATCH = 200
# Reads and writes of others in a second.
READS, WRITES = 50, 10
LINES = {"sqlite": "group_concat({}, ' ')", "postgresql": "string_agg({}, ' ')"}


class Sight(NamedTuple):
    """How far it was at a moment. A place is an id, and these are at random, so it says which part is done."""
    moment: float
    place: bytes
    is_over: bool
    log_bytes: int = 0

    @property
    def share(self):
        return 1 if self.is_over else int.from_bytes(self.place[:4].ljust(4, b"\0"), "big") / 2**32


def went_back(sights):
    """The first two of which the later one is not as far, or None."""
    return next(((one, other) for one, other in zip(sights, sights[1:]) if (other.is_over, other.place) < (one.is_over, one.place)), None)


def moves(sights):
    """The numbers of those that are further than the one before."""
    return [number for number in range(1, len(sights)) if sights[number][1:3] != sights[number - 1][1:3]]


def worked(sights):
    """Seconds from the last look before it moved to the last at which it had moved: what came before and after was waiting."""
    moved = moves(sights)
    return sights[moved[-1]].moment - sights[moved[0] - 1].moment if moved else 0


def fault(rows, receipts, left_long, largest_batch, back):
    """What is wrong with what a run left, or None. `rows`: before and after; `receipts`: how many there are, and how many of them short; `left_long`: ids of
    those that are still long, and of the one that has to be."""
    if rows[0] != rows[1]:
        return f"there were {rows[0]:,} instances, and there are {rows[1]:,}"
    if back:
        return f"it was at {back[0].place.hex()} and went back to {back[1].place.hex()}"
    found, expected = left_long
    if expected and not found:
        return "it began anew after the kill: a row behind its place, which was long, is short"
    if found != expected:
        return f"{len(found):,} rows are left in the long form, the first is {min(found).hex()}"
    if receipts[1] != receipts[0] - len(expected):
        return f"of {receipts[0]:,} receipts {receipts[1]:,} have the short form"
    if largest_batch is not None and largest_batch > BATCH:
        return f"{largest_batch:,} rows were changed in one transaction, and {BATCH} are the most"
    return None


class Table:
    """What is looked up of instances, in the words of an engine."""

    def __init__(self, engine):
        self.engine, self.words = engine, engine.words

    def value(self, query):
        return self.engine.value("serve", query)

    def hex(self, column):
        return HEX[self.engine.name].format(column)

    def lines(self, query, *columns):
        """Rows of columns that are bytes, or None."""
        joined = " || ':' || ".join(f"CASE WHEN {column} IS NULL THEN '-' ELSE {self.hex(column)} END" for column in columns)
        found = self.value(f"SELECT {LINES[self.engine.name].format(joined)} FROM {query}")
        split = [line.split(":") for line in str(found or "").split()]
        return [[None if word == "-" else bytes.fromhex(word) for word in line] for line in split]

    def sight(self):
        place, is_over = self.value(f"SELECT COALESCE({self.hex('place')}, '') || ':' || is_over FROM repacking WHERE name = 'receipts'").split(":")
        return Sight(time.monotonic(), bytes.fromhex(place), is_over == "1", self.log_bytes())

    def log_bytes(self):
        """Of SQLite, where nothing but checkpoints keeps it short."""
        if self.engine.name != "sqlite":
            return 0
        try:
            return pathlib.Path(f"{self.engine.files['serve']}-wal").stat().st_size
        except OSError:
            return 0

    def rows(self):
        return self.value("SELECT COUNT(*) FROM instance")

    def receipts_and_short(self):
        """How many receipts there are, and how many of them have the short form."""
        short = f"SELECT COUNT(*) FROM instance WHERE substr(receipt, 1, 1) = {self.words.blob(growth_receipts.SHORT)}"
        return self.value("SELECT COUNT(receipt) FROM instance"), self.value(short)

    def long(self):
        """Ids; more than a thousand nobody wants to see."""
        some = f"(SELECT id FROM instance WHERE length(receipt) = {growth_receipts.LONG_BYTES} ORDER BY id LIMIT 1000) AS found"
        return {id for id, in self.lines(some, "id")}

    def receipt_bytes(self):
        """The mean of a receipt."""
        return self.value("SELECT SUM(length(receipt)) FROM instance") / self.value("SELECT COUNT(receipt) FROM instance")

    def phones(self):
        """Ids of instances whose phones log in, while rows that were filled have no receipt that is one."""
        return {id for id, in self.lines(f"instance WHERE NOT ({growth_receipts.is_filled(self.words)})", "id")}

    def among(self, ids):
        return f"IN ({', '.join(self.words.blob(id) for id in sorted(ids))})"

    def receipts(self, ids):
        """By the id: newest, newest by PIN."""
        return {id: columns for id, *columns in self.lines(f"instance WHERE id {self.among(ids)}", "id", "receipt", "pin_receipt")}

    def lengthened(self, ids):
        """Statements by which instances of phones have the long form."""
        keys = {}
        for instance, number, key in self.epochs(ids):
            keys.setdefault(instance, {})[number] = key
        for id, server, attempt, *columns in self.lines(f"instance WHERE id {self.among(ids)}", "id", "server", "evaluated_attempt", "receipt", "pin_receipt"):
            long = [growth_receipts.long_form(short, server, id, attempt, keys[id]) if short else None for short in columns]
            newest, by_pin = (self.words.blob(each) if each else "NULL" for each in long)
            yield f"UPDATE instance SET receipt = {newest}, pin_receipt = {by_pin} WHERE id = {self.words.blob(id)}"

    def epochs(self, ids):
        """Instance, number and key of each."""
        joined = f"{self.hex('instance')} || ':' || number || ':' || {self.hex('second_factor_key')}"
        found = self.value(f"SELECT {LINES[self.engine.name].format(joined)} FROM instance_epoch WHERE instance {self.among(ids)}")
        for line in str(found or "").split():
            instance, number, key = line.split(":")
            yield bytes.fromhex(instance), int(number), bytes.fromhex(key)

    def largest_batch(self):
        """How many transactions wrote the rows, and the most that one wrote: PostgreSQL says which did."""
        if self.engine.name != "postgresql":
            return None, None
        batches = "(SELECT COUNT(*) AS n FROM instance GROUP BY xmin::text) AS batches"
        return self.value(f"SELECT COUNT(*) FROM {batches}"), self.value(f"SELECT MAX(n) FROM {batches}")

    def file_bytes(self):
        """Of the whole database, with pages that are free."""
        if self.engine.name == "sqlite":
            return self.value("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        return self.engine.bytes("serve")


class Stage(NamedTuple):
    """What was seen from one start of the server to its end."""
    begun: float
    sights: list
    reads: list
    writes: list
    serve: float
    database: float
    seconds: float
    peak: float


def stage(installation, table, until, seconds, pause):
    """The server from its start until `until` says so of what is seen, with others who read and write meanwhile. It still runs then."""
    stop, sights = threading.Event(), [table.sight()]
    installation.start("second-factor")
    begun = time.monotonic()
    installation.start("serve")
    meter = Meter(installation.engine, installation.pid("serve"))

    def look():
        while not until(sights[-1]) and not stop.wait(pause):
            sights.append(table.sight())

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        looking = pool.submit(look)
        try:
            installation.await_ready()
            reads, writes = growth_parts.probes(installation, seconds, looking.done, WRITES)
        finally:
            stop.set()
        looking.result()
    (serve,), database, took = meter.seconds()
    return Stage(begun, sights, reads.latencies, writes.latencies, serve, database or 0, took, peak(installation.pid("serve")))


def peak(process):
    """MiB that were resident at the most."""
    lines = pathlib.Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))


def quiet(installation, table, effort):
    """The same, with as many looks, while there is nothing to repack. Each phone logs in, so that it has a receipt."""
    end = time.monotonic() + effort.repacking_quiet
    found = stage(installation, table, lambda _: time.monotonic() > end, 60, effort.repacking_look)
    for phone in installation.phones:
        installation.log_in(phone)
    installation.halt()
    return found


def measure(installation, report, effort, begun):
    """`begun` is told what begins, and which part of the whole it is by estimate."""
    table, engine = Table(installation.engine), installation.engine
    begun("what others wait while there is nothing to do", 0.1)
    still = quiet(installation, table, effort)
    begun("rows get the long form", 0.15)
    installation.fill_sessions(installation.sessions, anew=True)
    rows, phones = table.rows(), table.phones()
    receipts = table.receipts(phones)
    lengthen(table, phones)
    report.add("repacking.rows", rows, note=(
        f"receipts of all instances in the long form, nothing repacked; {READS} getSession and {WRITES} logins that begin a second beside; killed once"))
    weigh(report, table, rows, "Before")
    limit = 600 + rows // 200
    begun("until the server is killed", 0.3)
    first = stage(installation, table, lambda sight: sight.share > 0.4, limit, effort.repacking_look)
    installation.end("serve", in_order=False)
    installation.halt()
    killed = table.sight()
    planted = plant(table, killed, phones)
    begun("from where it was to the end", 0.35)
    second = stage(installation, table, lambda sight: sight.is_over, limit, effort.repacking_look)
    if not second.sights[-1].is_over:
        raise SystemExit(f"growth: repacking did not come to its end in {limit // 60} minutes, but to {second.sights[-1].share:.0%}")
    begun("what it left", 0.1)
    log_in(installation, table, receipts)
    installation.halt()
    installation.fill_sessions(installation.sessions, anew=True)
    batches, largest = table.largest_batch()
    found = fault((rows, table.rows()), table.receipts_and_short(), (table.long(), planted), largest, went_back([*first.sights, killed, *second.sights]))
    if found:
        raise SystemExit(f"growth: after repacking {found}")
    weigh(report, table, rows, "After")
    report.add("repacking.batches", batches, note=None if engine.name == "sqlite" else "with what put rows into the long form and logged in: one or two more")
    report.add("repacking.largestBatch", largest)
    tell(report, rows, still, [first, second], killed)


def lengthen(table, phones):
    """Rows as programs of before left them; on PostgreSQL in as much room as these took, while on SQLite they grow where they are."""
    engine = table.engine
    whole = ["VACUUM FULL instance"] if engine.name == "postgresql" else []
    engine.execute("serve", [*table.lengthened(phones), *growth_receipts.lengthening(engine.name, engine.words), *whole])
    (receipts, _), long = table.receipts_and_short(), table.value(f"SELECT COUNT(*) FROM instance WHERE length(receipt) = {growth_receipts.LONG_BYTES}")
    if long != receipts:
        raise SystemExit(f"growth: of {receipts:,} receipts {long:,} have the long form before repacking")


def plant(table, killed, phones):
    """A row behind the place that has the long form again while no server runs: who goes on from the place leaves it so, who begins anew does not. Its id
    alone, or none where it was over or at its beginning when it was killed."""
    if killed.is_over or not killed.place:
        return set()
    words = table.words
    behind = f"id <= {words.blob(killed.place)} AND NOT id {table.among(phones)} AND receipt IS NOT NULL"
    (id,), = table.lines(f"(SELECT id FROM instance WHERE {behind} ORDER BY id LIMIT 1) AS found", "id")
    long = growth_receipts.long_of_row(table.engine.name, words, int(time.time()))
    table.engine.execute("serve", [f"UPDATE instance SET receipt = {long} WHERE id = {words.blob(id)}"], settles=False)
    return {id}


def log_in(installation, table, receipts):
    """Receipts of phones came out as they were, and one of them logs in."""
    if not receipts or table.receipts(receipts) != receipts:
        raise SystemExit("growth: after repacking a phone's receipt is not what it was before")
    nonce = installation.log_in(installation.phones[0])
    if not installation.session(nonce).get("loggedin"):
        raise SystemExit("growth: after repacking a phone's login does not count")


def weigh(report, table, rows, ending):
    report.add(f"repacking.receiptBytes{ending}", table.receipt_bytes(), "B")
    report.add(f"repacking.accountBytes{ending}", table.engine.bytes("serve") / rows, "B")
    report.add(f"repacking.fileMiB{ending}", table.file_bytes() / 2**20, "MiB")


def tell(report, rows, still, stages, killed):
    first, second = stages
    seconds = sum(worked(each.sights) for each in stages)
    report.add("repacking.seconds", seconds, "s")
    report.add("repacking.rowsPerSecond", rows / seconds if seconds else None, "1/s")
    # What others cost beside it is not its own.
    for name, column in (("server", "serve"), ("database", "database")):
        used = sum(getattr(each, column) - getattr(still, column) / still.seconds * each.seconds for each in stages)
        report.add(f"repacking.{name}Seconds", max(0, used) if getattr(still, column) else None, "s")
    # Of a part only which is neither the beginning nor the end.
    if killed.place and not killed.is_over:
        report.add("repacking.killedAt", killed.share)
        moved = moves(second.sights)
        report.add("repacking.resumedSeconds", second.sights[moved[0]].moment - second.begun if moved else None, "s")
    for name, pick in (("Read", lambda each: each.reads), ("Write", lambda each: each.writes)):
        busy = sorted(latency for each in stages for latency in pick(each))
        report.add(f"repacking.longest{name}Milliseconds", busy[-1] * 1e3, "ms")
        report.add(f"repacking.{name.lower()}99Milliseconds", busy[math.ceil(len(busy) * 0.99) - 1] * 1e3, "ms")
        report.add(f"repacking.{name.lower()}50Milliseconds", busy[len(busy) // 2] * 1e3, "ms")
        report.add(f"repacking.quiet{name}Milliseconds", max(pick(still)) * 1e3, "ms")
    report.add("repacking.peakResidentMiB", max(each.peak for each in stages), "MiB")
    log = max(sight.log_bytes for each in stages for sight in each.sights)
    report.add("repacking.largestLogMiB", log / 2**20 if log else None, "MiB")
