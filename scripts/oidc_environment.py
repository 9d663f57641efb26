"""The foreign libraries that scripts/oidc-test, scripts/oidc-demo, scripts/resource-test and scripts/token-service-test talk through: from PyPI, in an
environment of their own that is made once."""

import os
import pathlib
import sys

from python_environment import environment

PACKAGES = pathlib.Path(__file__).with_name("oidc_packages.txt")


def begin_anew_inside():
    """Goes on in that environment: this process becomes its Python, with the same arguments."""
    folder = environment("oidc-clients", PACKAGES.read_text(encoding="utf-8"))
    if pathlib.Path(sys.prefix) == folder:
        return
    # What was said so far would be lost with this program.
    sys.stdout.flush()
    python = folder / "bin/python"
    os.execv(python, [python, *sys.argv])
