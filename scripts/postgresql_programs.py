"""Which PostgreSQL the scripts start, here and in Benchmarks. What is named, and Debian's, tests in Swift choose likewise (PostgreSQLPrograms.swift)."""

import os
import pathlib
import shutil

# A folder of programs, which are taken and no others.
VARIABLE = "OSTIARY_TEST_POSTGRESQL"
DEBIAN = pathlib.Path("/usr/lib/postgresql")


def installed():
    """The folder of its programs: Debian's newest from 15 on, or those elsewhere, whose version nobody asks; None where there are none."""
    if VARIABLE in os.environ:
        folder = pathlib.Path(os.environ[VARIABLE])
        # Whoever has named one is told of no other's tests.
        if not folder.is_absolute() or not os.access(folder / "initdb", os.X_OK):
            raise SystemExit(f"FAILED  {VARIABLE} is to be the absolute path of a folder with the programs of a PostgreSQL: there is no initdb in "
                             f"“{os.environ[VARIABLE]}”")
        return folder
    versions = sorted((int(path.name) for path in DEBIAN.glob("*") if path.name.isdigit() and int(path.name) >= 15), reverse=True)
    folders = [*(DEBIAN / str(version) / "bin" for version in versions),
               *(pathlib.Path(found).parent for found in [shutil.which("initdb")] if found), pathlib.Path("/opt/homebrew/bin")]
    return next((folder for folder in folders if (folder / "initdb").exists()), None)
