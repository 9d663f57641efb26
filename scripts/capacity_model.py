"""What machines so many people need: the model behind Models/capacity, over what `make growth` measured.

What an operation costs comes from the figures. What was counted by tests, or is reckoned from something else, stands in `Assumed` with its reason, and is told
with each answer; so is everything that lies beyond what was measured.
"""

import math
from typing import NamedTuple

from growth_figures import Missing

DAY, KIB, MIB, GIB = 86_400, 1 << 10, 1 << 20, 1 << 30
OPERATIONS = ("getSession", "ping", "login")


class Demand(NamedTuple):
    """What people do. Each field is an option of Models/capacity, with the reason of its value."""
    people: float = 10_000_000
    phones: float = 1.2
    logins: float = 2.0
    busiest: float = 0.2
    burst: float = 1.5
    live: float = 0.1
    asked: float = 1 / 30
    ping_time: float = 300
    watching: float = 0.1
    pages: float = 0.8
    codes: float = 0.3
    refreshed: float = 0.3
    audit_days: float = 400


class Machines(NamedTuple):
    """What it is to run on, likewise."""
    node_cores: int = 8
    database_cores: int = 32
    second_factor_cores: int = 16
    fill: float = 0.5
    flushes: float = 5_000
    together: float = 4
    checkpoint: float = 900
    connections: int = 20_000


class Assumed(NamedTuple):
    value: float
    reason: str


# What the figures do not have.
ASSUMED = {
    "page": Assumed(3, "a login page (opened, claimed by its browser, handed in) is reckoned as three pings on top of the login: three short transactions that "
                       "write, and signatures of ours"),
    "code": Assumed(3, "an OAuth code with its exchange is reckoned as three pings: two commits, and the signing of tokens"),
    "refresh": Assumed(1, "a refresh is reckoned as one ping: a commit of a few rows"),
    "commits of a login": Assumed(4, "the link, the number and its settlement, the login; counted by `StatementCountTests` and `WrittenPageTests`. What both "
                                     "servers commit beyond these is the second factor's, and was counted (`Benchmarks/figures/instructions.json`)"),
    "pages of a login": Assumed(33, "pages that a login writes at both servers, 25 and 8; counted by `WrittenPageTests` and `CallCostTests`, on SQLite"),
    "pages of a ping": Assumed(7, "the row of the session and its entries in six indexes, since the end that moves is in one of them"),
    "bytes of a page": Assumed(8 * KIB, "the first change of a page after a checkpoint brings the whole page into PostgreSQL's log"),
    "bytes of a change": Assumed(200, "every other change of a page is about as large as its row"),
    "days of a session that is over": Assumed(1, "for which it stays in its table (`Retention`), so that late phones are told what became of it"),
    "lines of a login": Assumed(2, "`loginAccepted` and, of a page, `loginReturned`"),
    "memory of a connection": Assumed(49 * KIB, "of a phone that waits; operations.md, measured on a debug build"),
    "connections of a node": Assumed(17, "to the database: 16 and one for news"),
    "memory of a database connection": Assumed(12 * MIB, "a process of PostgreSQL with its prepared statements"),
    "bytes of getSession": Assumed(1.5 * KIB, "question and answer, with heads"),
    "bytes of a ping": Assumed(1.5 * KIB, "likewise"),
    "bytes of a login": Assumed(40 * KIB, "2 KiB of the phone, and a page of 30,000 bytes at most with its events"),
    "bytes of a statement": Assumed(600, "there and back, between a node and the database; a login has 26"),
}


def assumed(name):
    return ASSUMED[name].value


class Costs(NamedTuple):
    """Seconds of the processor for one operation, by kind, of the nodes and of the database; and bytes."""
    nodes: dict
    database: dict
    second_factor: float
    # Of a login, at the second-factor server. Each waits there where its database is PostgreSQL (decisions 0062, 0067).
    second_factor_commits: float
    account: float
    second_factor_account: float
    session: float
    # Of a line of the audit trail.
    line: float
    node_memory: float
    # Sessions that housekeeping ended, a second.
    ended: float
    # The largest that was measured.
    accounts: int
    sessions: int
    node_count: int
    per_second: dict
    # How much dearer an operation gets with each ten times as many accounts, at least 1.
    decade: float


