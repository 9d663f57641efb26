"""A PostgreSQL of a script's own, for both servers: in a folder, spoken to by a Unix socket in it and by nothing else."""

import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile

from postgresql_programs import installed
from trial import until

MEMORY = "/dev/shm"


@contextlib.contextmanager
def own_postgresql():
    """Settings of both servers, whose databases are there until this is left."""
    programs, runner = installed(), []
    # A socket has 107 bytes for its name, and what is in memory waits for no disk.
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ostiary-pg-", dir=MEMORY if os.access(MEMORY, os.W_OK) else None))
    if os.geteuid() == 0:
        # It refuses to run as root.
        entry = pwd.getpwnam("postgres")
        os.chown(folder, entry.pw_uid, entry.pw_gid)
        runner = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]

    def command(program, *arguments):
        return [*runner, programs / program, *arguments]

    def run(program, *arguments):
        return subprocess.run(command(program, *arguments), stdin=subprocess.DEVNULL, capture_output=True, cwd="/").returncode == 0

    server = None
    try:
        made = run("initdb", "-D", folder / "data", "-U", "ostiary", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        if not made:
            raise SystemExit("FAILED  no PostgreSQL can be made here")
        # In this process group, with which it ends.
        server = subprocess.Popen(
            command("postgres", "-D", folder / "data", "-k", folder, "-c", "listen_addresses="), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
        names = {"OSTIARY_DATABASE_URL": "ostiary", "OSTIARY_SF_DATABASE_URL": "second_factor"}
        for name in names.values():
            until(lambda: run("createdb", "-h", folder, "-U", "ostiary", name), f"PostgreSQL has a database {name}")
        yield {setting: f"postgresql://ostiary@/{name}?host={folder}" for setting, name in names.items()}
    finally:
        if server:
            server.send_signal(signal.SIGINT)
            server.wait(timeout=60)
        shutil.rmtree(folder, ignore_errors=True)
