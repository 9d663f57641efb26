"""An example is a package of its own, and its sources are targets of ours too, so that nobody builds everything anew for its sake. Both have to stand on the same."""

import functools
import json
import subprocess

from trial import check


@functools.cache
def targets(folder):
    """What each target of a package stands on, by the names of products."""
    said = subprocess.run(["swift", "package", "--package-path", folder, "dump-package"], capture_output=True, text=True, check=True)
    return {
        target["name"]: {next(iter(dependency.values()))[0] for dependency in target["dependencies"]}
        for target in json.loads(said.stdout)["targets"]}


def same_products(example, *names):
    """The example as a package of its own builds what the targets here do, whose names end in Example: no more, and under the same names."""
    check(set(targets(example)) == set(names), f"{example} has the targets that are built here: {', '.join(names)}")
    for name in names:
        check(targets(example)[name] == targets(".")[name + "Example"], f"{name} stands on the same products as a package of its own")
