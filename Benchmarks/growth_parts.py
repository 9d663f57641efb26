"""What is measured at a size. Each part finds both servers stopped, and leaves them so."""

import concurrent.futures
import itertools
import math
import random
import secrets
import statistics
import time
import urllib.request

import growth_http
import growth_pings
import growth_rows
from growth_servers import Balancer, Installation, Meter, Node, memory

LETTERS = {"serve": "serve", "second-factor": "secondFactor"}


class Effort:
    """How often each thing is done: enough to be believed, or, `quick`, only so that everything is seen to work."""

    def __init__(self, quick):
        # Starts; seconds of idleness, a whole minute since some work comes once in one, and before it; and of each slice of a round, how many of each.
        self.starts, self.idle, self.settling = (1, 2, 1) if quick else (3, 60, 12)
        self.requests, self.lists, self.logins = (400, 10, 2) if quick else (4_000, 40, 6)
        # Before the first slice: growth_rounds.warm says why.
        self.warm_requests, self.rounds_of_connections = (400, 1) if quick else (2_000, 6)
        # Under the emulator, of each of three slices.
        self.counted_requests, self.counted_logins = (10, 1) if quick else (60, 3)
        self.ping_seconds, self.due = (4, 600) if quick else (60, 21_000)
        self.node_seconds, self.node_pings, self.node_logins = (2, 400, 6) if quick else (6, 6_000, 48)
        self.phones, self.lead = (2, 6) if quick else (4, 12)
        # Of nodes, whose figures are of whole runs.
        self.warm_logins = 2 if quick else 16
        # Seconds beside which what others wait is held, and between looks at how far it is.
        self.repacking_quiet, self.repacking_look = (3, 0.05) if quick else (20, 0.25)


def is_logged_in(body):
    return b'"loggedin":true' in body


def live(installation, count, first=0):
    """Calls of getSession for live sessions, each in its turn and far from the last. `first`: how many were asked for before."""
    step = next(step for step in (7_919, 7_907, 1) if math.gcd(step, installation.sessions) == 1)
    return (installation.get_session(1 + number * step % installation.sessions) for number in range(first, first + count))


def starts(installation, report, effort):
    """How long each server takes, alone on the machine; both run afterwards."""
    found = {"second-factor": [], "serve": []}
    for round in range(effort.starts + 1):
        for command in found:
            found[command].append(installation.start_timed(command))
        installation.await_ready()
        if round < effort.starts:
            installation.halt()
    for command, times in found.items():
        # The first one may come after a harness has written.
        report.add(f"start.{LETTERS[command]}.seconds", statistics.median(seconds for seconds, _ in times[1:]), "s")
        report.add(f"start.{LETTERS[command]}.processorSeconds", statistics.median(used for _, used in times[1:]), "s")
    report_memory(installation, report, "MiB")


def report_memory(installation, report, ending):
    for command in ("serve", "second-factor"):
        resident, private = memory(installation.pid(command))
        report.add(f"memory.{LETTERS[command]}.resident{ending}", resident, "MiB")
        report.add(f"memory.{LETTERS[command]}.private{ending}", private, "MiB")


# How often idleness is measured at the most, until no autovacuum comes meanwhile.
IDLE_TRIES = 3


def idle(installations, effort):
    """What each of some takes while nobody asks anything, all at the same time: by quantity, a value and its unit.

    What was written before leaves work: a server ends it in ten seconds, and PostgreSQL's autovacuum comes within minutes, and takes longer the more rows there
    were. So that is done first; and where an autovacuum comes all the same, it is all measured again.
    """
    for _ in range(IDLE_TRIES):
        # By then each session of PostgreSQL has said what it changed.
        time.sleep(effort.settling)
        for each in installations:
            each.engine.settle()
        before = [each.engine.upkeep() for each in installations]
        time.sleep(effort.settling)
        meters = [Meter(each.engine, each.pid("serve"), each.pid("second-factor")) for each in installations]
        time.sleep(effort.idle)
        taken = [meter.seconds() for meter in meters]
        upkeep = [each.engine.upkeep() - count for each, count in zip(installations, before)]
        if not any(upkeep):
            break
    for ((serve, second_factor), database, seconds), count in zip(taken, upkeep):
        used = {"serve": serve, "secondFactor": second_factor, "database": database}
        rates = {f"idle.{name}MillisecondsPerSecond": (None if value is None else value / seconds * 1e3, "ms/s") for name, value in used.items()}
        yield {**rates, "idle.seconds": (seconds, "s"), "idle.vacuumedTables": (count, "")}


