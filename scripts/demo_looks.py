"""How the demonstration's page looks, for scripts/demo-test: every state of it as scripts/page-test looks at pages, and what each party is told to know."""

from demo_hands import SITE, Keyboard
from page_axe import nothing_found
from page_looks import look
from trial import check, until

STEP = "return document.querySelector('[data-tour]').dataset.step ?? null"


def shows(browser, place):
    return browser.run("return document.querySelector(arguments[0]).checkVisibility()", place)


def open_page(browser, address):
    # Another fragment alone would be the same document.
    browser.open("about:blank")
    browser.open(address)


def without_secret(demo, browser):
    for address in (demo.page.split("#")[0], demo.page.split("#")[0] + "#guess"):
        open_page(browser, address)
        until(lambda: shows(browser, "[data-stranger]"), "without its secret the page shows nothing and says why")
        check(not shows(browser, "[data-stage]"), "neither website nor phone")
    look(browser, "page-stranger")
    # A refusal that was meant to happen.
    browser.complaints()


def protocol(demo, browser):
    browser.open(demo.page.split("#")[0] + "protocol/second-factor#m1")
    check(browser.run("return document.querySelector('#m1').textContent") == "M1", "docs/protocol is there, and M1 has its place")
    look(browser, "protocol")


def reads_along(browser):
    for party in ("phone", "authentication", "secondFactor"):
        browser.run(f"document.querySelector('input[value={party}]').click()")
        check(len(browser.run("return document.querySelector('[data-knowledge]').innerText").splitlines()) >= 2, f"what the {party} knows is told")
        nothing_found(browser, f"what the {party} knows")
    browser.run("document.querySelector('input[value=all]').click()")


def looks_beside(browser, name):
    """The page and the website in its frame, once a state: their whole look is that of the first step."""
    nothing_found(browser, name)
    with Keyboard(browser).inside(SITE):
        nothing_found(browser, f"{name}, in the website's frame")


def in_a_terminal(demo, browser):
    """The page whose phone is in a terminal."""
    open_page(browser, demo.page)
    until(lambda: shows(browser, "[data-terminal]"), "where the phone is in a terminal the page says how it is used")
    check(demo.phone.home.name in browser.run("return document.querySelector('[data-commands]').textContent"), "by its own home")
    look(browser, "page-terminal")
    demo.stop()
    until(lambda: shows(browser, "[data-over]"), "when the demonstration ends the page says so")
    look(browser, "page-over")


def every_look(demo, browser):
    without_secret(demo, browser)
    protocol(demo, browser)
    open_page(browser, demo.page)
    until(lambda: browser.run(STEP) == "scan", "the page shows the tour")
    reads_along(browser)
    look(browser, "page")
    loaded = browser.run("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    check(all(name.startswith(("http://localhost:", "http://127.0.0.1:", "data:")) for name in loaded), "nothing is loaded from anywhere else")
