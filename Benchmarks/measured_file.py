"""What `image` and `start` write down, in the form that `Bench` has: facts of the machine, and aims beside what is so (Benchmarks/README.md)."""

import datetime
import json
import os
import pathlib
import platform
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")


def aim(name, value, most, unit):
    """A row of `aims`: what was to be at most so much. Judged is what is told."""
    value = round(value, 3)
    return {"name": name, "value": value, "unit": unit, "most": most, "met": value <= most}


def verdict(row):
    return "met" if row["met"] else "missed"


def commit():
    """That the programs were built of, with “+” where the sources differ from it, but for figures; None where nobody knows."""
    def git(*words):
        return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=True).stdout.strip()

    try:
        return git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain", "--", ".", ":(exclude)Benchmarks/figures") else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def machine(binary):
    model = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    facts = {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "model": model[1].strip() if model else "unknown",
        "cores": len(os.sched_getaffinity(0)), "memoryMiB": PAGE_SIZE * os.sysconf("SC_PHYS_PAGES") >> 20, "system": platform.platform(),
        "ostiary": subprocess.run([binary, "--version"], capture_output=True, text=True, check=True).stdout.strip()}
    told = commit()
    return {**facts, "commit": told} if told else facts


def write(file, binary, **measured):
    file.write_text(json.dumps({"machine": machine(binary), **measured}, indent=1, ensure_ascii=False) + "\n")
