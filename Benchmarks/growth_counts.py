"""Instructions of both servers for a getSession and for a login, counted under emulation as `make bench` counts them (Sources/CEmulatorCounts).

The machine that measures may have no counter of them (a virtual one mostly has none), and processor time is of a busy or a quiet minute; the same work gives
nearly the same count at any time, so few of each are enough. What is counted is user space of the servers: SQLite is in it, PostgreSQL is not, nor the kernel.

A getSession is counted in two ways, and each has a name of its own: the first of a login since the start, which on SQLite is read from the file and kept in
memory, and one of a login that was asked for before.
"""

import counting
import growth_http
import growth_parts

SLICES = 3
FIRST, AGAIN = "getSession.firstReadInstructions", "getSession.askedAgainInstructions"


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
    found = {"login.serveInstructions": [], "login.secondFactorInstructions": []}
    try:
        installation.run()
        for quantity, requests in questions(installation, effort.counted_requests):
            counter = Counter({"serve": files["serve"]})
            growth_http.run(growth_http.Stream([installation.admin_address], requests, connections=1, check=growth_parts.is_logged_in))
            if quantity:
                found.setdefault(quantity, []).append(counter.each_of(effort.counted_requests)["serve"])
        # The first of all makes what is made once.
        log_in(installation, 2)
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


def questions(installation, count):
    """What is asked, slice by slice: the quantity that a slice is counted for, or None, and as many requests. The first of all makes what is made once.

    Where there are fewer sessions than first reads take, none are counted.
    """
    def of_slice(slice):
        return growth_parts.live(installation, count, first=slice * count)

    yield None, of_slice(0)
    if installation.sessions >= (SLICES + 1) * count:
        for slice in range(SLICES):
            yield FIRST, of_slice(slice + 1)
    for _ in range(SLICES):
        yield AGAIN, of_slice(0)


def log_in(installation, count):
    for _ in range(count):
        installation.log_in(installation.phones[0])
