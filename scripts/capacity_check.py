"""Whether the model of capacity can be believed: what it makes of a sample that was reckoned by hand, whether each option and each measured figure counts, and
whether its answers hang together. For Models/capacity --check."""

from capacity_model import Demand, Machines, first_full, need, people_of_one, verdict
from growth_figures import Figures, Missing

# Figures of no machine, and easy to reckon with.
SAMPLE = {
    "nodes.getSession.perNodeSecond": {1: 10_000, 2: 5_000}, "nodes.getSession.perDatabaseSecond": {1: 10_000, 2: 20_000},
    "nodes.ping.perNodeSecond": {1: 1_000}, "nodes.ping.perDatabaseSecond": {1: 2_000}, "nodes.login.perNodeSecond": {1: 100},
    "nodes.login.perDatabaseSecond": {1: 200}, "nodes.getSession.perSecond": {1: 1}, "nodes.ping.perSecond": {1: 1}, "nodes.login.perSecond": {1: 1},
    "login.secondFactorMilliseconds": {1: 4}, "account.serveBytes": {1: 1_000}, "account.secondFactorBytes": {1: 500}, "session.serveBytes": {1: 400},
    "audit.lineBytes": {1: 100}, "memory.serve.privateAfterMiB": {1: 64}, "housekeeping.due": {1: 20_000}, "housekeeping.endedSeconds": {1: 10},
    "getSession.databaseMicroseconds": {1: 100}, "getSession.serverMicroseconds": {1: 200}, "login.databaseMilliseconds": {1: 5},
    "login.serveMilliseconds": {1: 10},
}
# Of a login at both servers: four of the first, two of the second.
SAMPLE_COUNTED = {"QR login with PIN": {"commits": 6}}
SAMPLE_DEMAND = Demand(
    people=1e6, phones=1, logins=1, busiest=0.36, burst=1, live=0.1, asked=0.01, ping_time=40, watching=0.5, pages=0.5, codes=0.5, refreshed=0.6, audit_days=10)
SAMPLE_MACHINES = Machines(
    node_cores=4, database_cores=10, second_factor_cores=2, fill=0.5, flushes=1_000, together=4, checkpoint=1_000, connections=20_000)
# 100 logins, 5,000 pings and 1,000 getSession a second; with 50 pages, 50 codes and 100 refreshes as many as 5,400 pings.
BY_HAND = {
    "accounts": 1e6, "sessions": 1e5, "node_cores": 0.2 + 5.4 + 1, "database_cores": 0.1 + 2.7 + 0.5, "second_factor_cores": 0.4, "node_connections": 50_000,
    "nodes": 6, "database_connections": 102, "commits": 5_800, "second_factor_commits": 200, "database_bytes": 1.44e9, "second_factor_bytes": 5e8,
    "audit_bytes": 2e9, "log_bytes": 1.44e6 + 41_100 * 200, "network_bits": 111_411_200, "database_network_bits": 95_040_000,
    "node_memory": 64 * 2**20 + 50_000 / 6 * 49 * 1024, "database_memory": 1.44e9 + 102 * 12 * 2**20,
}
FULL_BY_HAND = [0.66, 1.45, 0.4, 0.05, 1e6 / 86_400 / 2_000]


def sample(**more):
    rows = [
        {"engine": "postgresql", "accounts": 1_000_000, "sessions": 1_000, "nodes": nodes, "quantity": quantity, "value": value, "unit": ""}
        for quantity, values in SAMPLE.items() for nodes, value in values.items()
    ]
    rows += [{"engine": "postgresql", "accounts": 1_000, "sessions": 1_000, "nodes": 1, "quantity": quantity, "value": value, "unit": ""}
             for quantity, value in more.items()]
    return Figures({"machine": {}, "measurements": rows}, SAMPLE_COUNTED)


def differs(found, expected):
    return abs(found - expected) > 1e-6 * max(1, abs(expected))


