"""Environments of Python with packages from PyPI, and other folders of what lies there, each made once, in .build: for checks of which several may want the
same one at the same moment.

    python3 scripts/python_environment.py --check    holds to that: four that want one at once have one, whole, that was made once
"""

import fcntl
import os
import pathlib
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(__file__).parent.parent / ".build"


def made_once(name, packages, make, build=BUILD):
    """Folder `name`, which `make` has emptied and filled by `packages`, a text as pip reads it. Whoever comes while another makes it waits for that."""
    build.mkdir(parents=True, exist_ok=True)
    folder = build.resolve() / name
    # Written last, so that a making that was broken off begins again.
    made = folder / "packages.txt"
    # Goes with the process that has it, however that ends.
    with open(build / f"{name}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists() or made.read_text(encoding="utf-8") != packages:
            make(folder)
            made.write_text(packages, encoding="utf-8")
    return folder


def pip(python, folder, packages, *command):
    """Runs that command of pip's, of the environment `python`, on `packages`, which it fetches into `folder`."""
    wanted = folder / "wanted.txt"
    wanted.write_text(packages, encoding="utf-8")
    done = subprocess.run([python / "bin/pip", *command, "--quiet", "--disable-pip-version-check", "-r", wanted])
    wanted.unlink()
    if done.returncode != 0:
        named = ", ".join(line for line in packages.splitlines() if line and not line.startswith("#"))
        raise SystemExit(f"FAILED  cannot be had from PyPI for {folder}: {named}")


def environment(name, packages, build=BUILD):
    """The folder of environment `name`, which has `packages`, a text as pip reads it, and no others."""
    def make(folder):
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        # The environment is its own: pip's word against installing as root is about a system's Python.
        pip(folder, folder, packages, "install", "--root-user-action=ignore")

    return made_once(name, packages, make, build)


def held():
    """Whether four processes that want the same environment at once all have it, of one making."""
    with tempfile.TemporaryDirectory() as build:
        call = [sys.executable, __file__, "--make", build]
        ended = [process.communicate() + (process.returncode,) for process in [
            subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(4)]]
        faults = [text for text, _, code in ended if code != 0]
        # A folder that was cleared has another number.
        folders = {text for text, _, _ in ended}
        if faults or len(folders) != 1:
            raise SystemExit("python_environment: four at once did not come to one environment:\n" + "".join(faults or sorted(folders)))
    print("python_environment: four that want one at once have one")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--make"]:
        folder = environment("shared", "# None: nothing is fetched for this.\n", pathlib.Path(sys.argv[2]))
        subprocess.run([folder / "bin/python", "-c", "import pip"], check=True)
        print(os.stat(folder / "packages.txt").st_ino)
    elif sys.argv[1:] == ["--check"]:
        held()
    else:
        raise SystemExit(__doc__)
