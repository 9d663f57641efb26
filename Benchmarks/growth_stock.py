"""The databases of all sizes of an engine, on disk at once, so that one can be asked after the other, over and over.

Each has a folder of its own, with both servers' keys: the smallest is made by the servers and filled, a larger one is a copy of a smaller one to which accounts
are added, and each has sessions of its own. `filled.json` says what is in a folder, and is written when all of it is. Where folders are kept (`--keep`), a
later run takes them, and makes their sessions anew: those of before run out after a day.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import time

import growth_engines
import growth_rows
from growth_servers import Installation

MARK = "filled.json"
# Kept ones are filled afresh when their caches of PINs are about to run out, all at once.
GOOD_FOR = 20 * growth_rows.A_DAY
# Of a database: bytes of an account at the dearer engine, of a live session, and of whatever is there in any case. For the question whether there is room.
ROOM = (2_700, 1_100, 120 * 2**20)
# Beyond that, of an account whose row is made longer and shorter again, mostly the log (max_wal_size in growth_engines.py).
REPACKING = 5_500


def room(points):
    """Bytes that folders of these points take."""
    return sum(accounts * ROOM[0] + sessions * ROOM[1] + ROOM[2] for accounts, sessions in points)


def of_rows():
    """What a folder has to be filled by to be taken again."""
    return hashlib.sha256(b"".join(pathlib.Path(module.__file__).read_bytes() for module in (growth_rows, growth_engines))).hexdigest()[:16]


class Stock:
    def __init__(self, root, kind, binary, device_key, report, progress):
        """`kind`: a class of growth_engines; `progress.begin` is told what is begun."""
        self.folder, self.kind, self.binary, self.device_key = root / kind.name, kind, binary, device_key
        self.report, self.progress = report, progress
        self.open, self.fresh = {}, set()
        self.folder.mkdir(parents=True, exist_ok=True)
        for folder in (root, self.folder):
            # PostgreSQL may be another user.
            folder.chmod(0o711)

    def place(self, point):
        return self.folder / f"{point[0]}-{point[1]}"

    def filled(self, point):
        """What is in a point's folder, or None where there is none that is of use."""
        try:
            told = json.loads((self.place(point) / MARK).read_text())
        except (OSError, ValueError):
            return None
        is_good = told["rows"] == of_rows() and told["deviceKey"] == self.device_key.hex() and 0 <= time.time() - told["at"] < GOOD_FOR
        return told if is_good else None

    def missing(self, points):
        return [point for point in points if not self.filled(point)]

    def fill(self, points):
        """All that are not there. What one more account or session costs is weighed while it is added: there is no better account of it."""
        for point in self.missing(points):
            self.progress.begin(f"{self.kind.name}: a database of {point[0]:,} accounts, {point[1]:,} sessions",
                                self.seconds_of_filling(point, points))
            shutil.rmtree(self.place(point), ignore_errors=True)
            self.make(point, self.source(point))
            self.fresh.add(point)
        for point in points:
            self.report.begin(self.kind.name, *point)
            for quantity, value in self.filled(point)["weighed"].items():
                self.report.add(quantity, value, "B")
        # So that the disk is not busy with them later.
        os.sync()

    def source(self, point):
        """The fullest that is there and has no more accounts, with the fewest sessions; or None."""
        there = [tuple(map(int, mark.parent.name.split("-"))) for mark in self.folder.glob(f"*[0-9]-*[0-9]/{MARK}")]
        there = [other for other in there if other[0] <= point[0] and self.filled(other)]
        return max(there, key=lambda other: (other[0], -other[1]), default=None)

    def seconds_of_filling(self, point, points):
        """Roughly, for the estimate, as if those of `points` before this one were there."""
        before = [other[0] for other in points[:points.index(point)]]
        return 8 + (point[0] - max(before, default=0)) * 0.0002 + (point[0] * 0.00001 if before else 0) + point[1] * 0.0001

    def make(self, point, source):
        accounts, sessions = point
        folder, told = self.place(point), self.filled(source) if source else None
        if told:
            # With owners and times; where the file system can, without the bytes. Half of a copy is never taken for a folder.
            draft = folder.with_suffix(".part")
            shutil.rmtree(draft, ignore_errors=True)
            subprocess.run(["cp", "-a", "--reflink=auto", self.place(source), draft], check=True)
            (draft / MARK).unlink()
            draft.rename(folder)
        else:
            folder.mkdir()
        weighed = dict(told["weighed"]) if told else {}
        weighed.pop("session.serveBytes", None)
        with self.running(folder, phones=0 if told else 1, fills=True) as installation:
            installation.accounts = told["accounts"] if told else 0
            if not told and self.kind.name == "sqlite":
                installation.compare_rows()
            # Those of the smaller size are taken off, so that the larger is of its own.
            installation.fill_sessions(0, anew=True)
            if accounts > installation.accounts:
                weighed.update(self.weigh_accounts(installation, accounts))
            weighed.update(self.weigh_sessions(installation, sessions))
        content = {"accounts": accounts, "sessions": sessions, "rows": of_rows(), "deviceKey": self.device_key.hex(), "at": int(time.time()),
                   "weighed": weighed}
        (folder / MARK).write_text(json.dumps(content, indent=1) + "\n")

    @staticmethod
    def weigh_accounts(installation, accounts):
        engine, added = installation.engine, accounts - installation.accounts
        before = [engine.bytes(server) for server in ("serve", "second-factor")]
        installation.fill_accounts(accounts)
        grown = [engine.bytes(server) - bytes for server, bytes in zip(("serve", "second-factor"), before)]
        audit = installation.audit_bytes
        return {"account.serveBytes": (grown[0] - audit) / added, "account.secondFactorBytes": grown[1] / added, "audit.lineBytes": audit / added / 4}

    @staticmethod
    def weigh_sessions(installation, sessions):
        before = installation.engine.bytes("serve")
        installation.fill_sessions(sessions)
        grown = installation.engine.bytes("serve") - before
        # Of a few the pages are too large a measure.
        return {"session.serveBytes": grown / sessions} if sessions >= 900 else {}

    @contextlib.contextmanager
    def running(self, folder, phones, fills=False):
        """An installation of a folder, whose engine runs for as long."""
        with contextlib.ExitStack() as ends:
            engine = self.kind(folder, fills)
            ends.callback(engine.stop)
            machine = self.report.content["machine"]
            machine["engines"] = sorted({*machine.get("engines", []), engine.version})
            installation = Installation(self.binary, folder, engine, self.device_key, phones)
            ends.callback(installation.stop)
            yield installation

    def opened(self, point, phones):
        """The installation of a point, its engine running; the same when asked again, until `close`."""
        if point not in self.open:
            told = self.filled(point)
            for home in self.place(point).glob("phone-*"):
                shutil.rmtree(home) if home.is_dir() else home.unlink()
            entered = contextlib.ExitStack()
            installation = entered.enter_context(self.running(self.place(point), phones))
            self.open[point] = (installation, entered)
            installation.accounts, installation.sessions = told["accounts"], told["sessions"]
            if point not in self.fresh:
                installation.fill_sessions(point[1], anew=True)
        return self.open[point][0]

    def give_up(self, point):
        """What is done next with an open one leaves it as no other is: a later run fills it afresh."""
        (self.place(point) / MARK).unlink()

    def close(self):
        """Whatever happens with one of them, the others are ended as well."""
        with contextlib.ExitStack() as all_of_them:
            for _, entered in self.open.values():
                all_of_them.push(entered)
            self.open = {}


@contextlib.contextmanager
def alone(folder):
    """Two runs in one kept folder would measure each other."""
    with open(folder / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise SystemExit(f"growth: another run has {folder}") from None
        yield
