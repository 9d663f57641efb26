"""The demonstration with the phone's page beside the website, for scripts/demo-test: a person enrols and logs in by keyboard, with no terminal."""

from demo_tour import ENTER, Walk
from trial import PIN, check, until

PHONE = "[data-phone]"
SCREEN = "section[data-screen]:not([hidden])"


class Hands(Walk):
    """A walk whose phone stands on the page, too."""

    def screen(self):
        return self.keys.run(f"return document.querySelector({SCREEN!r})?.dataset.screen ?? null", PHONE)

    def look(self):
        until(lambda: self.state() == "waiting", "the website's frame shows a code")
        until(lambda: self.screen() == "home", "the phone waits for one")
        self.keys.press(f"{SCREEN} [data-act=look]", PHONE)

    def pin(self):
        """The digits go wherever the focus is in the phone."""
        until(lambda: self.screen() == "factor", "the phone asks for a PIN")
        self.keys.reach("[data-key=enter]", PHONE)
        self.keys.key(*PIN)
        until(lambda: self.keys.run("return document.querySelector('[data-dots]').textContent", PHONE) == "●" * len(PIN), "its digits are dots")
        self.keys.key(ENTER)

    def words(self, frame):
        return self.keys.run("return [...document.querySelectorAll('[data-words] span')].map((word) => word.textContent)", frame)


def enrol(walk):
    walk.keys.type("input[name=name]", "Carol", Walk.SITE)
    walk.keys.key(ENTER)
    walk.look()
    until(lambda: walk.screen() == "enrolment", "the phone asks about the enrolment")
    until(lambda: walk.state() == "scanned", "and the website's frame says what to compare")
    check(len(walk.words(PHONE)) == 5 and walk.words(PHONE) == walk.words(Walk.SITE), "both show the same five words")
    walk.browser.picture("phone-page-enrolment")
    walk.keys.press(f"{SCREEN} [data-act=add]", PHONE)
    walk.pin()
    until(lambda: walk.keys.run("return document.querySelector('section[data-screen=factor] [data-asks]').textContent", PHONE) == "Type the same PIN again",
          "a new PIN is typed twice")
    walk.pin()
    until(lambda: walk.state() == "code", "the page asks for the code of the phone")
    code = "return document.querySelector('[data-codes] .code')?.textContent ?? null"
    until(lambda: walk.keys.run(code, PHONE), "the phone shows it")
    walk.keys.type("#code", walk.keys.run(code, PHONE), Walk.SITE)
    walk.keys.key(ENTER)
    until(lambda: "Come in, carol" in walk.text(), "enrolled without a terminal")
    walk.browser.picture("phone-page-enrolled")


def log_in(walk):
    walk.log_out()
    walk.on_site("form[action='/login'] button")
    walk.look()
    until(lambda: walk.screen() == "login", "the phone asks whether to log in")
    walk.browser.picture("phone-page-login")
    walk.keys.press(f"{SCREEN} [data-act=confirm]", PHONE)
    walk.pin()
    until(lambda: "Come in, carol" in walk.text(), "logged in without a terminal")
    walk.browser.picture("phone-page-logged-in")


def leave(walk):
    until(lambda: walk.screen() == "home", "the phone is done")
    stop = f"{SCREEN} [data-sessions] [data-act=stop]"
    until(lambda: walk.keys.run(f"return Boolean(document.querySelector({stop!r}))", PHONE), "the phone lists what is logged in")
    while walk.keys.run(f"return document.querySelectorAll({stop!r}).length", PHONE):
        before = walk.keys.run(f"return document.querySelectorAll({stop!r}).length", PHONE)
        walk.keys.press(stop, PHONE)
        until(lambda: (walk.keys.run(f"return document.querySelectorAll({stop!r}).length", PHONE) or 0) < before, "a session is ended on the phone")
    until(lambda: walk.keys.run("return document.querySelector('[data-end]')?.dataset.end ?? null", Walk.SITE) == "elsewhere",
          "the website notices by itself, and says why")


def phone_page(demo, browser):
    walk = Hands(demo, browser)
    browser.open("about:blank")
    browser.open(demo.page)
    until(lambda: walk.screen() == "home", "the phone stands beside the website")
    until(lambda: "The door is closed" in walk.text(), "which is there, too")
    enrol(walk)
    log_in(walk)
    leave(walk)
