"""What `make growth` measured (Benchmarks/figures/growth.json; Benchmarks/README.md says what each quantity means), for whoever draws it or reckons with it;
and what was counted of an operation (Benchmarks/figures/instructions.json, which `Benchmarks/check` holds to what is so).

A figure that is asked for and is not there ends the run with its name: nobody draws or reckons with half a run.
"""

import json
import pathlib
import statistics
from collections import Counter, defaultdict
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE = ROOT / "Benchmarks" / "figures" / "growth.json"
COUNTED = ROOT / "Benchmarks" / "figures" / "instructions.json"
ENGINES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


class Missing(Exception):
    """A figure that was asked for and was not measured."""


class Measurement(NamedTuple):
    engine: str
    accounts: int
    sessions: int
    nodes: int
    quantity: str
    value: float
    unit: str
    # What each round found, in their order: `value` is their median. Of what is measured once there is one.
    rounds: tuple = ()


class Figures:
    def __init__(self, document, counted=None):
        """`counted`: what operations are made of, by their names; none where nobody reckons with it."""
        self.counted = counted or {}
        try:
            self.machine = document["machine"]
            self.all = [self.measurement(each) for each in document["measurements"]]
        except (KeyError, TypeError) as error:
            raise Missing(f"the file of figures is not of the form that Benchmarks/README.md tells: {error!r}") from None
        for each in self.all:
            for value in (each.value, *each.rounds):
                if not isinstance(value, (int, float)) or isinstance(value, bool) or value < 0:
                    raise Missing(f"{each.quantity} is no number that can be: {value!r}")

    @staticmethod
    def measurement(row):
        needed = [row[field] for field in Measurement._fields if field != "rounds"]
        return Measurement(*needed, tuple(row.get("rounds") or [row["value"]]))

    @classmethod
    def read(cls, path=FILE):
        def content(file, maker):
            try:
                return json.loads(pathlib.Path(file).read_text())
            except FileNotFoundError:
                raise Missing(f"{file} is not there: `{maker}` writes it") from None
            except ValueError as error:
                raise Missing(f"{file} is no JSON: {error}") from None

        counted = content(COUNTED, "make bench-check ARGS=--accept")
        return cls(content(path, "make growth"), counted.get("release", {}).get("operations"))

    def count(self, operation, part):
        """How many of a part an operation has, at both servers together, on SQLite."""
        try:
            return self.counted[operation][part]
        except KeyError:
            raise Missing(f"“{part}” of “{operation}” was not counted") from None

    def fact(self, name):
        """Of the machine that measured."""
        if not self.machine.get(name):
            raise Missing(f"of the machine “{name}” is missing")
        return self.machine[name]

    def day(self, part):
        """On which a part was measured."""
        return self.machine.get("dates", {}).get(part, self.fact("date"))[:10]

    def of(self, quantity, **where):
        """All measurements of a quantity, with these values of engine, accounts, sessions or nodes."""
        return [each for each in self.all if each.quantity == quantity and all(getattr(each, name) == value for name, value in where.items())]

    def known(self, quantity, **where):
        """The same, of which there must be one."""
        found = self.of(quantity, **where)
        if not found:
            raise Missing(f"{quantity} is missing" + "".join(f", {name} {value}" for name, value in where.items()))
        return found

    def along(self, quantity, along, **where):
        """Measurements at different sizes in the column `along`. Of the other sizes those are taken at which most was measured, the largest of these."""
        found = self.known(quantity, **where)
        others = [name for name in ("accounts", "sessions", "nodes") if name != along]

        def kept(each):
            return tuple(getattr(each, name) for name in others)

        points = {(kept(each), getattr(each, along)) for each in found}
        most = max(Counter(size for size, _ in points).items(), key=lambda item: (item[1], item[0]))[0]
        return [each for each in found if kept(each) == most]

    def series(self, quantity, along, **where):
        """Medians by what stands in the column `along`, from the smallest on; of the other sizes as `along` says."""
        values = defaultdict(list)
        for each in self.along(quantity, along, **where):
            values[getattr(each, along)].append(each.value)
        return [(place, statistics.median(values[place])) for place in sorted(values)]

    def rounds(self, quantity, along, **where):
        """Likewise, what each round found by itself: accounts or sessions beside it, and by each size."""
        other = {"accounts": "sessions", "sessions": "accounts"}[along]
        found = self.along(quantity, along, **where)
        values = defaultdict(list)
        for each in found:
            values[getattr(each, along)] += each.rounds
        return getattr(found[0], other), dict(values)

    def path(self, quantity, along, **where):
        """Medians by what stands in the column `along`, whatever the other sizes were: for what is measured once at each."""
        values = defaultdict(list)
        for each in self.known(quantity, **where):
            values[getattr(each, along)].append(each.value)
        return [(place, statistics.median(values[place])) for place in sorted(values)]

    def last(self, quantity, **where):
        """The median at the largest size that was measured."""
        found = self.known(quantity, **where)
        largest = max((each.accounts, each.sessions, each.nodes) for each in found)
        return statistics.median(each.value for each in found if (each.accounts, each.sessions, each.nodes) == largest)

    def most(self, column, quantity, **where):
        """The largest number of accounts, sessions or nodes at which it was measured."""
        return max(getattr(each, column) for each in self.known(quantity, **where))
