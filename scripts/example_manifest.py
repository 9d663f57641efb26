"""What the manifest of an example says of it: a stranger builds the example by its own, tests build it as a target of ours."""

import json
import subprocess

from trial import check


def same_manifest(folder, name, ours):
    """The example as a package of its own builds what the target here does: no more, and under the same names."""
    def target(manifest, wanted):
        return next(part for part in manifest["targets"] if part["name"] == wanted)

    def products(part):
        return {dependency.get("product", dependency.get("byName"))[0] for dependency in part["dependencies"]}

    stranger, here = (_manifest(place) for place in (folder, "."))
    check(products(target(stranger, name)) == products(target(here, ours)), f"{name} stands on the same products as a package of its own")


def _manifest(folder):
    said = subprocess.run(["swift", "package", "--package-path", folder, "dump-package"], capture_output=True, text=True, check=True)
    return json.loads(said.stdout)
