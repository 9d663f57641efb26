"""Steps that many of the walks over login and enrol pages take: scripts/page-test."""

import secrets

from trial import check, until


def shows_code(browser):
    """Whether the page shows a code of its own: where the tab had another page of that address, only the fragment tells that this one has begun."""
    return "#page=" in browser.address and browser.state == "waiting"


def enrol_page(servers, browser, user, **members):
    """An enrol page that shows a code, of an account that is called like its user."""
    browser.open(servers.page("enrol", secrets.token_urlsafe(24), name=f"{user}@example.org", userid=user, **members))
    until(lambda: shows_code(browser), "an enrol page shows a code")


def login_page(servers, browser):
    """A login page that shows a code, and its nonce."""
    nonce = secrets.token_urlsafe(24)
    browser.open(servers.page("login", nonce, returnurl=servers.origin + "/l?back"))
    until(lambda: shows_code(browser), "a login page shows a code")
    return nonce


def begin_anew(browser):
    """By the one button of what is shown."""
    check(browser.run("return document.activeElement === document.querySelector('section:not([hidden]) h1')"), "the focus is on what it says")
    check(browser.run("return document.title").startswith(browser.heading), "the title says it, too")
    check(not browser.run("return document.querySelector('[data-back]').hidden"), "there is a way back to the site")
    browser.click("section:not([hidden]) [data-act=renew]")
    until(lambda: browser.state == "waiting", "and a code again when asked")


def load_again(browser, state, sentence):
    """What the page that was loaded again shows, and not the one before."""
    browser.run("window.isFormer = true; location.reload()")
    until(lambda: not browser.run("return window.isFormer") and browser.state == state, sentence)


def type_pin(process, pin):
    """Into a phone that asks for it."""
    process.stdin.write(pin + "\n")
    process.stdin.flush()


def type_code(browser, code):
    """What the phone shows, typed into the enrol page that asks for it."""
    browser.type("#code", code)
    browser.click("form .button")
    until(lambda: browser.state == "done", "and takes it")
