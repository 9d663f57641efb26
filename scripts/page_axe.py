"""What axe-core finds in a page, for scripts/page-test: nothing, of whatever weight, in every state that is looked at. axe comes from PyPI."""

import functools

from python_environment import environment
from trial import check

PACKAGE = "axe-core-python==0.1.0"
RUN = """
const done = arguments[arguments.length - 1];
// What stands in a frame is looked at in the frame: two origins would only tell of each other that they may not talk.
axe.run(document, { iframes: false }).then(({ violations }) => done(violations.map(({ id, impact, nodes }) => `${id} (${impact}): ${nodes.map(({ html }) => html).join(" ")}`)))
  .catch((error) => done([String(error)]));
"""


@functools.cache
def source():
    """The script, from an environment of its own that is made once."""
    return next(environment("page-axe", PACKAGE + "\n").glob("**/axe.min.js")).read_text(encoding="utf-8")


def nothing_found(browser, name):
    """Every rule that axe has, best practices among them."""
    # Half a megabyte, once a document: a page is looked at several times.
    script = "" if browser.run("return typeof axe") == "object" else source()
    found = browser.run_later(script + RUN)
    check(not found, f"{name}: axe finds nothing" + "".join(f"\n        {finding}" for finding in found))
