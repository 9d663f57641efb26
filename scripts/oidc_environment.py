"""The foreign libraries that scripts/oidc-test, scripts/oidc-demo, scripts/resource-test and scripts/token-service-test talk through: from PyPI, in an
environment of their own that is made once."""

import os
import pathlib
import subprocess
import sys

PACKAGES = pathlib.Path(__file__).with_name("oidc_packages.txt")
ENVIRONMENT = pathlib.Path(".build/oidc-clients").resolve()


def begin_anew_inside():
    """Goes on in that environment: this process becomes its Python, with the same arguments."""
    if pathlib.Path(sys.prefix) == ENVIRONMENT:
        return
    made = ENVIRONMENT / PACKAGES.name
    if not made.exists() or made.read_text() != PACKAGES.read_text():
        subprocess.run([sys.executable, "-m", "venv", "--clear", ENVIRONMENT], check=True)
        installed = subprocess.run([ENVIRONMENT / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "-r", PACKAGES])
        if installed.returncode != 0:
            raise SystemExit(f"FAILED  the packages of {PACKAGES} cannot be installed from PyPI")
        # Last, so that an installation that was broken off is made again.
        made.write_text(PACKAGES.read_text())
    # What was said so far would be lost with this program.
    sys.stdout.flush()
    python = ENVIRONMENT / "bin/python"
    os.execv(python, [python, *sys.argv])
