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
    """The path of qemu-user for this machine's own instructions."""
    found = shutil.which(f"qemu-{platform.machine()}")
    if not found:
        raise SystemExit("there is no qemu-user for this machine on the PATH; `scripts/setup bench` installs it")
    return found


def plugin(folder):
    """Builds the plugin into a folder: it is three files of C, and needs nothing but a compiler."""
    library = folder / "libEmulatorCounts.so"
    subprocess.run(
        ["cc", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-I", SOURCES / "include", "-o", library, *sorted(SOURCES.glob("*.c"))], check=True)
    return library


class Counted(Installation):
    """Both servers, emulated and counted; phones run as they are. They run from here to `stop`."""

    def __init__(self, binary, folder):
        self.prefix, self.counts = [emulator(), "-plugin"], {}
        # `Authorization` of a client that is a machine, once there is one.
        self.machine = None
        self.library = plugin(folder)
        # Otherwise each process has hash tables of its own making, which are dearer in one than in another.
        super().__init__(binary, folder, SQLite(folder), SWIFT_DETERMINISTIC_HASHING="1")

    def halt(self):
        """They go on: nothing is filled by SQL here, and a start under the emulator is dear."""

    def bytes_of(self, _):
        """Of rows that would be filled: nobody else may open the database now."""
        return b""

    def start(self, command):
        file = self.counts[command] = self.folder / f"{command}.counts"
        with open(self.folder / f"{command}.log", "a") as log:
            self.processes[command] = subprocess.Popen(
                [*self.prefix, f"{self.library},counts={file}", self.binary, command, "--data", self.folder / command, "--end-with-parent"],
                env=self.environment, stdin=subprocess.PIPE, stdout=log, stderr=log)

    def now(self):
        """All counts of both servers so far."""
        sums = [0] * len(WORDS)
        for file in self.counts.values():
            words = struct.unpack(f"={os.path.getsize(file) // 8}Q", file.read_bytes())
            for place in range(len(WORDS)):
                sums[place] += sum(words[place::OF_A_THREAD])
        return sums

    def count(self, times, work):
        """What one of `times` calls of `work` takes, and seconds by the clock."""
        before, begun = self.now(), time.monotonic()
        for round in range(times):
            work(round)
        seconds = time.monotonic() - begun
        return {word: (after - earlier) / times for word, after, earlier in zip(WORDS, self.now(), before)}, seconds / times

