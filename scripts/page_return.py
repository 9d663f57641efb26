"""The whole way through the demonstration's website, tried for scripts/page-test with two browsers: a login ends where it began, whoever sent it."""

import json
import urllib.error
import urllib.request

from trial import Demo, check, until


class Unfollowed(urllib.request.HTTPRedirectHandler):
    """A redirect is looked at and not followed."""

    def redirect_request(self, *_):
        return None


def ticket(site, cookie):
    """What somebody does who presses *log in* and keeps the address that the site's redirect leads to."""
    request = urllib.request.Request(site + "/login", data=b"", method="POST", headers={"Origin": site, "Cookie": cookie})
    try:
        urllib.request.build_opener(Unfollowed).open(request, timeout=30)
    except urllib.error.HTTPError as answer:
        return answer.headers["Location"]
    raise SystemExit("FAILED  the site does not redirect")


def text(browser):
    return browser.run("return document.body.innerText")


def scan(browser, phone, name):
    until(lambda: browser.state == "waiting", f"{name}: the login page shows a code")
    return phone.begin("login", browser.picture(name, "[data-qr]"))


def enrol(demo, browser, phone):
    browser.open(demo.site)
    browser.type("input[name=name]", "Bob")
    browser.click("form[action='/enrol'] button")
    until(lambda: browser.state == "waiting", "the site sends the browser to the enrol page")
    process = phone.begin("enrol", browser.picture("site-enrol", "[data-qr]"))
    code = phone.event(process, "enrolConfirmation")["code"]
    until(lambda: browser.state == "code", "the page asks for the code")
    browser.type("#code", code)
    browser.click("form .button")
    until(lambda: "Come in, bob" in text(browser), "after the enrolment the site knows who it is")
    check(process.wait(timeout=60) == 0, "the phone is enrolled")


def log_out(browser):
    browser.click("form[action='/logout'] button")
    until(lambda: "The door is closed" in text(browser), "the site logs out")


def come_back(demo, browser, phone):
    """The person's own login."""
    browser.click("form[action='/login'] button")
    process = scan(browser, phone, "site-login")
    until(lambda: "Come in, bob" in text(browser), "a login ends at the site, in the browser that began it")
    check(browser.address == demo.site + "/", "the address has no code in it any more")
    check(process.wait(timeout=60) == 0, "the phone is told of the login")
    browser.picture("site-in")
    log_out(browser)


def forwarded_ticket(demo, victim, attacker, phone):
    attacker.open(demo.site)
    link = ticket(demo.site, attacker.cookies())
    victim.open(link)
    process = scan(victim, phone, "site-forwarded")
    until(lambda: "did not begin in this browser" in text(victim), "a page that somebody forwarded logs nobody in, and the site says so")
    check("returncode" not in victim.address, "the address has no code in it")
    victim.picture("site-forwarded-told")
    warning = phone.event(process, "error")
    check(warning["name"] == "loginInOtherBrowser" and process.wait(timeout=60) == 5, "the phone warns: " + warning["message"])
    attacker.open(demo.site)
    check("The door is closed" in text(attacker), "who forwarded it is not logged in")


def forwarded_link(demo, victim, attacker, phone):
    attacker.click("form[action='/login'] button")
    until(lambda: attacker.state == "waiting", "another page of the attacker")
    link = attacker.run("return document.querySelector('[data-link]').href")
    process = phone.begin("login", link)
    address = phone.event(process, "sessionUpdate")["returnURL"]
    until(lambda: attacker.state == "inapp", "after a tapped link the page says to go on in the window that the app opens")
    attacker.picture("page-in-app")
    check(address not in attacker.run("return document.documentElement.outerHTML"), "and does not know the address")
    victim.open(address)
    until(lambda: "did not begin in this browser" in text(victim), "the victim's browser is let in nowhere by it")
    until(lambda: attacker.state == "notreturned", "the attacker's page says that nobody was logged in")
    attacker.picture("page-not-returned")
    check(process.wait(timeout=60) == 5, "the phone has warned")
    attacker.open(demo.site)
    check("The door is closed" in text(attacker), "nor is the attacker")


def tapped(demo, browser, phone):
    browser.open(demo.site)
    browser.click("form[action='/login'] button")
    until(lambda: browser.state == "waiting", "a page on the phone itself")
    process = phone.begin("login", browser.run("return document.querySelector('[data-link]').href"))
    browser.new_tab()
    browser.open(phone.event(process, "sessionUpdate")["returnURL"])
    until(lambda: "Come in, bob" in text(browser), "the window that the app opens in the same browser is logged in")
    check(process.wait(timeout=60) == 0, "the phone is told of the login")


def through_the_site(binary, phone, make_browser):
    demo = Demo(binary)
    victim = attacker = None
    try:
        victim, attacker = make_browser(), make_browser()
        enrol(demo, victim, phone)
        log_out(victim)
        come_back(demo, victim, phone)
        forwarded_ticket(demo, victim, attacker, phone)
        forwarded_link(demo, victim, attacker, phone)
        tapped(demo, victim, phone)
        complaints = [entry for browser in (victim, attacker) for entry in browser.complaints()]
        check(not complaints, "neither browser had anything to complain about" + json.dumps(complaints) * bool(complaints))
    finally:
        for browser in (victim, attacker):
            if browser:
                browser.close()
        demo.stop()
