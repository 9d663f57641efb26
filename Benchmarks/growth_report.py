"""What was measured: kept in a file after each part, and shown as a table for people."""

import datetime
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
import growth_verdicts  # noqa: E402
from growth_figures import Figures  # noqa: E402

# Bytes that must not be more with more accounts or sessions, and by how much they may differ between the smallest and the largest size.
CONSTANT = ["account.serveBytes", "account.secondFactorBytes", "session.serveBytes", "audit.lineBytes"]


def first_line(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return None


def signatures_per_second(algorithm):
    """By openssl, one thread, as a measure of the machine in this minute."""
    try:
        told = subprocess.run(["openssl", "speed", "-seconds", "1", algorithm], capture_output=True, text=True).stdout
    except OSError:
        return None
    found = re.findall(r"([\d.]+)\s+[\d.]+\s*$", told)
    return float(found[-1]) if found else None


def facts(binary):
    cores = os.cpu_count()
    model = next((line.split(":")[1].strip() for line in read("/proc/cpuinfo").splitlines() if line.startswith("model name")), platform.processor())
    memory = next((int(line.split()[1]) // 1024 for line in read("/proc/meminfo").splitlines() if line.startswith("MemTotal")), None)
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "model": model, "cores": cores, "memoryMiB": memory,
        "system": platform.platform(), "ostiary": first_line(binary, "--version"),
        "ed25519SignaturesPerSecond": signatures_per_second("ed25519"), "p256SignaturesPerSecond": signatures_per_second("ecdsap256"),
        "loadBefore": os.getloadavg()[0]}


def read(path):
    try:
        return pathlib.Path(path).read_text()
    except OSError:
        return ""


class Report:
    """`path` may be None; what is in it already is kept, and not measured again."""

    def __init__(self, path, machine):
        self.path = path
        self.content = {"machine": machine, "done": [], "measurements": []}
        if path and path.exists():
            self.content = json.loads(path.read_text())
            for name in ("model", "ostiary", "quick", "rounds"):
                # A file of before there were rounds has none.
                if self.content["machine"].get(name) != machine[name]:
                    raise SystemExit(f"growth: {path} is of another run ({name} is {self.content['machine'].get(name)}): give another file")
            # Its day stays that of its beginning; each part has its own beside it.
            self.content["machine"] = {**self.content["machine"], **machine, "date": self.content["machine"]["date"]}
        self.date = machine.get("date")
        self.point = {}

    def has(self, point, part):
        return [*point, part] in self.content["done"]

    def begin(self, engine, accounts, sessions, nodes=1):
        self.point = {"engine": engine, "accounts": accounts, "sessions": sessions, "nodes": nodes}

    def add(self, quantity, value, unit="", note=None, rounds=None):
        """`rounds`: what each found, of which `value` is the median."""
        if value is None:
            return
        row = {**self.point, "quantity": quantity, "value": round(value, 4), "unit": unit, **({"note": note} if note else {}),
               **({"rounds": [round(each, 4) for each in rounds]} if rounds else {})}
        same = [other for other in self.content["measurements"] if all(other[key] == row[key] for key in (*self.point, "quantity"))]
        for other in same:
            self.content["measurements"].remove(other)
        self.content["measurements"].append(row)

    def done(self, point, part):
        if not self.has(point, part):
            self.content["done"].append([*point, part])
            self.content["machine"].setdefault("dates", {})[part] = self.date
        if self.path:
            # Never half of it.
            draft = self.path.with_suffix(".part")
            draft.write_text(json.dumps(self.content, indent=1, ensure_ascii=False) + "\n")
            draft.replace(self.path)

    def print(self):
        machine = self.content["machine"]
        print(f"\n{machine['model']}, {machine['cores']} cores, {machine['date']}; {machine['ostiary']}, " + ", ".join(machine.get("engines", [])))
        print(f"openssl in the same run: {machine['ed25519SignaturesPerSecond']:,.0f} Ed25519 and {machine['p256SignaturesPerSecond']:,.0f} P-256 "
              "signatures a second of one core")
        rows = self.content["measurements"]
        for engine in dict.fromkeys(row["engine"] for row in rows):
            for nodes in (False, True):
                self.print_table(engine, [row for row in rows if row["engine"] == engine and row["quantity"].startswith("nodes.") == nodes])
        self.print_rounds()
        self.print_bytes()
        self.print_verdicts()
        self.print_bounds()

    def print_table(self, engine, rows):
        """A column for each size."""
        columns = sorted({(row["accounts"], row["sessions"], row["nodes"]) for row in rows})
        if not columns:
            return
        names = ["accounts", "sessions", "nodes"]
        print(f"\n{engine}")
        for index, name in enumerate(names):
            print(f"  {name:<46}" + "".join(f"{column[index]:>12,}" for column in columns))
        for quantity in dict.fromkeys(row["quantity"] for row in rows):
            found = {(row["accounts"], row["sessions"], row["nodes"]): row for row in rows if row["quantity"] == quantity}
            values = "".join(f"{figure(found[column]['value']) if column in found else '':>12}" for column in columns)
            print(f"  {quantity:<46}{values}  {next(iter(found.values()))['unit']}")
        for note in dict.fromkeys(row["note"] for row in rows if "note" in row):
            print(f"    {note}")

    def print_rounds(self):
        """Of what was measured in rounds: the least, the median and the most."""
        rows = [row for row in self.content["measurements"] if "rounds" in row]
        if rows:
            print("\nOf the rounds: least, median, most")
        for row in rows:
            least, median, most = (figure(pick(row["rounds"])) for pick in (min, statistics.median, max))
            print(f"  {row['engine']:<12}{row['quantity']:<34}{row['accounts']:>10,} accounts{row['sessions']:>9,} sessions"
                  f"{least:>12}{median:>12}{most:>12}  {row['unit']}")

    def print_bytes(self):
        """The dearest size beside the smallest."""
        most = growth_verdicts.PROMISED
        print(f"\nBytes of one more: the dearest size beside the smallest (aim: at most {most})")
        for engine in dict.fromkeys(row["engine"] for row in self.content["measurements"]):
            for quantity in CONSTANT:
                found = sorted((row["accounts"], row["sessions"], row["value"]) for row in self.content["measurements"]
                               if row["engine"] == engine and row["quantity"] == quantity and is_weighed(row))
                if len(found) > 1 and found[0][2]:
                    accounts, sessions, value = max(found[1:], key=lambda row: row[2])
                    ratio = value / found[0][2]
                    more = "" if ratio <= most else "MORE: "
                    print(f"  {engine:<12}{quantity:<34}{ratio:>6.2f}  {more}at {accounts:,} accounts, {sessions:,} sessions")

    def print_verdicts(self):
        rows = list(growth_verdicts.rows(Figures(self.content)))
        if not rows:
            return
        print("\nOf the processor: medians, the largest size to the smallest; and the same of each round by itself, from the least to the most")
        for row in rows:
            (few, _), (many, _) = row.medians[0], row.medians[-1]
            middle = f"; at {row.middle[0]:,} it is {row.middle[1]:.2f}" if row.middle else ""
            alone = "" if row.by_rounds is None else f"{row.by_rounds[0]:.2f} to {row.by_rounds[1]:.2f}"
            print(f"  {row.engine:<12}{row.law.name:<48}{f'{few:,} to {many:,} {row.along}':<32}{row.ratio:>6.2f}  {alone:<13} {row.verdict}"
                  f"{'' if row.law.is_promised else ' (not promised)'}{middle}")

    def print_bounds(self):
        found = list(growth_verdicts.bounds(Figures(self.content)))
        if found:
            print("\nHow long anybody waits at the most while something is done in the background")
        for engine, bound, accounts, longest, verdict in found:
            print(f"  {engine:<12}{bound.name:<48}{f'{accounts:,} accounts':<24}{figure(longest):>8} ms  {verdict}")


def is_weighed(row):
    """Of a thousand rows, pages that are not full are a good part: bytes are compared from ten thousand on."""
    if not row["quantity"].endswith("Bytes"):
        return True
    return row["sessions" if row["quantity"].startswith("session.") else "accounts"] >= 10_000


def figure(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}" if abs(value) < 1 else f"{value:,.1f}"