def costs(figures, people_accounts):
    """What the figures say, at the dearest number of nodes, and for so many accounts as there are to be."""
    where = {"engine": "postgresql"}
    sizes = figures.series("getSession.databaseMicroseconds", "accounts", **where)
    most = sizes[-1][0]
    decade = 1.0
    for quantity in ("getSession.databaseMicroseconds", "login.databaseMilliseconds", "getSession.serverMicroseconds", "login.serveMilliseconds"):
        points = figures.series(quantity, "accounts", **where)
        (few, first), (many, last) = points[0], points[-1]
        if few < many and first > 0:
            decade = max(decade, (last / first) ** (1 / math.log10(many / few)))
    measured_at = figures.most("accounts", "nodes.getSession.perNodeSecond", **where)
    dearer = decade ** max(0.0, math.log10(max(people_accounts, 1) / measured_at))

    def dearest(operation, quantity):
        return max(1 / value for _, value in figures.path(f"nodes.{operation}.{quantity}", "nodes", **where)) * dearer

    return Costs(
        {operation: dearest(operation, "perNodeSecond") for operation in OPERATIONS},
        {operation: dearest(operation, "perDatabaseSecond") for operation in OPERATIONS},
        figures.last("login.secondFactorMilliseconds", **where) / 1e3 * dearer,
        round(figures.count("QR login with PIN", "commits")) - assumed("commits of a login"),
        figures.last("account.serveBytes", **where), figures.last("account.secondFactorBytes", **where),
        figures.last("session.serveBytes", **where), figures.last("audit.lineBytes", **where),
        figures.last("memory.serve.privateAfterMiB", **where) * MIB,
        figures.last("housekeeping.due", **where) / figures.last("housekeeping.endedSeconds", **where) / dearer,
        most, figures.most("sessions", "session.serveBytes", **where), figures.most("nodes", "nodes.getSession.perNodeSecond", **where),
        {operation: max(value for _, value in figures.path(f"nodes.{operation}.perSecond", "nodes", **where)) for operation in OPERATIONS}, decade)


class Need(NamedTuple):
    """What is asked in the busiest seconds, a second, and what it takes. Cores are those that are busy, without headroom."""
    accounts: float
    sessions: float
    rates: dict
    node_cores: float
    node_connections: float
    nodes: int
    second_factor_cores: float
    database_cores: float
    # Of these, the part of each kind of operation.
    database_parts: dict
    database_connections: float
    commits: float
    second_factor_commits: float
    log_bytes: float
    database_bytes: float
    second_factor_bytes: float
    audit_bytes: float
    network_bits: float
    database_network_bits: float
    node_memory: float
    database_memory: float
    # Of each part that cannot be made more: how full it is, 1 when no more is to be asked of it.
    full: dict
    costs: Costs


def asked(demand):
    """What comes in the busiest seconds, a second; and what of it costs as pings do."""
    sessions = demand.people * demand.live
    logins = demand.people * demand.logins * demand.busiest / 3600 * demand.burst
    # Phones ping twice in pingTime; whose app is in front, as soon as the one before is answered.
    pings = sessions * (demand.watching / min(25.0, demand.ping_time / 2) + (1 - demand.watching) / (demand.ping_time / 2))
    rates = {
        "logins": logins, "login pages": logins * demand.pages, "pings": pings, "getSession": sessions * demand.asked,
        "OAuth codes": logins * demand.codes, "OAuth refreshes": sessions * demand.refreshed / 600,
    }
    like_pings = pings + rates["login pages"] * assumed("page") + rates["OAuth codes"] * assumed("code") + rates["OAuth refreshes"] * assumed("refresh")
    return rates, like_pings


