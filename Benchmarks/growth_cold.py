"""How long a start takes when nothing of the databases is in the system's memory, beside one where all of it is.

As after a restart of the machine: PostgreSQL first, where it is one, then the second-factor server, then `serve`. The system is asked to forget every file of the
databases (`posix_fadvise`, which needs no right of root), after a stop in good order and after all of it has gone to the disk; PostgreSQL is stopped meanwhile, as
pages in its own memory would count as much. Looked at before a start is what is still in memory, and during it what comes from the disk. Programs stay in memory;
so does what a disk keeps by itself, and the host of a virtual machine.
"""

import contextlib
import ctypes
import mmap
import os
import pathlib
import statistics
import time

LETTERS = {"second-factor": "secondFactor", "serve": "serve"}
# The part of the files that may still be in memory when it is called cold: whoever looks, the system among them, has a page now and then.
STILL_CACHED = 0.01


def evict(files):
    """Has the system write what it keeps of files, and forget it. The bytes of all of them."""
    total = 0
    for descriptor in opened(files):
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        total += os.fstat(descriptor).st_size
    return total


def cached(files):
    """Bytes of them that are in the system's memory, in whole pages."""
    library, pages = ctypes.CDLL(None, use_errno=True), 0
    for descriptor in opened(files):
        size = os.fstat(descriptor).st_size
        if not size:
            continue
        # A private one may be written to, which ctypes asks for; nobody does.
        with mmap.mmap(descriptor, size, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE) as mapped:
            there, place = (ctypes.c_ubyte * -(-size // mmap.PAGESIZE))(), ctypes.c_char.from_buffer(mapped)
            failed = library.mincore(ctypes.c_void_p(ctypes.addressof(place)), ctypes.c_size_t(size), there)
            # As long as it is referred to, the mapping does not close.
            del place
            if failed:
                raise SystemExit(f"growth: what is in the system's memory is not told: {os.strerror(ctypes.get_errno())}")
            pages += sum(page & 1 for page in there)
    return pages * mmap.PAGESIZE


def opened(files):
    """A descriptor of each that is there, one at a time."""
    for file in files:
        with contextlib.suppress(FileNotFoundError):
            descriptor = os.open(file, os.O_RDONLY)
            try:
                yield descriptor
            finally:
                os.close(descriptor)


def read_bytes(processes):
    """That these, and children of theirs that have ended, had from the disk so far."""
    total = 0
    for process in processes:
        # One that ends now is counted with its parent.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            lines = pathlib.Path(f"/proc/{process}/io").read_text().splitlines()
            total += next(int(line.split()[1]) for line in lines if line.startswith("read_bytes:"))
    return total


class NotCold(Exception):
    """This machine, or the folder, keeps what was to be forgotten: there is no cold start to measure."""


def doubt(files, still_cached, read):
    """Why a start was not cold, or None. Of bytes: all files, what was in memory before it, and what came from the disk until the servers were ready."""
    if still_cached > files * STILL_CACHED:
        return f"{still_cached / 2**20:.0f} MiB of the {files / 2**20:.0f} of the databases stay in memory: is their folder there? Set TMPDIR, or --keep"
    return None if read else "a start had nothing from the disk, and so was not cold"


def timed(installation, command):
    """Seconds until it is ready, those of the processor, and MiB that it and the database had from the disk meanwhile."""
    engine = installation.engine
    before = read_bytes(engine.processes())
    seconds, used = installation.start_timed(command)
    return seconds, used, (read_bytes([*engine.processes(), installation.pid(command)]) - before) / 2**20


def warm(installation, rounds):
    """What `timed` found of each server, round by round."""
    found = {command: [] for command in LETTERS}
    for _ in range(rounds + 1):
        installation.halt()
        for command, times in found.items():
            times.append(timed(installation, command))
        installation.await_ready()
    # The first one comes after whatever was before.
    return {command: times[1:] for command, times in found.items()}


def cold(installation, rounds):
    """Likewise, and of the database's own start seconds and MiB; the bytes of all files, and the most that was still in memory."""
    engine, found, database, most = installation.engine, {command: [] for command in LETTERS}, [], 0
    for _ in range(rounds):
        installation.halt()
        engine.stop()
        paths = engine.data_files()
        files, still_cached = evict(paths), cached(paths)
        most = max(most, still_cached)
        begun = time.monotonic()
        engine.start()
        database.append((time.monotonic() - begun, read_bytes(engine.processes()) / 2**20))
        for command, times in found.items():
            times.append(timed(installation, command))
        installation.await_ready()
        if why := doubt(files, still_cached, database[-1][1] + sum(times[-1][2] for times in found.values())):
            raise NotCold(why)
    return found, database, files, most


def measure(installation, report, effort):
    """Both, of both servers."""
    before = warm(installation, effort.starts)
    found, database, files, still_cached = cold(installation, effort.starts)
    own = bool(installation.engine.processes())
    installation.halt()

    def add(quantity, values, unit):
        report.add(f"coldStart.{quantity}", statistics.median(values), unit, rounds=list(values))

    for command, letters in LETTERS.items():
        for words, times in (("seconds", found[command]), ("warmSeconds", before[command])):
            add(f"{letters}.{words}", [seconds for seconds, _, _ in times], "s")
        add(f"{letters}.processorSeconds", [used for _, used, _ in found[command]], "s")
        for words, times in (("readMiB", found[command]), ("warmReadMiB", before[command])):
            add(f"{letters}.{words}", [read for _, _, read in times], "MiB")
    if own:
        add("database.seconds", [seconds for seconds, _ in database], "s")
        add("database.readMiB", [read for _, read in database], "MiB")
    report.add("coldStart.filesMiB", files / 2**20, "MiB")
    report.add("coldStart.stillCachedMiB", still_cached / 2**20, "MiB")
