"""Which sizes are measured, and how long all of it takes."""

NODES = (1, 2, 4)


def points_of(accounts, sessions):
    """Pairs of accounts and live sessions: each number of accounts with the same number of sessions, the most that all of them can have, since a person
    has few; and the most accounts with each number of sessions. The largest is the last."""
    beside = max(count for count in sessions if count <= accounts[0])
    return sorted({(count, beside) for count in accounts} | {(accounts[-1], count) for count in sessions if count <= accounts[-1]})


def points_of_part(part, points):
    """Of all sizes those at which a part is measured: each, or at the most accounts the one with the most sessions. Repacking, which leaves nothing as it was,
    comes last and at the one with the fewest."""
    if part in ("size", "idle", "instructions"):
        return points
    return [next(point for point in points if point[0] == points[-1][0])] if part == "repacking" else points[-1:]


class Plan:
    """Seconds, roughly, on two quiet cores; only for the estimate, which is corrected by how it goes."""

    IDLE, OPENED = 90, 6
    # A slice of each kind at one size.
    ROUND = 4.5
    PARTS = {"pings": 100, "nodes": 45, "housekeeping": 75, "instructions": 16, "repacking": 60, "coldstart": 20}
    # Of each row that is put back and repacked; and on PostgreSQL until the lease of a node that was killed is over.
    REPACKED, LEASE = 0.0006, {"postgresql": 90, "sqlite": 0}
    # Before the first slice (growth_rounds.warm).
    LOGINS = {"postgresql": 96, "sqlite": 24}
    QUICK = 0.2

    @classmethod
    def scale_down(cls):
        """For `--quick`."""
        cls.IDLE, cls.ROUND, cls.LOGINS = cls.IDLE * cls.QUICK, cls.ROUND * cls.QUICK, {engine: count / 6 for engine, count in cls.LOGINS.items()}
        cls.PARTS = {part: seconds * cls.QUICK for part, seconds in cls.PARTS.items()}

    @classmethod
    def seconds(cls, part, engine, point):
        if part == "repacking":
            return cls.PARTS[part] + point[0] * cls.REPACKED + cls.LEASE[engine]
        if part == "idle":
            return 3 + point[1] / 3_000
        if part != "size":
            return cls.PARTS[part]
        # Starts, each live session once, and logins by a few phones at once.
        return cls.OPENED + 5 + max(2_000, point[1]) / 3_000 + cls.LOGINS[engine] / 6

    @classmethod
    def total(cls, run, options):
        return sum(cls.of_engine(run, options, name) for name in options.engine)

    @classmethod
    def of_engine(cls, run, options, name):
        steps, stock = list(run.steps(name)), run.stock(name)
        if not steps:
            return 0
        seconds = sum(stock.seconds_of_filling(point, run.points) for point in stock.missing(run.points))
        seconds += sum(cls.seconds(part, name, point) for point, part, _ in steps)
        if any(part == "size" for _, part, _ in steps):
            seconds += options.rounds * cls.ROUND * len(run.points)
        seconds += cls.IDLE if any(part == "idle" for _, part, _ in steps) else 0
        return seconds

