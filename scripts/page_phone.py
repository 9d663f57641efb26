"""What the login page says when its phone does not go on, tried for scripts/page-test: with the terminal phone, in a real browser."""

import time

from page_steps import begin_anew, enrol_page, login_page, type_code, type_pin
from trial import PIN, WRONG, check, until


def refused(servers, browser, phone, look):
    for answer, state in (("--deny", "denied"), ("--not-me", "notme")):
        login_page(servers, browser)
        process = phone.begin("login", answer, browser.picture(f"code-{state}", "[data-qr]"))
        until(lambda: browser.state == state, f"{answer} is told on the page")
        check(process.wait(timeout=60) == 2, "the phone has refused")
        back = browser.run("return document.querySelector('[data-back]:not([hidden]) a')?.href")
        check(back == servers.origin + "/l?back", "with a way back to the site")


def cancelled(servers, browser, phone, look):
    nonce = login_page(servers, browser)
    process = phone.begin("login", browser.picture("code-to-cancel", "[data-qr]"), pins=WRONG[:1])
    until(lambda: browser.state == "scanned", "the page says to go on with the phone")
    look(browser, "login-scanned")
    process.stdin.close()
    until(lambda: browser.state == "gaveup", "a PIN that is given up is told on the page")
    check(process.wait(timeout=60) == 3, "the phone has given up after a wrong PIN")
    look(browser, "login-gave-up")
    begin_anew(browser)
    process = phone.begin("login", browser.picture("code-after-cancel", "[data-qr]"))
    until(lambda: "returncode=" in browser.address, "and that login works")
    check(servers.hand_in(nonce, browser.address)["loggedin"], "for the browser that began it")
    check(process.wait(timeout=60) == 0, "the phone has logged in")


def penalty_ends(look, sentence):
    until(look, sentence)
    # Page, phone and server count whole seconds, each from a moment of its own; the phone's is when it had heard.
    time.sleep(3)


def penalised(servers, browser, phone, look):
    login_page(servers, browser)
    process = phone.begin("login", browser.picture("code-to-penalty", "[data-qr]"), pins=WRONG[:3])
    until(lambda: browser.state == "penalised", "a penalty is told on the page")
    text = browser.run("return document.body.innerText")
    check(not any(character.isdigit() for character in text), "without the number of tries or the time")
    look(browser, "login-penalised")
    penalty_ends(lambda: browser.state == "scanned", "when it is over the page says to go on with the phone")
    type_pin(process, WRONG[3])
    until(lambda: browser.state == "penalised", "the next penalty is told on the page")
    process.stdin.close()
    check(process.wait(timeout=60) == 4, "the phone waits for its penalty")
    until(lambda: browser.state == "gaveup", "who leaves in a penalty gave up, and the page does not wait for its end")
    begin_anew(browser)


def blocked(servers, browser, phone, look):
    login_page(servers, browser)
    process = phone.begin("login", browser.picture("code-to-block", "[data-qr]"), pins=())
    type_pin(process, WRONG[4])
    beside = "return document.querySelector('[data-beside]').hidden"
    until(lambda: browser.run(beside) is False, "who types during a penalty has not claimed the code: it is told beside it")
    penalty_ends(lambda: browser.run(beside), "until the penalty is over")
    type_pin(process, WRONG[4])
    until(lambda: browser.state == "blocked", "what was typed too early was not counted; a block is told on the page")
    process.stdin.close()
    check(process.wait(timeout=60) == 4, "the phone is blocked")
    look(browser, "login-blocked")
    begin_anew(browser)


def without_second_factor(servers, browser, phone, look):
    login_page(servers, browser)
    servers.end("second-factor")
    process = phone.begin("login", browser.picture("code-without-second-factor", "[data-qr]"), pins=[PIN])
    until(lambda: browser.state == "nosecondfactor", "that the PIN cannot be checked is told on the page", 120)
    look(browser, "login-no-second-factor")
    process.stdin.close()
    check(process.wait(timeout=60) == 1, "the phone says so, too")
    servers.start("second-factor")
    until(servers.answers, "the second-factor server is back")
    begin_anew(browser)


def phone_stops(servers, browser, phone, look):
    """A phone of its own: at the end it is blocked."""
    enrol_page(servers, browser, "dave")
    process = phone.begin("enrol", browser.picture("enrol-dave", "[data-qr]"))
    code = phone.event(process, "enrolConfirmation")["code"]
    until(lambda: browser.state == "code", "it asks for the code of the phone")
    type_code(browser, code)
    check(process.wait(timeout=60) == 0, "the phone is enrolled")
    for scene in (refused, cancelled, without_second_factor, penalised, blocked):
        scene(servers, browser, phone, look)
