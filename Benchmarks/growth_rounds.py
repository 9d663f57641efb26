"""getSession, getServers and logins at all sizes of an engine, in short slices that go round them.

Both servers run on each size's database at once; those that are not asked cost nothing. A machine that gets slower or faster meanwhile does so for all sizes
alike, and every second round goes the other way round, so that none is always the first. What counts is the median of the rounds.
"""

import concurrent.futures
import itertools
import statistics

import growth_http
import growth_parts
from growth_servers import Meter

# Connections of a node to PostgreSQL, as they are when nobody says otherwise.
CONNECTIONS = 16


def in_turn(points, round):
    """The order of a round."""
    return list(points) if round % 2 == 0 else list(reversed(points))


def warm_logins(engine, effort):
    """How many there are before the first slice."""
    return effort.rounds_of_connections * (CONNECTIONS if engine == "postgresql" else 4)


def warm(installation, effort):
    """So that no slice pays for what comes once.

    Each live session is asked for once, since a page of the database that is touched for the first time has to be fetched; and at least so many are that each
    connection has met the statements more often than the five times after which PostgreSQL keeps a plan. As many questions at once as there are connections,
    so that all of these are there. Logins take the connection that was used last: between them many questions at once shuffle which that is, and of six
    times as many logins as there are connections each connection has met some six. SQLite has a connection for each core and prepares a statement once: for
    it a few are enough. All sizes of an engine are warmed alike.
    """
    ask_at_once(installation, max(effort.warm_requests, installation.sessions))
    with concurrent.futures.ThreadPoolExecutor(len(installation.phones)) as pool:
        for _ in range(max(1, warm_logins(installation.engine.name, effort) // len(installation.phones))):
            ask_at_once(installation, 4 * CONNECTIONS)
            list(pool.map(installation.log_in, installation.phones))


def ask_at_once(installation, count):
    growth_http.run(growth_http.Stream(
        [installation.admin_address], growth_parts.live(installation, count), CONNECTIONS, check=growth_parts.is_logged_in))


def get_session(installation, effort, round):
    # Round after round others of the sessions.
    requests = growth_parts.live(installation, effort.requests, first=round * effort.requests)
    stream = growth_http.Stream([installation.admin_address], requests, check=growth_parts.is_logged_in)
    return growth_parts.costs("getSession", "µs", growth_parts.metered(installation, stream))


def get_servers(installation, effort, round):
    requests = itertools.repeat(installation.get("/servers/"), effort.lists)
    return growth_parts.costs("getServers", "ms", growth_parts.metered(
        installation, growth_http.Stream([installation.admin_address], requests, connections=1)))


def logins(installation, effort, round):
    """One after the other, so alone and cold."""
    meter = Meter(installation.engine, installation.pid("serve"), installation.pid("second-factor"))
    for _ in range(effort.logins):
        installation.log_in(installation.phones[0])
    (serve, second_factor), database, _ = meter.seconds()
    used = {"serve": serve, "secondFactor": second_factor, "database": database}
    return {f"login.{name}Milliseconds": seconds / effort.logins * 1e3 for name, seconds in used.items() if seconds is not None}


SLICES = {"getSession": get_session, "getServers": get_servers, "logins": logins}


def measure(installations, effort, rounds, begun):
    """What each round found: by point and quantity, a value of each.

    `installations` by point, all running and warm; `begun` is told the number of each round that begins.
    """
    found = {point: {} for point in installations}
    for round in range(rounds):
        begun(round)
        for slice in SLICES.values():
            for point in in_turn(installations, round):
                for quantity, value in slice(installations[point], effort, round).items():
                    found[point].setdefault(quantity, []).append(value)
    return found


def add(report, found, unit):
    """Adds what rounds found of a point, by quantity: the median, and each."""
    for quantity, values in found.items():
        report.add(quantity, statistics.median(values), unit(quantity), rounds=values)


def unit(quantity):
    return "µs" if quantity.endswith("Microseconds") else "ms" if quantity.endswith("Milliseconds") else ""
