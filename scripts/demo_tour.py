"""The tour of the demonstration, walked by keyboard for scripts/demo-test: each step done, each thief tried, each result read off the page."""

import contextlib
import pathlib
import subprocess
import threading
import time

from page_browser import ELEMENT
from trial import PIN, Phone, check, until

WRONG = ["194728", "571936", "862473"]
NEW_PIN = "518307"
# Seconds of the demonstration's first penalty: those of a server that nobody has set otherwise.
PENALTY = 30
TAB, ENTER, SHIFT = "\ue004", "\ue007", "\ue008"
# More than there is to reach on the page and in its frames.
MOST_TABS = 150
# More than there is between two controls of the tour.
FEW_TABS = 8


class Demo:
    """`ostiary demo` with its page."""

    def __init__(self, binary, *options):
        self.binary = binary
        self.process = subprocess.Popen([binary, "demo", "--no-browser", *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        told = {}
        for line in self.process.stdout:
            words = line.split()
            if words[:2] == ["open", "this"]:
                told["page"] = words[2]
            elif words[:1] in (["website"], ["data"]):
                told[words[0]] = words[1]
            if "data" in told:
                break
        # Nobody reads the rest, and a full pipe would stop it.
        for stream in (self.process.stdout, self.process.stderr):
            threading.Thread(target=stream.read, daemon=True).start()
        check("page" in told, "the demonstration prints the address of its page")
        self.page, self.site, self.data = told["page"], told["website"], pathlib.Path(told["data"])
        self.shown = self.data / "shown.code"
        self.phone = Phone(binary, self.data)

    def stop(self):
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=20)


class Keyboard:
    """Hands on the keys, and eyes on what has the focus, in the page or in a frame of it."""

    def __init__(self, browser):
        self.browser = browser

    def key(self, *keys):
        actions = [part for key in keys for part in ({"type": "keyDown", "value": key}, {"type": "keyUp", "value": key})]
        self.browser.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

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

    def run(self, script, frame=None):
        """What a script answers; None where a frame is just on its way to another page."""
        try:
            with self.inside(frame):
                return self.browser.run(script)
        except SystemExit:
            if not frame:
                raise
            return None

    def has_focus(self, selector, frame):
        if frame and not self.run(f"return document.activeElement?.matches({frame!r}) ?? false"):
            return False
        return self.run(f"return document.activeElement?.matches({selector!r}) ?? false", frame)

    def reach(self, selector, frame=None, back=False):
        """Goes on by Tab until it is there; or a few on, and if it was none of those then back."""
        for count in range(MOST_TABS):
            if self.has_focus(selector, frame):
                return
            if back and count > FEW_TABS:
                self.key_back()
            else:
                self.key(TAB)
        check(False, f"{selector} is reached by the keyboard")

    def key_back(self):
        steps = [("keyDown", SHIFT), ("keyDown", TAB), ("keyUp", TAB), ("keyUp", SHIFT)]
        self.browser.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": [{"type": kind, "value": key} for kind, key in steps]}]})

    def press(self, selector, frame=None, back=False):
        self.reach(selector, frame, back)
        self.key(ENTER)

    def type(self, selector, text, frame=None):
        self.reach(selector, frame)
        self.key(*text)


class Walk:
    """One walk: the page, the keyboard and the phone."""

    SITE = "[data-site]"

    def __init__(self, demo, browser):
        self.demo, self.browser, self.keys = demo, browser, Keyboard(browser)

    def text(self):
        return self.keys.run("return document.body.innerText", self.SITE) or ""

    def state(self):
        """Of a page of the authentication server in the website's frame."""
        return self.keys.run("return document.querySelector('section[data-state]:not([hidden])')?.dataset.state ?? null", self.SITE)

    def on_site(self, selector):
        self.keys.press(selector, self.SITE)

    def step(self):
        return self.browser.run("return document.querySelector('[data-tour]').dataset.step")

    def is_done(self):
        return self.browser.run("return !document.querySelector('[data-done]').hidden")

    def scan(self, command, *options, pins=(PIN,)):
        """The phone looks at the code that the website shows."""
        until(lambda: self.state() == "waiting", "the website's frame shows a code")
        until(self.demo.shown.exists, "and so does what a phone in a terminal is given")
        return self.demo.phone.begin(command, *options, self.demo.shown, pins=pins)

    def log_in(self, pins=(PIN,)):
        self.on_site("form[action='/login'] button")
        process = self.scan("login", pins=pins)
        until(lambda: "Come in, bob" in self.text(), "the website knows who has logged in")
        check(process.wait(timeout=30) == 0, "the phone has logged in")

    def log_out(self):
        self.on_site("form[action='/logout'] button")
        until(lambda: "The door is closed" in self.text(), "the website has logged out")

    def back_to_site(self):
        self.on_site("[data-back]:not([hidden]) a")
        until(lambda: "The door is closed" in self.text(), "the way back leads to the website")


def scan(walk):
    walk.keys.type("input[name=name]", "Bob", Walk.SITE)
    walk.keys.key(ENTER)
    walk.process = walk.scan("enrol")
    walk.code = Phone.event(walk.process, "enrolConfirmation")["code"]


def confirm(walk):
    until(lambda: walk.state() == "code", "the page asks for the four characters")
    walk.keys.type("#code", walk.code, Walk.SITE)
    walk.keys.key(ENTER)
    until(lambda: "Come in, bob" in walk.text(), "after the enrolment the website knows who it is")
    check(walk.process.wait(timeout=30) == 0, "the phone is enrolled")


def log_in(walk):
    walk.log_out()
    walk.log_in()
    answer = walk.keys.run("return JSON.parse(document.querySelector('[data-answer]').textContent)", Walk.SITE)
    check(answer["loggedin"] and answer["userid"] == "bob", "the website shows what getSession answered")


def wrong_pin(walk):
    walk.log_out()
    walk.log_in(pins=(WRONG[0], PIN))


def penalty(walk):
    walk.log_out()
    walk.on_site("form[action='/login'] button")
    process = walk.scan("login", pins=WRONG)
    until(lambda: walk.state() == "penalised", "the page tells of the penalty")
    walk.penalised_until = time.monotonic() + PENALTY + 2
    process.stdin.close()
    check(process.wait(timeout=30) == 4, "the phone waits")


def refuse(walk):
    until(lambda: walk.state() == "gaveup", "who leaves in a penalty gave up")
    walk.on_site("section:not([hidden]) [data-act=renew]")
    process = walk.scan("login", "--not-me")
    until(lambda: walk.state() == "notme", "“not me” is told on the page")
    check(process.wait(timeout=30) == 2, "the phone has refused")


def new_pin(walk):
    time.sleep(max(0, walk.penalised_until - time.monotonic()))
    process = walk.demo.phone.begin("change-pin", pins=(PIN, NEW_PIN))
    check(process.wait(timeout=40) == 0, "the phone has another PIN")


def look(walk):
    walk.keys.press("[data-messages] summary")
    until(lambda: walk.browser.run("return document.querySelector('[data-messages] details').open"), "a message opens by a key")
    until(lambda: walk.browser.run("return document.querySelectorAll('[data-messages] .sealed').length") > 0, "what is sealed is shown as sealed")
    link = walk.browser.run("return document.querySelector('[data-messages] details a').href")
    shown = walk.browser.run("return fetch(arguments[0]).then((answer) => answer.text())", link.split("#")[0])
    check(f'id="{link.split("#")[1]}"' in shown, "its section of the protocol is there, off line")


def leave_at_site(walk):
    walk.back_to_site()
    walk.log_in(pins=(NEW_PIN,))
    walk.log_out()
    check("ended on your phone" not in walk.text(), "who logs out at the website is not told that the phone did")


def leave_with_phone(walk):
    walk.log_in(pins=(NEW_PIN,))
    process = walk.demo.phone.begin("sessions", "--end", "all", pins=())
    check(process.wait(timeout=30) == 0, "the phone ends the session")
    until(lambda: walk.keys.run("return document.querySelector('[data-end]')?.dataset.end ?? null", Walk.SITE) == "elsewhere",
          "the website notices by itself, and says why")


STEPS = [
    ("scan", scan), ("confirm", confirm), ("logIn", log_in), ("wrongPIN", wrong_pin), ("penalty", penalty), ("refuse", refuse),
    ("newPIN", new_pin), ("look", look), ("logOut", leave_at_site), ("goAway", leave_with_phone),
]


def be_thief(walk, name):
    """Presses the thief's button, and reads what it came to."""
    # The tour stands before the frames, and behind them is a list that grows.
    walk.keys.press("[data-act=thief]", back=True)
    result = "return document.querySelector('[data-result]').dataset.outcome ?? null"
    until(lambda: walk.browser.run(result) not in (None, "running"), f"{name}: the thief is done", 60)
    said = walk.browser.run("return document.querySelector('[data-result]').innerText")
    check(walk.browser.run(result) == "held", f"{name}: the attack comes to nothing ({said.splitlines()[0]})")
    check(len(said.splitlines()) >= 3, f"{name}: and it says what was tried, and why")
    until(lambda: walk.browser.run("return document.querySelectorAll('[data-messages] .thiefs').length") > 0, f"{name}: its messages are marked as a thief's")


def whole_tour(demo, browser):
    walk = Walk(demo, browser)
    browser.open(demo.page)
    until(lambda: walk.step() == "scan", "the tour begins with its first step")
    until(lambda: "The door is closed" in walk.text(), "the website stands beside it")
    check(demo.phone.home.name in browser.run("return document.querySelector('[data-commands]').textContent"), "and says how the phone is used")
    for place, (name, do) in enumerate(STEPS):
        check(walk.step() == name, f"step {place + 1} is {name}")
        # Whoever logs in a second time has logged out before.
        check(not walk.is_done() or name in ("logOut", "goAway"), f"{name} is not done before it is done")
        browser.picture(f"{place + 1:02}-{name}")
        do(walk)
        until(walk.is_done, f"{name}: the page notices that it is done")
        browser.picture(f"{place + 1:02}-{name}-done")
        be_thief(walk, name)
        browser.picture(f"{place + 1:02}-{name}-thief")
        if place + 1 < len(STEPS):
            walk.keys.press("[data-act=next]", back=True)
            until(lambda: walk.step() == STEPS[place + 1][0], "the next step is there")
            check(browser.run("return document.activeElement.matches('[data-title]')"), "with the focus on its heading")
            check(browser.run("return document.title.startsWith(document.querySelector('[data-title]').textContent)"), "and in the title")
    check(browser.run("return document.querySelector('[data-act=next]').disabled"), "after the last step there is none")
    walk.keys.press("[data-act=leave]", back=True)
    until(lambda: browser.run("return document.querySelector('[data-tour]').hidden"), "the tour can be left")
    check("Come in" in walk.text() or "The door is closed" in walk.text(), "and the website stays")
    walk.keys.press("[data-act=enter]")
    until(lambda: walk.step() == "goAway", "and gone on with")