def log_rate(logins, like_pings, rows, checkpoint):
    """Bytes a second of PostgreSQL's log, at most. A page is logged whole once between two checkpoints, however often it changes."""
    touched = logins * assumed("pages of a login") + like_pings * assumed("pages of a ping")
    return min(touched * assumed("bytes of a page"), rows / checkpoint) + touched * assumed("bytes of a change")


def fullness(demand, machines, cost, cores, commits, logins):
    """Of each part of an installation of which there is one: how full it is, 1 when no more is to be asked of it."""
    flushed = machines.flushes * machines.together
    return {
        "processor of PostgreSQL": cores / (machines.database_cores * machines.fill),
        "commits of PostgreSQL": commits / flushed,
        "processor of the second-factor server": logins * cost.second_factor / (machines.second_factor_cores * machines.fill),
        "commits of the second-factor server": logins * cost.second_factor_commits / flushed,
        # By the mean of a day: what ended late in the busiest hour only stays in its table for longer.
        "housekeeping, of one node at a time": demand.people * demand.logins / DAY / cost.ended,
    }


def need(figures, demand, machines):
    accounts, sessions = demand.people * demand.phones, demand.people * demand.live
    cost = costs(figures, accounts)
    rates, like_pings = asked(demand)
    logins = rates["logins"]
    times = {"getSession": rates["getSession"], "ping": like_pings, "login": logins}
    node_cores, database_cores = (sum(times[operation] * of[operation] for operation in OPERATIONS) for of in (cost.nodes, cost.database))
    waiting = sessions * demand.watching
    # One node more, so that one may go.
    nodes = 1 + math.ceil(max(node_cores / (machines.node_cores * machines.fill), waiting / (machines.connections * machines.fill), 1))
    connections = nodes * assumed("connections of a node")
    commits = logins * assumed("commits of a login") + like_pings
    in_a_day = demand.people * demand.logins
    rows = accounts * cost.account + (sessions + in_a_day * assumed("days of a session that is over")) * cost.session
    return Need(
        accounts=accounts, sessions=sessions, rates=rates, node_cores=node_cores, node_connections=waiting, nodes=nodes,
        second_factor_cores=logins * cost.second_factor, database_cores=database_cores,
        database_parts={operation: times[operation] * cost.database[operation] / database_cores for operation in OPERATIONS},
        database_connections=connections, commits=commits, second_factor_commits=logins * cost.second_factor_commits,
        log_bytes=log_rate(logins, like_pings, rows, machines.checkpoint),
        database_bytes=rows, second_factor_bytes=accounts * cost.second_factor_account,
        audit_bytes=in_a_day * assumed("lines of a login") * demand.audit_days * cost.line,
        network_bits=8 * (
            rates["getSession"] * assumed("bytes of getSession") + like_pings * assumed("bytes of a ping") + logins * assumed("bytes of a login")),
        database_network_bits=8 * (logins * 26 + like_pings * 3 + rates["getSession"]) * assumed("bytes of a statement"),
        node_memory=cost.node_memory + waiting / nodes * assumed("memory of a connection"),
        database_memory=rows + connections * assumed("memory of a database connection"),
        full=fullness(demand, machines, cost, database_cores, commits, logins), costs=cost)


def first_full(found):
    """The part that is full first, with how full it is."""
    return max(found.full.items(), key=lambda item: item[1])


def people_of_one(figures, demand, machines):
    """How many people, with the same habits, fill the first part of one installation: one PostgreSQL with one second-factor server."""
    low, high = 1.0, 1.0
    while first_full(need(figures, demand._replace(people=high), machines))[1] < 1:
        low, high = high, high * 2
        if high > 1e12:
            raise Missing("nothing is ever full: the figures cannot be right")
    while high - low > max(1.0, low * 1e-6):
        middle = (low + high) / 2
        low, high = (middle, high) if first_full(need(figures, demand._replace(people=middle), machines))[1] < 1 else (low, middle)
    return low


def verdict(figures, demand, machines):
    """What is full first, and how many installations that makes."""
    found = need(figures, demand, machines)
    part, share = first_full(found)
    most = people_of_one(figures, demand, machines)
    return part, share, most, max(1, math.ceil(demand.people / most))
