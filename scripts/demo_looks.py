"""How the demonstration's page looks, for scripts/demo-test: widths, colours, large text, and what each party is told to know."""

from page_browser import CONTRAST
from trial import check, until

STEP = "return document.querySelector('[data-tour]').dataset.step ?? null"


def reads_along(browser):
    for party in ("phone", "authentication", "secondFactor"):
        browser.run(f"document.querySelector('input[value={party}]').click()")
        check(len(browser.run("return document.querySelector('[data-knowledge]').innerText").splitlines()) >= 2, f"what the {party} knows is told")
    browser.run("document.querySelector('input[value=all]').click()")


def fits(browser, name):
    for width in (320, 390, 1280):
        browser.devtools("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 1000)
        check(browser.run("return document.documentElement.scrollWidth") <= width, f"{name} fits into {width} pixels")
        browser.picture(f"{name}-{width}")
    browser.devtools("Emulation.clearDeviceMetricsOverride")


def is_readable(browser, name):
    for scheme in ("light", "dark"):
        browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        worst = browser.run(CONTRAST)
        check(worst["ratio"] >= 4.5, f"{name}: text has contrast {worst['ratio']:.1f} or more ({scheme})")
        browser.picture(f"{name}-{scheme}")
    browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "forced-colors", "value": "active"}])
    browser.picture(f"{name}-forced-colours")
    browser.devtools("Emulation.setEmulatedMedia", features=[])


def large_text(browser):
    browser.devtools("Emulation.setDeviceMetricsOverride", width=640, height=800, deviceScaleFactor=1, mobile=False)
    browser.run("document.documentElement.style.fontSize = '32px'")
    check(browser.run("return document.documentElement.scrollWidth") <= 640, "text of twice the size fits")
    browser.picture("page-large-text")
    browser.run("document.documentElement.style.fontSize = ''")
    browser.devtools("Emulation.clearDeviceMetricsOverride")


def without_secret(demo, browser):
    for address in (demo.page.split("#")[0], demo.page.split("#")[0] + "#guess"):
        browser.open("about:blank")
        browser.open(address)
        until(lambda: not browser.run("return document.querySelector('[data-stranger]').hidden"), "without its secret the page shows nothing and says why")
        check(browser.run("return document.querySelector('[data-stage]').hidden"), "neither website nor phone")
    browser.picture("page-stranger")
    # A refusal that was meant to happen.
    browser.complaints()


def protocol(demo, browser):
    browser.open(demo.page.split("#")[0] + "protocol/second-factor#m1")
    check(browser.run("return document.querySelector('#m1').textContent") == "M1", "docs/protocol is there, and M1 has its place")
    fits(browser, "protocol")
    is_readable(browser, "protocol")


def every_look(demo, browser):
    without_secret(demo, browser)
    protocol(demo, browser)
    browser.open("about:blank")
    browser.open(demo.page)
    until(lambda: browser.run(STEP) == "scan", "the page shows the tour")
    reads_along(browser)
    fits(browser, "page")
    is_readable(browser, "page")
    large_text(browser)
    loaded = browser.run("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    check(all(name.startswith(("http://localhost:", "http://127.0.0.1:", "data:")) for name in loaded), "nothing is loaded from anywhere else")
