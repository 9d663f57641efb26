"""Environments of Python with packages from PyPI, each made once, in .build: for checks of which several may want the same one at the same moment.

    python3 scripts/python_environment.py --check    holds to that: four that want one at once have one, whole, that was made once
"""

import fcntl
import os
import pathlib
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(__file__).parent.parent / ".build"


def environment(name, packages, build=BUILD):
    """The folder of environment `name`, which has `packages`, a text as pip reads it, and no others. Whoever comes while another makes it waits for that."""
    build.mkdir(parents=True, exist_ok=True)
    folder = build.resolve() / name
    # Written last, so that an installation that was broken off is made again.
    made = folder / "packages.txt"
    # Goes with the process that has it, however that ends.
    with open(build / f"{name}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists() or made.read_text(encoding="utf-8") != packages:
            subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
            wanted = folder / "wanted.txt"
            wanted.write_text(packages, encoding="utf-8")
            # The environment is its own: pip's word against installing as root is about a system's Python.
            installed = subprocess.run(
                [folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore", "-r", wanted])
            if installed.returncode != 0:
                named = ", ".join(line for line in packages.splitlines() if line and not line.startswith("#"))
                raise SystemExit(f"FAILED  cannot be installed from PyPI into {folder}: {named}")
            wanted.rename(made)
    return folder


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
