"""Where the peers lie that `Benchmarks/peers` unpacked, and how a program of theirs is run."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent / ".build/peers/root"


def root():
    if not (ROOT.parent / "complete").exists():
        sys.exit("it was not fetched; `Benchmarks/peers` does that")
    return ROOT


def environment():
    """With their libraries before the system's, of which they were built for the same versions."""
    folders = [str(folder) for place in ("lib", "usr/lib") for folder in sorted((root() / place).glob("*-linux-gnu*"))]
    return {**os.environ, "LD_LIBRARY_PATH": ":".join(folders)}


def version(program, *arguments):
    """The first line of what it says of itself, on either stream."""
    told = subprocess.run([root() / program, *arguments], capture_output=True, text=True, env=environment())
    return (told.stdout + told.stderr).strip().splitlines()[0]
