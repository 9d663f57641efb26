"""Instructions of both servers for a getSession and for a login, counted under emulation as `make bench` counts them (Sources/CEmulatorCounts).

The machine that measures may have no counter of them (a virtual one mostly has none), and processor time is of a busy or a quiet minute; the same work gives
nearly the same count at any time, so few of each are enough. What is counted is user space of the servers: SQLite is in it, PostgreSQL is not, nor the kernel.
"""

import counting
import growth_http
import growth_parts

SLICES = 3


def instructions(counts):
    """Of all threads until now."""
    return counting.sums(counts)[counting.WORDS.index("instructions")]


class Counter:
    """Instructions of some servers for one of what was done since it was made."""

    def __init__(self, files):
        self.files, self.before = files, {name: instructions(file) for name, file in files.items()}

    def each_of(self, count):
        return {name: (instructions(file) - self.before[name]) / count for name, file in self.files.items()}


def measure(installation, effort, emulator):
    """By quantity, what each slice found. Both servers are stopped before, and afterwards."""
    files = {command: installation.folder / f"{command}.counts" for command in ("second-factor", "serve")}
    installation.runners = {command: emulator.running(file) for command, file in files.items()}
    found = {"getSession.serverInstructions": [], "login.serveInstructions": [], "login.secondFactorInstructions": []}
    try:
        installation.run()
        # The first of all makes what is made once.
        ask(installation, effort, 0)
        log_in(installation, 2)
        for slice in range(SLICES):
            counter = Counter({"serve": files["serve"]})
            ask(installation, effort, slice + 1)
            found["getSession.serverInstructions"].append(counter.each_of(effort.counted_requests)["serve"])
        for _ in range(SLICES):
            counter = Counter(files)
            log_in(installation, effort.counted_logins)
            for command, value in counter.each_of(effort.counted_logins).items():
                found[f"login.{growth_parts.LETTERS[command]}Instructions"].append(value)
        return found
    finally:
        installation.halt()
        installation.runners = {}
        for file in files.values():
            file.unlink(missing_ok=True)


def ask(installation, effort, slice):
    requests = growth_parts.live(installation, effort.counted_requests, first=slice * effort.counted_requests)
    growth_http.run(growth_http.Stream([installation.admin_address], requests, connections=1, check=growth_parts.is_logged_in))


def log_in(installation, count):
    for _ in range(count):
        installation.log_in(installation.phones[0])
