"""Where a page could leave its person standing, tried for scripts/page-test: every end has one way on, and focus and title follow."""

import secrets
import time

from page_steps import begin_anew, enrol_page, load_again, login_page, type_pin
from trial import PIN, WRONG, Phone, check, until

# Whether the page offers to begin anew because its phone says nothing.
LATER = "return document.querySelector('section:not([hidden]) [data-later]')?.checkVisibility() ?? false"


def given_back(servers, browser, phone, new_phone, look):
    for arguments, state in ((("--deny",), "declined"), (("--not-me",), "notme")):
        enrol_page(servers, browser, "erin", returnurl=servers.origin + "/l?back")
        process = new_phone.begin("enrol", *arguments, browser.picture(f"enrol-{state}", "[data-qr]"), pins=())
        until(lambda: browser.state == state, f"{arguments[0]} at an enrolment is told on the page")
        check(process.wait(timeout=60) == 2, "the phone has refused")
        look(browser, f"enrol-{state}")
        load_again(browser, state, "and told again when the page is loaded again")
        begin_anew(browser)
    process = new_phone.begin("enrol", browser.picture("enrol-to-cancel", "[data-qr]"), pins=())
    new_phone.event(process, "secondFactor")
    until(lambda: browser.state == "scanned", "the page shows what to compare")
    look(browser, "enrol-scanned")
    process.stdin.close()
    until(lambda: browser.state == "gaveup", "a first PIN that is given up is told as that, and not as a refusal")
    check(process.wait(timeout=60) == 2, "the phone has given up")
    look(browser, "enrol-gave-up")
    begin_anew(browser)


def dies(servers, browser, phone, new_phone, look):
    """A phone that dies at its first PIN leaves a page that waits."""
    enrol_page(servers, browser, "erin", returnurl=servers.origin + "/l?back")
    process = new_phone.begin("enrol", browser.picture("enrol-to-die", "[data-qr]"), pins=())
    new_phone.event(process, "secondFactor")
    process.kill()
    process.wait()
    until(lambda: browser.state == "scanned", "a phone dies at its first PIN, and the page waits")
    check(not browser.run(LATER), "without a word of doubt at first")
    browser.pass_minute()
    until(lambda: browser.run(LATER), "after a minute it offers a new code")
    look(browser, "enrol-scanned-later")
    load_again(browser, "scanned", "loaded again it still waits")
    check(browser.run(LATER), "and offers that at once")
    browser.click("section:not([hidden]) [data-act=renew]")
    until(lambda: browser.state == "waiting", "which it shows")
    check(browser.run("return document.activeElement.tagName") == "H1", "with the focus on what it says then")


def counts_on(servers, browser, phone, new_phone, look):
    """How many tries a code has left is the enrolment's, and told however often its page is loaded again; the code of the next phone has all of them."""
    told = "return document.querySelector('[data-help]').textContent"
    marked = "return document.querySelector('#code').getAttribute('aria-invalid') === 'true'"
    enrol_page(servers, browser, "erin", returnurl=servers.origin + "/l?back")
    process, code = asks(browser, Phone(new_phone.binary, new_phone.home.parent, "wrong-codes"), "enrol-tries")
    check(not browser.run(told) and not browser.run(marked), "of which nobody has tried one")
    for left in ("2 tries left", "1 try left"):
        browser.type("#code", "0000" if code != "0000" else "1111")
        browser.click("form .button")
        until(lambda: left in browser.run(told), f"a wrong code: {left}")
        load_again(browser, "code", "the page is loaded again")
        check(left in browser.run(told) and browser.run(marked), f"and says as before: {left}")
    browser.picture("enrol-wrong-code-again")
    browser.click("section:not([hidden]) [data-act=renew]")
    until(lambda: browser.state == "waiting", "its person gives that phone up")
    check(process.wait(timeout=60) != 0, "which is not enrolled")
    process, _ = asks(browser, Phone(new_phone.binary, new_phone.home.parent, "next-codes"), "enrol-tries-anew")
    check(not browser.run(told) and not browser.run(marked), "of which nothing is said that was said of the one before")
    browser.click("section:not([hidden]) [data-act=renew]")
    check(process.wait(timeout=60) != 0, "nor is that one enrolled")


def asks(browser, phone, name):
    """A phone that has never been here enrols, until the page asks for its code; that is returned with its process."""
    process = phone.begin("enrol", browser.picture(name, "[data-qr]"))
    code = phone.event(process, "enrolConfirmation")["code"]
    until(lambda: browser.state == "code", "the page asks for the code of a phone")
    return process, code