def metered(installation, stream):
    """Seconds of the processor of serve, and of the database, for one of a stream's requests."""
    meter = Meter(installation.engine, installation.pid("serve"))
    growth_http.run(stream)
    (serve,), database, _ = meter.seconds()
    return serve / len(stream.latencies), None if database is None else database / len(stream.latencies)


SCALES = {"µs": (1e6, "Microseconds"), "ms": (1e3, "Milliseconds")}


def costs(quantity, unit, cost):
    """Of what `metered` found, what there is, by quantity."""
    scale, word = SCALES[unit]
    return {f"{quantity}.{whose}{word}": seconds * scale for whose, seconds in zip(("server", "database"), cost) if seconds is not None}


def pings(installation, report, effort, device):
    """Phones whose app is in the background: each pings every 150 seconds, half of the server's pingTime."""
    interval, phones = 150, installation.sessions
    installation.run()
    maker = pings_of(installation, device)
    expected = check_ping(installation, maker)
    draw, warm = random.Random(1), min(effort.node_pings, phones // 2)
    count = max(1, min(phones - warm, int(phones / interval * effort.ping_seconds)))
    numbers = draw.sample(range(1, phones + 1), warm + count)
    cost_of_ping(installation, report, maker, expected, numbers[count:])
    # Made before, for the moments at which they go out; the server takes times that are two minutes off.
    due = sorted(draw.uniform(0, effort.ping_seconds) for _ in range(count))
    begin = time.time() + count * 0.0006
    made = [maker.request(number, int(begin + moment)) for number, moment in zip(numbers, due)]
    stream = growth_http.Stream(public(installation), made, 64, due, lambda body: len(body) == expected)
    asked = effort.ping_seconds * 20
    beside = growth_http.Stream([installation.admin_address], live(installation, asked), 8, [n / 20 for n in range(asked)], is_logged_in)
    meter = Meter(installation.engine, installation.pid("serve"))
    growth_http.run(stream, beside)
    (serve,), database, seconds = meter.seconds()
    installation.halt()
    report.add("ping.phones", phones)
    report.add("ping.intervalSeconds", interval, "s")
    report.add("ping.perSecond", count / effort.ping_seconds, "1/s", (
        f"{count:,} sealed and signed pings of as many sessions in {effort.ping_seconds} s at random times, over 64 kept connections as a proxy has them, "
        "with 20 getSession a second beside; all devices have one key"))
    # Less than came: the machine could not, and the rest waited longer and longer.
    report.add("ping.answeredPerSecond", stream.per_second, "1/s")
    for name, latency in (("p50", stream.percentile(0.5)), ("p99", stream.percentile(0.99)), ("longest", max(stream.latencies))):
        report.add(f"ping.{name}Milliseconds", latency * 1e3, "ms")
    report.add("ping.serverMillisecondsPerSecond", serve / seconds * 1e3, "ms/s")
    report.add("ping.databaseMillisecondsPerSecond", None if database is None else database / seconds * 1e3, "ms/s")
    report.add("ping.getSession99Milliseconds", beside.percentile(0.99) * 1e3, "ms")


def public(installation):
    return [("127.0.0.1", installation.public)]


def cost_of_ping(installation, report, maker, expected, numbers):
    """Of the processor, as for getSession: one after the other over 8 connections."""
    now = int(time.time()) + 1
    made = [maker.request(number, now) for number in numbers]
    stream = growth_http.Stream(public(installation), made, check=lambda body: len(body) == expected)
    for quantity, value in costs("ping", "µs", metered(installation, stream)).items():
        report.add(quantity, value, "µs")
    report.add("ping.mostPerSecond", stream.per_second, "1/s")


def pings_of(installation, device):
    identity = installation.environment["OSTIARY_SF_TRUSTED_SERVERS"]
    with urllib.request.urlopen(f"{installation.origin}/ap1/bundle/{identity}", timeout=30) as answer:
        return growth_pings.Pings(device, growth_pings.Bundle(answer.read()))


def check_ping(installation, maker):
    """The length of the answer to a ping that counts: one is opened, and must say that its session is logged in."""
    sealed, context = maker.sealed(growth_rows.name("session", 1), int(time.time()) - 30)
    call = urllib.request.Request(f"{installation.origin}/ap1", data=sealed, headers={"Content-Type": "application/octet-stream"})
    with urllib.request.urlopen(call, timeout=30) as answer:
        body = answer.read()
    status, told = maker.opened(body, sealed, context)
    if status != 0 or told[4:6] != b"\x01\x00":
        raise SystemExit(f"growth: a ping was answered by status {status}, {told.hex()}")
    return len(body)


def housekeeping(installation, report, effort):
    """Many sessions end at one moment, and as many are old enough to be forgotten; meanwhile somebody asks and somebody logs in."""
    engine, count = installation.engine, min(effort.due, installation.sessions // 2)
    # By then both servers run, and have done so for some seconds.
    end = int(time.time()) + effort.lead + installation.sessions // 4_000
    last = f"id IN (SELECT id FROM session WHERE state = 2 LIMIT {count})"
    engine.execute("serve", [
        f"UPDATE session SET state = 5, reason = 4, runs_out_at = NULL, ended_at = {end - 86_400}, last_moment = {end - 86_400} WHERE {last}",
        f"UPDATE session SET deadline = {end}, runs_out_at = {end} WHERE {last}"])
    installation.run()
    quiet = probes(installation, seconds=max(1, end - time.time() - 1))
    busy, batches, took = probes_until_over(installation, end, count)
    installation.halt()
    report.add("housekeeping.due", count, note="so many end, and as many more are forgotten, a day after their end")
    report.add("housekeeping.endedSeconds", took, "s")
    for name, found in (("longest", busy), ("quiet", quiet)):
        report.add(f"housekeeping.{name}ReadMilliseconds", max(found[0].latencies) * 1e3, "ms")
        report.add(f"housekeeping.{name}WriteMilliseconds", max(found[1].latencies) * 1e3, "ms")
    report.add("housekeeping.read99Milliseconds", busy[0].percentile(0.99) * 1e3, "ms")
    report.add("housekeeping.write99Milliseconds", busy[1].percentile(0.99) * 1e3, "ms")
    report.add("housekeeping.largestBatch", batches)


def probes(installation, seconds, until=None, writes_per_second=50):
    """Somebody who asks 50 times a second, and somebody who begins logins, as often unless it is said."""
    count, begun = int(seconds * 50), int(seconds * writes_per_second)
    path = f"/servers/{installation.server}/sessions/"
    reads = (installation.get(path, secrets.token_urlsafe(24)) for _ in range(count))
    writes = (installation.get(f"{path}qr/login", secrets.token_urlsafe(24)) for _ in range(begun))
    streams = [growth_http.Stream([installation.admin_address], requests, 4, [n / pace for n in range(number)])
               for requests, number, pace in ((reads, count, 50), (writes, begun, writes_per_second))]
    growth_http.run(*streams, until=until)
    return streams


def probes_until_over(installation, end, count):
    """Both probes until all that was due is done: streams, largest batch or None, seconds."""
    engine, state = installation.engine, {"over": None, "looked": 0}

    def is_over():
        if state["over"] or time.time() - state["looked"] < 0.5:
            return state["over"]
        state["looked"] = time.time()
        left = engine.value("serve", f"SELECT (SELECT COUNT(*) FROM session WHERE runs_out_at = {end}) "
                            f"+ (SELECT COUNT(*) FROM session WHERE last_moment = {end - 86_400})")
        state["over"] = time.time() if left == 0 else None
        return state["over"]

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        looking = pool.submit(look, is_over, end + 300)
        streams = probes(installation, 320, until=looking.done)
        looking.result()
    batches = None
    if engine.name == "postgresql":
        ended = f"SELECT COUNT(*) AS n FROM session WHERE state = 5 AND last_moment >= {end} GROUP BY xmin::text"
        batches = engine.value("serve", f"SELECT MAX(n) FROM ({ended}) AS batches")
    return streams, batches, max(0, state["over"] - end)


def look(is_over, latest):
    while not is_over():
        if time.time() > latest:
            raise SystemExit("growth: housekeeping did not come to its end in five minutes")
        time.sleep(0.5)


def nodes(installation, report, effort, device, count):
    """`count` of serve on one database, as fast as they go: getSession, pings, logins."""
    installation.start_timed("second-factor")
    running = [Node(installation, number) for number in range(count)]
    balancer = None
    try:
        for node in running:
            node.await_ready()
        balancer = Balancer(installation.public, running)
        processes = [node.process.pid for node in running]
        admin = [("127.0.0.1", node.admin) for node in running]
        warm = growth_http.Stream(admin, live(installation, 2_000), 16, check=is_logged_in)
        growth_http.run(warm)
        meter, requests = Meter(installation.engine, *processes), int(warm.per_second * effort.node_seconds)
        stream = growth_http.Stream(admin, live(installation, requests), 16, check=is_logged_in)
        growth_http.run(stream)
        report_nodes(report, "getSession", requests, stream.per_second, meter)
        node_pings(installation, report, effort, device, running, processes)
        node_logins(installation, report, effort, running, processes)
    finally:
        if balancer:
            balancer.stop()
        for node in running:
            node.stop()
        installation.end("second-factor")


def node_pings(installation, report, effort, device, running, processes):
    maker, now = pings_of(installation, device), int(time.time())
    count = min(effort.node_pings, installation.sessions)
    expected = check_ping(installation, maker)
    made = [maker.request(1 + number, now + 1) for number in range(count)]
    stream = growth_http.Stream([("127.0.0.1", node.public) for node in running], made, 16, check=lambda body: len(body) == expected)
    meter = Meter(installation.engine, *processes)
    growth_http.run(stream)
    report_nodes(report, "ping", count, stream.per_second, meter)


def node_logins(installation, report, effort, running, processes):
    phones, admins = installation.phones[:effort.phones], itertools.cycle([node.admin for node in running])

    def log_in_all(count):
        """So many logins, shared among the phones, each of which makes its own one after the other; how many it were."""
        def log_in_often(phone):
            for _ in range(count // len(phones)):
                installation.log_in(phone, next(admins))

        with concurrent.futures.ThreadPoolExecutor(len(phones)) as pool:
            list(pool.map(log_in_often, phones))
        return count // len(phones) * len(phones)

    # Each node has connections of its own to get warm.
    log_in_all(effort.warm_logins * len(running))
    meter, begun = Meter(installation.engine, *processes), time.monotonic()
    count = log_in_all(effort.node_logins)
    report_nodes(report, "login", count, count / (time.monotonic() - begun), meter,
                 f"{len(phones)} phones as processes, whose PIN's hash takes most of the machine; the database is that of both servers")


def report_nodes(report, name, count, per_second, meter, note=None):
    used, database, _ = meter.seconds()
    served = sum(used)
    report.add(f"nodes.{name}.perSecond", per_second, "1/s", note)
    report.add(f"nodes.{name}.perNodeSecond", count / served, "1/s")
    report.add(f"nodes.{name}.perDatabaseSecond", count / database, "1/s")
    report.add(f"nodes.{name}.databaseShare", database / (served + database))
    report.add(f"nodes.{name}.nodesForOneDatabaseCore", served / database)
    report.add(f"nodes.{name}.askingShare", meter.own_share())
