"""Both servers under qemu-user with the plugin of Sources/CEmulatorCounts, which counts what they do: the same work gives the same numbers, whatever else
the machine does."""

import os
import pathlib
import platform
import shutil
import struct
import subprocess
import time

from growth_engines import SQLite
from growth_servers import Installation

SOURCES = pathlib.Path(__file__).resolve().parent / "Sources/CEmulatorCounts"
# As emulator_counts.h has them; what a word is called here is how it is told to people.
WORDS = [
    "instructions", "system calls", "WAL pages", "commits", "commits that wait for the disk", "waits for the disk", "statements", "steps of statements",
    "statements compiled", "P-256 signatures", "P-256 verifications", "Ed25519 signatures", "Ed25519 verifications", "X25519", "X25519 key pairs",
    "OPRF evaluations", "ristretto255 multiplications", "ristretto255 base multiplications", "HTTP messages read"]
OF_A_THREAD = 32


def emulator():
    """The program that runs others of this machine's kind, or None."""
    return shutil.which(f"qemu-{platform.machine()}")


class Emulator:
    """qemu-user for this machine's own instructions, and a plugin that counts."""

    def __init__(self, program, plugin):
        self.program, self.plugin = program, plugin

    @classmethod
    def find(cls, folder):
        """With the plugin in that folder; None where there is no emulator for this machine."""
        program = emulator()
        return cls(program, plugin(folder)) if program else None

    def running(self, counts):
        """What stands before a program and its arguments, so that it is counted into that file."""
        return [self.program, "-plugin", f"{self.plugin},counts={counts}"]


def sums(file):
    """Each count of one program so far, of all its threads."""
    words = struct.unpack(f"={os.path.getsize(file) // 8}Q", file.read_bytes())
    return [sum(words[place::OF_A_THREAD]) for place in range(len(WORDS))]


def plugin(folder):
    """Builds the plugin into a folder: it is three files of C, and needs nothing but a compiler."""
    library = folder.resolve() / "libEmulatorCounts.so"
    subprocess.run(
        ["cc", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-I", SOURCES / "include", "-o", library, *sorted(SOURCES.glob("*.c"))], check=True)
    return library


class Emulated(Installation):
    """Both servers, emulated; phones run as they are. They run from here to `stop`."""

    def __init__(self, binary, folder, runners):
        # `Authorization` of a client that is a machine, once there is one.
        self.machine = None
        # Otherwise each process has hash tables of its own making, which are dearer in one than in another.
        super().__init__(binary, folder, SQLite(folder), runners=runners, SWIFT_DETERMINISTIC_HASHING="1")

    def halt(self):
        """They go on: nothing is filled by SQL here, and a start under the emulator is dear."""

    def bytes_of(self, _):
        """Of rows that would be filled: nobody else may open the database now."""
        return b""


class Counted(Emulated):
    """Both servers, and what they do is counted."""

    def __init__(self, binary, folder):
        emulator = Emulator.find(folder)
        if not emulator:
            raise SystemExit("there is no qemu-user for this machine on the PATH; `scripts/setup bench` installs it")
        self.counts = {command: folder / f"{command}.counts" for command in ("second-factor", "serve")}
        super().__init__(binary, folder, {command: emulator.running(file) for command, file in self.counts.items()})

    def now(self):
        """All counts of both servers so far."""
        return [sum(found) for found in zip(*map(sums, self.counts.values()))]

    def count(self, times, work):
        """What one of `times` calls of `work` takes, and seconds by the clock."""
        before, begun = self.now(), time.monotonic()
        for round in range(times):
            work(round)
        seconds = time.monotonic() - begun
        return {word: (after - earlier) / times for word, after, earlier in zip(WORDS, self.now(), before)}, seconds / times