def not_mine(servers, browser, phone, new_phone, look):
    """Somebody else's phone waits for its code: whoever sees the page begins anew, and that phone hears of it."""
    enrol_page(servers, browser, "erin", returnurl=servers.origin + "/l?back")
    process = new_phone.begin("enrol", browser.picture("enrol-not-mine", "[data-qr]"))
    new_phone.event(process, "enrolConfirmation")
    until(lambda: browser.state == "code", "the page asks for the code of a phone that is somebody else's")
    browser.click("section:not([hidden]) [data-act=renew]")
    until(lambda: browser.state == "waiting", "and begins anew when its person says so")
    check(process.wait(timeout=60) != 0, "that phone is not enrolled")


def dies_at_login(servers, browser, phone, new_phone, look):
    """A phone that dies after it has taken a login leaves a page that does not wait for it, and a newer one that takes the login over."""
    nonce = login_page(servers, browser)
    older = browser.address
    take_and_die(browser, phone, "one")
    check(not browser.run(LATER), "without a word of doubt at first")
    browser.pass_minute()
    until(lambda: browser.run(LATER), "after a minute it offers to begin anew")
    look(browser, "login-scanned-later")
    begin_anew(browser)
    take_and_die(browser, phone, "two")
    browser.open(servers.page("login", nonce, returnurl=servers.origin + "/l?back"))
    until(lambda: browser.state == "otherpage", "a page that the site opens now says that the login goes on elsewhere")
    newer = browser.address
    look(browser, "login-other-page")
    begin_anew(browser)
    browser.open(older)
    until(lambda: browser.state == "otherpage", "and the older page says that it goes on there")
    takes = "return document.querySelector('section:not([hidden]) [data-act=renew]')?.checkVisibility() ?? false"
    check(not browser.run(takes), "without a button that would do nothing")
    browser.open(newer)
    until(lambda: browser.state == "waiting", "the newer page still shows its code")
    process = phone.begin("login", browser.picture("login-after-death", "[data-qr]"))
    until(lambda: "returncode=" in browser.address, "which logs in")
    check(servers.hand_in(nonce, browser.address)["loggedin"], "for the browser that began it")
    check(process.wait(timeout=60) == 0, "the phone has logged in")


def comes_back(servers, browser, phone, new_phone, look):
    """A page that is loaded again while a phone is at its login offers at once to begin anew; a phone that comes back then confirms nothing."""
    nonce = login_page(servers, browser)
    process = phone.begin("login", browser.picture("login-to-come-back", "[data-qr]"), pins=WRONG[:1])
    until(lambda: browser.state == "scanned", "a phone takes a login")
    check(not browser.run(LATER), "without a word of doubt at first")
    load_again(browser, "scanned", "the page is loaded again, and the phone still has it")
    check(browser.run(LATER), "then it offers at once to begin anew")
    begin_anew(browser)
    type_pin(process, PIN)
    check(process.wait(timeout=60) != 0, "the phone comes back with the right PIN, and hears that this login is over")
    check(not servers.session(nonce)["loggedin"], "nobody is logged in")
    check(browser.state == "waiting", "and the page shows its new code still")
    process = phone.begin("login", browser.picture("login-after-coming-back", "[data-qr]"))
    until(lambda: "returncode=" in browser.address, "which logs in")
    check(servers.hand_in(nonce, browser.address)["loggedin"], "for the browser that began it")
    check(process.wait(timeout=60) == 0, "the phone has logged in")


def take_and_die(browser, phone, name):
    """A wrong PIN takes the login; then the phone says no more."""
    process = phone.begin("login", browser.picture(f"login-to-die-{name}", "[data-qr]"), pins=WRONG[:1])
    until(lambda: browser.state == "scanned", "a phone takes a login")
    time.sleep(1)
    process.kill()
    process.wait()


def broken_link(servers, browser, phone, new_phone, look):
    status, link = servers.text("GET", f"/servers/{servers.server}/sessions/link/enrol?name=Erin", secrets.token_urlsafe(24))
    check(status == 200, "the backend gets an enrolment as a link")
    start, fragment = link.split("#")
    changed = fragment[:60] + ("A" if fragment[60] != "A" else "B") + fragment[61:]
    browser.open(servers.origin + "/")
    browser.open(f"{start}#{changed}")
    until(lambda: browser.state == "closed", "a link of an enrolment that there is not is drawn as no code")
    check(browser.heading == "This link does not work", "and said not to work")
    look(browser, "link-broken")


def every_end(servers, browser, phone, new_phone, look):
    """A phone that is enrolled already, and one that never will be."""
    browser.watch_minutes()
    for scene in (given_back, dies, counts_on, not_mine, dies_at_login, comes_back, broken_link):
        scene(servers, browser, phone, new_phone, look)
