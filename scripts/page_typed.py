"""The code of a phone without a connection, typed into the login page, tried for scripts/page-test."""

from page_steps import load_again, login_page, shows_code
from trial import check, until

FORM = "details.quiet form"
OFFERED = f"return document.querySelector('{FORM}') !== null"
TOLD = "return document.querySelector('#typed-help')?.textContent ?? ''"
MARKED = "return document.querySelector('#typed').getAttribute('aria-invalid') === 'true'"
SENDS = f"return document.querySelector('{FORM} .button').checkVisibility()"
LINK = "return document.querySelector('[data-link]').href"
TYPED = "return document.querySelector('#typed').value"


def code_of(phone, browser, name):
    """What the phone shows for the code on the screen, asking no server."""
    process = phone.begin("otp", browser.picture(name, "[data-qr]"), pins=())
    code = phone.event(process, "otp")["code"]
    check(process.wait(timeout=60) == 0, "a phone that asks nobody shows a code")
    return code


def submit(browser, text):
    browser.type("#typed", text)
    browser.click(f"{FORM} .button")


def not_offered(servers, browser):
    login_page(servers, browser)
    check(not browser.run(OFFERED), "S2-07 a login page of a server that takes no codes offers no place for one")


def allow(servers, flags, sentence):
    status, _ = servers.rest("PUT", f"/servers/{servers.server}/", body={"serverFlags": flags})
    check(status == 200, sentence)


def told_again(browser, words):
    """The page is loaded again, and says behind its line what it has said of the codes that were typed."""
    load_again(browser, "waiting", "the page is loaded again")
    until(lambda: words in browser.run(TOLD), f"and says as before: {words}")
    check(browser.run(MARKED), "in the colour of what went wrong")
    check(not browser.run(TYPED), "without the code that was typed")
    browser.click("details.quiet summary")


def renewed(browser):
    """The code on the screen made anew while something is said of one that was typed, and left in its field."""
    check(browser.run(TOLD) and browser.run(TYPED), "something is said of a code that stands in its field")
    before = browser.run(LINK)
    browser.run("document.querySelector('section[data-state=expired] [data-act=renew]').click()")
    until(lambda: not browser.run(TOLD) and not browser.run(TYPED), "neither stays when the code on the screen is another")
    check(browser.run(f"return document.querySelector('{FORM}').checkVisibility()"), "and there is still a place for one")
    until(lambda: browser.run(LINK) != before and shows_code(browser), "beside a code that was made since")


def learns_of_codes(servers, browser, phone):
    """A phone hears with its next login that its server takes codes."""
    allow(servers, ["ENABLE_OTP"], "the operator allows codes of phones without a connection")
    nonce = login_page(servers, browser)
    process = phone.begin("login", browser.picture("typed-before", "[data-qr]"))
    until(lambda: "returncode=" in browser.address, "a phone logs in once more with its connection")
    servers.hand_in(nonce, browser.address)
    check(process.wait(timeout=60) == 0, "and hears of it")


def typed(servers, browser, phone, look):
    nonce = login_page(servers, browser)
    until(lambda: browser.run(OFFERED), "the login page has a place for the code of a phone that is offline")
    check(not browser.run(f"return document.querySelector('{FORM}').checkVisibility()"), "which stands behind a line")
    code = code_of(phone, browser, "typed-code")
    browser.click("details.quiet summary")
    look(browser, "login-typed")
    submit(browser, "no code")
    until(lambda: "two groups" in browser.run(TOLD), "what is no code is told as that")
    submit(browser, f"{code[:7]}{'000000' if code[7:] != '000000' else '111111'}")
    until(lambda: "2 tries left" in browser.run(TOLD), "a wrong one says how many tries are left")
    check(browser.run("return document.activeElement.id") == "typed", "and leaves the keyboard where it was")
    look(browser, "login-typed-wrong")
    renewed(browser)
    code = code_of(phone, browser, "typed-code-anew")
    submit(browser, code.lower().replace(" ", "-"))
    until(lambda: "returncode=" in browser.address, "S2-44 the code, in small letters, logs in: the browser comes back with its code")
    check(servers.session(nonce)["state"] == "returning", "nobody is logged in before that is handed in")
    status = servers.hand_in(nonce, browser.address)
    check(status["loggedin"] and status["otplogin"] and status["userid"] == "alice", "S2-06 the site learns who it is, and that it was by such a code")
    again = login_page(servers, browser)
    until(lambda: browser.run(OFFERED), "another login page")
    browser.click("details.quiet summary")
    check(not browser.run(TOLD) and not browser.run(MARKED), "of whose code nobody has tried one")
    for left in ("2 tries left", "1 try left", "last try"):
        submit(browser, code)
        until(lambda: left in browser.run(TOLD), f"S2-13 takes no code of the login before: {left}")
        told_again(browser, left)
        check(browser.run(SENDS) == (left != "last try"), "and takes another one where a try is left")
    look(browser, "login-typed-spent")
    browser.click(f"{FORM} button[type=button]")
    until(lambda: shows_code(browser) and not browser.run(f"return document.querySelector('{FORM}').checkVisibility()"), "but shows a new code")
    check(not servers.session(again)["loggedin"], "nobody is logged in")
    allow(servers, [], "the operator allows no codes any more, while a page offers a place for one")
    browser.click("details.quiet summary")
    submit(browser, code)
    until(lambda: "Start again from the site" in browser.run(TOLD), "what is typed there then is told as no use, with what to do instead")


def typed_codes(servers, browser, phone, look):
    """A phone that is enrolled."""
    not_offered(servers, browser)
    learns_of_codes(servers, browser, phone)
    typed(servers, browser, phone, look)