def by_hand():
    found = need(sample(), SAMPLE_DEMAND, SAMPLE_MACHINES)
    for name, expected in BY_HAND.items():
        if differs(getattr(found, name), expected):
            yield f"of the sample {name} is {getattr(found, name)}, by hand {expected}"
    for (part, share), expected in zip(found.full.items(), FULL_BY_HAND, strict=True):
        if differs(share, expected):
            yield f"of the sample {part} is filled to {share}, by hand {expected}"
    if abs(people_of_one(sample(), SAMPLE_DEMAND, SAMPLE_MACHINES) - 1e6 / 1.45) > 10:
        yield "of the sample one installation bears another number of people than by hand"
    # Eight times as dear with a thousand times as many accounts is twice as dear with ten times as many; and with ten million twice what a million costs.
    few = {"getSession.databaseMicroseconds": 12.5, "getSession.serverMicroseconds": 200, "login.databaseMilliseconds": 5, "login.serveMilliseconds": 10}
    grown = sample(**few)
    larger = need(grown, SAMPLE_DEMAND._replace(people=1e7, live=0.01, logins=0.1), SAMPLE_MACHINES)
    if differs(larger.costs.decade, 2) or differs(larger.database_cores, 2 * BY_HAND["database_cores"]):
        yield f"what grows with accounts is carried on as {larger.costs.decade}, by hand 2"


def together(figures):
    """Whether answers grow with people and hang together."""
    machines, steps = Machines(), [10.0 ** power for power in range(3, 9)]
    needs = [need(figures, Demand(people=people), machines) for people in steps]
    for name in BY_HAND:
        values = [getattr(each, name) for each in needs]
        if name != "node_memory" and (values != sorted(values) or not values[-1] > values[0] >= 0):
            yield f"{name} does not grow with people: {values}"
    for people, each in zip(steps, needs):
        if abs(sum(each.database_parts.values()) - 1) > 1e-9 or min(each.rates.values()) <= 0:
            yield f"{people:.0f} people ask for {each.rates}, and PostgreSQL is busy with {each.database_parts}"
    for demand in (Demand(), Demand(people=1e6, logins=10, live=0.01), Demand(people=1e8, asked=1.0)):
        part, _, most, installations = verdict(figures, demand, machines)
        full = first_full(need(figures, demand._replace(people=most), machines))[1]
        if not 0.999 < full <= 1.0001:
            yield f"at {most:.0f} people, who are said to fill {part}, it is filled to {full:.4f}"
        if not (installations - 1) * most <= demand.people <= installations * most * 1.0001:
            yield f"{installations} installations of {most:.0f} people are said to be needed for {demand.people:.0f}"


def counting():
    """Whether each option and each figure counts: of the sample, where none is hidden behind another for long."""
    def answer(figures, demand, machines):
        return need(figures, demand, machines)._replace(costs=None)

    usual = answer(sample(), SAMPLE_DEMAND, SAMPLE_MACHINES)
    for kind, given in ((Demand, SAMPLE_DEMAND), (Machines, SAMPLE_MACHINES)):
        for name in kind._fields:
            other = given._replace(**{name: getattr(given, name) * 0.25})
            found = answer(sample(), *((other, SAMPLE_MACHINES) if kind is Demand else (SAMPLE_DEMAND, other)))
            if found == usual:
                yield f"{name} changes nothing"
    for quantity in SAMPLE:
        rows = [each._asdict() for each in sample().all]
        for row in rows:
            row["value"] *= 4 if row["quantity"] == quantity else 1
        # What was reached is only told, and one size says nothing of growth.
        if answer(Figures({"machine": {}, "measurements": rows}, SAMPLE_COUNTED), SAMPLE_DEMAND, SAMPLE_MACHINES) == usual and not quantity.endswith(TOLD):
            yield f"{quantity} changes nothing"
    more = sample()
    more.counted = {"QR login with PIN": {"commits": 7}}
    if answer(more, SAMPLE_DEMAND, SAMPLE_MACHINES).second_factor_commits != 1.5 * usual.second_factor_commits:
        yield "the commits of a login that were counted change nothing"


TOLD = (".perSecond", "getSession.databaseMicroseconds", "getSession.serverMicroseconds", "login.databaseMilliseconds", "login.serveMilliseconds")


def missed(figures):
    """Whether each figure is missed when it is not there: otherwise the answer would be made of less than it says."""
    for quantity in (*SAMPLE, "commits"):
        rest = [each._asdict() for each in figures.all if each.quantity != quantity]
        try:
            need(Figures({"machine": figures.machine, "measurements": rest}, None if quantity == "commits" else figures.counted), Demand(), Machines())
        except Missing:
            continue
        yield f"{quantity} is not missed"


def faults(figures):
    """What is wrong with model or figures, in sentences."""
    if figures.machine.get("quick"):
        yield "the figures are of a quick run, which is to show that all works, and too few of anything to reckon with"
    yield from by_hand()
    yield from counting()
    yield from together(figures)
    yield from missed(figures)
