"""What the model of capacity found, as sentences and tables: for Models/capacity, and for docs/operations.md."""

import math

from capacity_model import DAY, GIB, KIB, MIB, Demand, Machines, need, verdict
from three_places import three_places


def beyond(found, demand, machines):
    """What lies beyond what was measured, in sentences."""
    cost, said = found.costs, []
    if found.accounts > cost.accounts:
        said.append(f"{number(found.accounts)} accounts: measured were {number(cost.accounts)}. An operation is taken to get {cost.decade:.2f} times as "
                    "dear with each ten times as many, as in what was measured.")
    if found.sessions > cost.sessions:
        said.append(f"{number(found.sessions)} live sessions: measured were {number(cost.sessions)}.")
    if found.nodes > cost.node_count:
        said.append(f"{found.nodes} nodes: measured were {cost.node_count}.")
    for operation, rate in (("getSession", found.rates["getSession"]), ("ping", found.rates["pings"]), ("login", found.rates["logins"])):
        if rate > cost.per_second[operation]:
            said.append(f"{number(rate)} a second of {operation}: measured were {number(cost.per_second[operation])}, when the measuring machine was full.")
    said.append(f"That PostgreSQL does on {machines.database_cores} cores as many times as much as on one. Writers that meet begin anew, and many at once meet "
                "more often; what that costs is in the figures only as far as it happened there.")
    said.append("That the second-factor server, one process, uses all cores of its machine alike. Nobody has measured it beyond those of the measuring "
                "machine.")
    said.append(f"That the disk of a database flushes {number(machines.flushes)} times a second, and that {machines.together:g} commits share a flush. "
                "`pg_test_fsync` says the former of a disk.")
    return said


def number(value):
    """To three places, with a sign for thousands, millions and so on."""
    return three_places(value, ((1e9, " billion"), (1e6, " million")), ",.10g")


def size(value):
    return three_places(value, ((1 << 40, " TiB"), (GIB, " GiB"), (MIB, " MiB"), (KIB, " KiB"))) if value >= KIB else f"{value:.0f} B"


def bits(value):
    return f"{number(value / 1e9)} Gbit/s" if value >= 1e9 else f"{number(value / 1e6)} Mbit/s"


# What the database is busy with.
PARTS = {"getSession": "getSession", "ping": "pings and what is reckoned as such", "login": "logins, with their second factor's database"}


def machines_needed(found, machines):
    """Rows of the answer: what, how much, and how that comes."""
    sf_cores = max(2, math.ceil(found.second_factor_cores / machines.fill))
    log_flushes = found.commits / machines.together
    parts = ", ".join(f"{found.database_parts[operation]:.0%} of it by {words}" for operation, words in PARTS.items())
    return [
        ("authentication nodes", f"{found.nodes} with {machines.node_cores} cores", f"{number(found.node_cores)} cores busy; connections of "
         f"{number(found.node_connections)} phones that wait; one node more than that"),
        ("… memory of each", size(found.node_memory), "its own, and of its connections"),
        ("second-factor server", f"1 with {sf_cores} cores", f"{number(found.second_factor_cores)} cores busy, {number(found.second_factor_commits)} "
         f"commits/s ({number(found.costs.second_factor_commits)} a login, as counted), {size(found.second_factor_bytes)} of disk; a standby beside it"),
        ("PostgreSQL", f"{math.ceil(found.database_cores / machines.fill)} cores", f"{number(found.database_cores)} cores busy: {parts}; a standby beside it"),
        ("… commits", f"{number(found.commits)}/s", f"{number(log_flushes)} flushes/s of its disk, {machines.together:g} commits in each"),
        ("… log (WAL)", f"{size(found.log_bytes)}/s", f"at most, and {size(found.log_bytes * DAY / 3)} a day if the busiest seconds were eight hours; "
         f"a checkpoint each {machines.checkpoint / 60:g} minutes"),
        ("… disk", size(found.database_bytes + found.audit_bytes),
         f"{size(found.database_bytes)} accounts and sessions, {size(found.audit_bytes)} audit trail"),
        ("… memory", size(found.database_memory), "all rows but the audit trail, and its connections"),
        ("… connections", number(found.database_connections), "16 and one of each node"),
        ("network", bits(found.network_bits), "phones, pages and backends, without TLS"),
        ("… to the database", bits(found.database_network_bits), "all nodes"),
    ]


def asked_for(found):
    return [(name, f"{number(rate)}/s") for name, rate in found.rates.items()]


def sentences(figures, demand, machines):
    part, share, most, installations = verdict(figures, demand, machines)
    said = [f"Full first is: {part}, at {number(most)} people in one installation (one PostgreSQL of {machines.database_cores} cores, one second-factor "
            f"server of {machines.second_factor_cores}), filled to {machines.fill:.0%}."]
    if installations == 1:
        said.append(f"{number(demand.people)} people fill it to {share:.0%} of that: one installation is enough.")
    else:
        said.append(f"{number(demand.people)} people are {share:.1f} times that: {installations} installations, with "
                    f"{number(demand.people / installations)} people each.")
    return said


def told_as_markdown(figures):
    """What operations.md says, for the demand and the machines that nobody changed."""
    demand, machines = Demand(), Machines()
    found = need(figures, demand, machines)
    lines = [f"For {number(demand.people)} people with {demand.logins:g} logins a day, {demand.busiest:.0%} of them in the busiest hour, and {demand.live:.0%} of "
             "all logged in at that time:", ""]
    lines += ["| asked for in the busiest seconds | |", "|---|--:|"] + [f"| {name} | {rate} |" for name, rate in asked_for(found)] + [""]
    lines += ["| needed | | how that comes |", "|---|--:|---|"] + [f"| {' | '.join(row)} |" for row in machines_needed(found, machines)] + [""]
    lines += ["| how full one installation is | with these people |", "|---|--:|"]
    lines += [f"| {part} | {share:.0%} |" for part, share in sorted(found.full.items(), key=lambda item: -item[1])] + [""]
    lines += [f"**{sentence}**" if n == 0 else sentence for n, sentence in enumerate(sentences(figures, demand, machines))] + [""]
    lines += ["Beyond what was measured:", ""] + [f"* {sentence}" for sentence in beyond(found, demand, machines)]
    return "\n".join(lines) + "\n"
