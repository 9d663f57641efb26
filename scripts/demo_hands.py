"""Whoever walks the demonstration by keyboard alone: the website in its frame, the phone in its own, and what both show. For scripts/demo-test."""

import contextlib

from page_browser import ELEMENT, ENTER, SHIFT, TAB
from trial import PIN, check, until

SITE, PHONE = "[data-site]", "[data-phone]"
SCREEN = "section[data-screen]:not([hidden])"
# More than there is to reach on the page and in its frames.
MOST_TABS = 150
# Where the focus is, seen from what is looked for: 0 on it, 1 before it, -1 behind it.
WHERE = """
const [selector] = arguments, now = document.activeElement, goal = document.querySelector(selector);
if (now?.matches(selector)) return 0;
return !goal || !now || now.compareDocumentPosition(goal) & Node.DOCUMENT_POSITION_FOLLOWING || now.contains(goal) ? 1 : -1;
"""


class Keyboard:
    """Hands on the keys, and eyes on what has the focus, in the page or in a frame of it."""

    def __init__(self, browser):
        self.browser = browser

    @contextlib.contextmanager
    def inside(self, frame):
        """Looks into a frame, or stays on the page."""
        if frame:
            self.browser.call("POST", "/frame", {"id": {ELEMENT: self.browser.element(frame)}})
        try:
            yield
        finally:
            if frame:
                self.browser.call("POST", "/frame", {"id": None})

    def run(self, script, frame=None, *arguments):
        """What a script answers; None where a frame is just on its way to another page."""
        try:
            with self.inside(frame):
                return self.browser.run(script, *arguments)
        except SystemExit:
            if not frame:
                raise
            return None

    def where(self, selector, frame):
        """As `WHERE` says. A frame that is not there yet is before nothing."""
        if frame and (place := self.run(WHERE, None, frame)) != 0:
            return place
        found = self.run(WHERE, frame, selector)
        return 1 if found is None else found

    def reach(self, selector, frame=None):
        """By Tab, or by Shift and Tab where that is nearer, until it is there."""
        for _ in range(MOST_TABS):
            place = self.where(selector, frame)
            if place == 0:
                return
            self.browser.keys(TAB, held=SHIFT if place < 0 else None)
        check(False, f"{selector} is reached by the keyboard")

    def press(self, selector, frame=None):
        self.reach(selector, frame)
        self.browser.keys(ENTER)

    def type(self, selector, text, frame=None):
        self.reach(selector, frame)
        self.browser.keys(*text)


class Hands:
    """One walk: the page, the keyboard, and the phone beside the website."""

    def __init__(self, demo, browser):
        self.demo, self.browser, self.keys = demo, browser, Keyboard(browser)

    # The website

    def text(self, frame=SITE):
        return self.keys.run("return document.body.innerText", frame) or ""

    def state(self):
        """Of a page of the authentication server in the website's frame."""
        return self.keys.run("return document.querySelector('section[data-state]:not([hidden])')?.dataset.state ?? null", SITE)

    def on_site(self, selector):
        self.keys.press(selector, SITE)

    def log_out(self):
        self.on_site("form[action='/logout'] button")
        until(lambda: "The door is closed" in self.text(), "the website has logged out")

    def back_to_site(self):
        self.on_site("[data-back]:not([hidden]) a")
        until(lambda: "The door is closed" in self.text(), "the way back leads to the website")

    def ended(self):
        """Why the website says that nobody is in any more."""
        return self.keys.run("return document.querySelector('[data-end]')?.dataset.end ?? null", SITE)

    # The phone

    def screen(self):
        return self.keys.run(f"return document.querySelector({SCREEN!r})?.dataset.screen ?? null", PHONE)

    def on_phone(self, selector):
        self.keys.press(f"{SCREEN} {selector}", PHONE)

    def says(self, text, sentence):
        until(lambda: text in self.text(PHONE), sentence)

    def look(self, screen="login"):
        """The phone looks at the website, and asks."""
        until(lambda: self.state() == "waiting", "the website's frame shows a code")
        until(self.demo.shown.exists, "which a phone can look at")
        until(lambda: self.screen() == "home", "the phone waits for one")
        self.on_phone("[data-act=look]")
        until(lambda: self.screen() == screen, f"the phone asks: {screen}")

    def pin(self, digits=PIN):
        """The digits go wherever the focus is in the phone."""
        until(lambda: self.screen() == "factor", "the phone asks for a PIN")
        self.keys.reach("[data-key=enter]", PHONE)
        self.browser.keys(*digits)
        dots = "return document.querySelector('[data-dots]').textContent"
        until(lambda: self.keys.run(dots, PHONE) == "●" * len(digits), "its digits are dots")
        self.browser.keys(ENTER)

    def asks(self, text, sentence):
        """What the screen of a PIN asks for."""
        until(lambda: self.keys.run("return document.querySelector('section[data-screen=factor] [data-asks]').textContent", PHONE) == text, sentence)

    def words(self, frame):
        return self.keys.run("return [...document.querySelectorAll('[data-words] span')].map((word) => word.textContent)", frame)

    # Both

    def begin(self):
        """Begins a login at the website and agrees to it on the phone."""
        self.on_site("form[action='/login'] button")
        self.look()
        self.on_phone("[data-act=confirm]")

    def log_in(self, digits=PIN):
        self.begin()
        self.pin(digits)
        self.is_in()

    def is_in(self):
        until(lambda: "Come in, bob" in self.text(), "the website knows who has logged in")
