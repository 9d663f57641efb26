"""The phone page, `ostiary phone --ui`, tried for scripts/page-test: one browser shows the login pages, another one the phones."""

import base64
import json
import secrets
import subprocess
import time
import urllib.error
import urllib.request

from local_server import LocalServer, QuietPages
from page_axe import nothing_found
from page_browser import BACKSPACE, ENTER, TAB
from page_steps import login_page, type_code
from trial import PIN, WRONG, check, until

NEW_PIN = "284613"
SHOWN = "section[data-screen]:not([hidden])"
# What a person drops or pastes.
GIVE = """
const [kind, picture, text] = arguments;
const data = new DataTransfer();
if (picture) data.items.add(new File([Uint8Array.from(atob(picture), (character) => character.charCodeAt(0))], "code.png", { type: "image/png" }));
if (text) data.setData("text/plain", text);
const event = kind === "paste" ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
  : new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
document.body.dispatchEvent(event);
"""


# Keeps what the page sends from here on, as it goes over the line.
HEAR = """
const send = window.fetch;
window.heard = [];
window.fetch = async (path, options) => {
  if (options.body) window.heard.push([path, Array.from(new Uint8Array(await new Response(options.body).arrayBuffer()))]);
  return send(path, options);
};
"""


class PhonePage:
    """`ostiary phone --ui` with two homes, and the browser that has its address."""

    def __init__(self, binary, folder, browser):
        homes = [folder / "ui-desk", folder / "ui-pocket"]
        self.process = subprocess.Popen(
            [binary, "phone", "--ui", "--json", "--home", homes[0], "--beside", homes[1]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.address = json.loads(self.process.stdout.readline())["address"]
        self.origin, secrets = self.address.split("/#")
        # The first is sent; by the second the page knows the program.
        self.secret, self.key = secrets.split(".")
        self.browser = browser

    def stop(self):
        self.process.terminate()
        return self.process.wait(timeout=60)

    def open(self):
        self.browser.open(self.address)
        self.on("home", "the phone page shows a phone")

    @property
    def screen(self):
        return self.browser.run(f"return document.querySelector('{SHOWN}')?.dataset.screen")

    @property
    def text(self):
        return self.browser.run("return document.body.innerText")

    def on(self, screen, sentence):
        until(lambda: self.screen == screen, sentence)

    def says(self, text, sentence):
        until(lambda: text in self.text, sentence)

    def click(self, selector):
        self.browser.click(f"{SHOWN} {selector}")

    def act(self, name):
        self.click(f"[data-act={name}]")

    def give(self, kind, picture=None, text=None):
        self.on("home", "the phone waits for a code")
        self.browser.run(GIVE, kind, picture and base64.b64encode(picture.read_bytes()).decode(), text)

    def reach(self, selector):
        """With the Tab key, from where the focus is."""
        for _ in range(40):
            if self.browser.run("return document.activeElement.matches(arguments[0])", selector):
                return
            self.browser.keys(TAB)
        check(False, f"the Tab key reaches {selector}")

    def pin(self, digits):
        """By the pad; every key that was pressed shows as one more digit."""
        for count, digit in enumerate(digits, 1):
            self.click(f"[data-key='{digit}']")
            until(lambda: self.browser.run("return document.querySelector('[data-dots]').textContent") == "●" * count, f"{count} digits are shown as dots")
        page = self.browser.run("return document.documentElement.outerHTML + location.href + JSON.stringify({ ...sessionStorage, ...localStorage })")
        asked = self.browser.run("return performance.getEntriesByType('resource').map((entry) => entry.name).join(' ')")
        check(digits not in page + asked, "no PIN stands in the page, in an address or in a store of the browser")
        self.click("[data-key=enter]")

    def refused(self, path, headers, body=None):
        """The status of a call that the page itself did not make."""
        request = urllib.request.Request(self.origin + path, data=body, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code


def look(ui, name, look_at):
    """As scripts/page-test looks at every page; focus and title follow."""
    look_at(ui.browser, f"phone-{name}")
    focused = ui.browser.run("const focus = document.activeElement; return focus !== document.body && focus.checkVisibility()")
    check(focused, f"phone {name}: the focus is on something that is there")
    heading = ui.browser.run(f"return document.querySelector('{SHOWN} h1').textContent")
    check(ui.browser.run("return document.title").startswith(heading), f"phone {name}: the title says what the page says")


def guard(ui, browser):
    """Nobody but the page speaks to the phones."""
    right = {"X-Phone-Page": ui.secret, "Origin": ui.origin}
    check(ui.refused("/phones", right) == 200, "the page's own call is answered")
    check(ui.refused("/phones", {}) == 401, "without the secret nothing is told")
    port = ui.origin.split(":")[-1]
    for host in (f"evil.example:{port}", f"localhost:{port}"):
        check(ui.refused("/", {"Host": host}) == 421, f"under the name {host} there is not even a page")
        check(ui.refused("/phones", {**right, "Host": host}) == 421, "whoever has the secret")
    check(ui.refused("/phones/0/app-login", {**right, "Origin": "https://evil.example"}, b"{}") == 403, "another origin starts nothing")
    check(ui.refused("/phones/0/app-login", {"X-Phone-Page": ui.secret}, b"{}") == 403, "and neither does one that is not told")
    browser.open(f"http://evil.example:{port}/#{ui.secret}")
    check(browser.run("return document.querySelector('script') === null"), "a website whose name leads to this machine gets no page (DNS rebinding)")
    reached = browser.run(
        "return fetch('/phones', { headers: { 'X-Phone-Page': arguments[0] } }).then((answer) => answer.status, () => 0)", ui.secret)
    check(reached in (0, 421), "and its scripts reach no phone")


def enrol(servers, web, ui, look_at, name="alice"):
    web.open(servers.page("enrol", secrets.token_urlsafe(24), name=name, userid=name))
    until(lambda: web.state == "waiting", "an enrol page shows a code")
    words = web.run("return [...document.querySelectorAll('section:not([hidden]) [data-words] span')].map((word) => word.textContent)")
    ui.give("paste", picture=web.picture(f"phone-enrol-{name}", "[data-qr]"))
    ui.on("enrolment", "a picture that is pasted is scanned: the phone asks whether to enrol")
    told = ui.browser.run("return [...document.querySelectorAll('[data-words] span')].map((word) => word.textContent)")
    check(len(told) == 5 and (not words or words == told), "with the five words of the page")
    check(name in ui.browser.run(f"return document.querySelector('{SHOWN} h1').textContent"), "and the name of the account")
    if look_at:
        look(ui, "enrolment", look_at)
    ui.act("add")
    ui.on("factor", "a PIN is chosen")
    ui.pin(PIN)
    ui.says("Type the same PIN again", "it is typed twice")
    ui.browser.keys(*PIN, ENTER)
    until(lambda: ui.browser.run("return Boolean(document.querySelector('[data-codes] .code'))"), "the phone shows a code for the page")
    if look_at:
        look(ui, "code", look_at)
    until(lambda: web.state == "code", "which asks for it")
    type_code(web, ui.browser.run("return document.querySelector('[data-codes] .code').textContent"))
    ui.says("Enrolled at", "the phone says that it is enrolled")


def app_login(ui):
    ui.click("[data-accounts] [data-act=appLogin]")
    ui.says("Logged in to this phone’s app", "straight after the enrolment the app itself is logged in to without a PIN")


def scan(ui):
    """A window that is really shared with the phone's: the moving code, frame by frame, as a camera has it."""
    ui.on("home", "the phone waits for a code")
    ui.act("share")
    ui.on("login", "a moving code on a shared screen is scanned")
    check(ui.browser.run("return document.querySelector('[data-sharing]').hidden"), "and the screen is let go")


def confirm(ui):
    ui.click("[data-choices] button")
    ui.on("factor", "the PIN is asked for")


def hand_in(servers, web, nonce):
    until(lambda: "returncode=" in web.address, "the browser goes back to its site")
    check(servers.hand_in(nonce, web.address).get("userid") == "alice", "which learns who it is")


def log_in(servers, ui, look_at):
    """With site and phone in two windows of one browser, since a browser shares its own windows only where nobody is there to choose one."""
    phone, site = ui.browser.window, ui.browser.new_window()
    nonce = login_page(servers, ui.browser)
    ui.browser.enter(phone)
    scan(ui)
    ui.says("read off a screen just now", "the phone says how surely the browser is the one in front of the person")
    look(ui, "login", look_at)
    confirm(ui)
    ui.pin(WRONG[0])
    ui.says("That was wrong. 4 of 5 tries are left.", "a wrong PIN is told, with the tries that are left")
    look(ui, "wrong-pin", look_at)
    # Without a mouse.
    ui.browser.keys(*PIN[:5], BACKSPACE, *PIN[4:], ENTER)
    ui.browser.enter(site)
    hand_in(servers, ui.browser, nonce)
    ui.browser.close_tab(site)
    until(lambda: ui.browser.run("return document.querySelectorAll('[data-sessions] > li').length") >= 3, "the phone lists the session")
    look(ui, "home", look_at)
    return nonce


def end_here(servers, ui, nonce):
    ui.click("[data-sessions] > li:last-child [data-act=stop]")
    until(lambda: not servers.session(nonce)["loggedin"], "a session that is ended on the phone is over at the site")
    ui.says("ended on this phone", "and the phone says so")


def end_there(servers, web, ui):
    nonce = login_page(servers, web)
    ui.give("drop", picture=web.picture("phone-dropped", "[data-qr]"))
    ui.on("login", "a picture that is dropped is scanned")
    ui.reach("[data-choices] button")
    ui.browser.keys(ENTER)
    ui.on("factor", "a login is confirmed without a mouse")
    ui.reach("[data-key='1']")
    ui.browser.keys(*PIN)
    ui.reach("[data-key=enter]")
    ui.browser.keys(ENTER)
    hand_in(servers, web, nonce)
    ui.says("Logged in to", "the phone says that it is logged in")
    servers.rest("POST", f"/servers/{servers.server}/sessions/logout", nonce)
    ui.says("ended by the website", "a session that the site ends is over on the phone, which says who ended it")


def refuse(servers, web, ui):
    for act, state in (("deny", "denied"), ("notMe", "notme")):
        login_page(servers, web)
        ui.give("paste", picture=web.picture("phone-refused", "[data-qr]"))
        ui.on("login", "a login is asked")
        ui.act(act)
        until(lambda: web.state == state, f"the page hears {state}")
        ui.on("home", "and the phone is done with it")


def announced(servers, web, ui, look_at):
    """What a website says is not taken for what the phone says."""
    info = {"Website": "https://bank.example", "Asked by": "this browser, in this room", "Amount" + "\u0323" * 25: "1" + "\u0323" * 200}
    web.open(servers.page("login", secrets.token_urlsafe(24), announceinfo={"info": info}))
    until(lambda: web.state == "waiting", "a login page shows a code")
    ui.give("paste", picture=web.picture("phone-announced", "[data-qr]"))
    ui.on("login", "a login is asked")
    keys = "return [...document.querySelectorAll(arguments[0])].filter((e) => e.checkVisibility()).map((e) => e.textContent)"
    check(set(ui.browser.run(keys, ".announced dt")) == set(info), "what the website announces stands in a box of its own")
    own = ui.browser.run(keys, "[data-about] > dl :is(dt, dd)")
    check("Answer until" in own and not set(own) & set(info.values()), "and not among the rows of the phone")
    check("The website says this" in ui.text, "under a heading that says whose words they are")
    spilling = ui.browser.run(f"""return [...document.querySelectorAll("{SHOWN} :is(h1, dt, dd, p, .button, .plain)")]
      .filter((e) => !e.querySelector("a, button, label") && getComputedStyle(e).overflowY !== "clip").map((e) => e.textContent)""")
    check(not spilling, f"marks that pile up on a letter draw over nothing else {spilling}")
    look(ui, "announced", look_at)
    ui.act("deny")
    ui.on("home", "and the phone is done with it")


def penalty(servers, web, ui, look_at):
    nonce = login_page(servers, web)
    ui.give("paste", picture=web.picture("phone-penalty", "[data-qr]"))
    ui.on("login", "a login is asked")
    confirm(ui)
    for left, pin in zip(("4 of 5 tries are", "3 of 5 tries are", "2 of 5 tries are"), WRONG[:3]):
        ui.browser.keys(*pin, ENTER)
        ui.says(f"{left} left", f"{left} left")
    wait = "return document.querySelector('[data-wait]').textContent"
    first = ui.browser.run(wait)
    check("Wait" in first and ui.browser.run("return [...document.querySelectorAll('[data-key]')].every((key) => key.disabled)"), "the pad is closed for the time of the penalty")
    until(lambda: ui.browser.run(wait) not in (first, ""), "which is counted down")
    look(ui, "penalty", look_at)
    until(lambda: ui.browser.run(wait) == "", "to its end")
    ui.pin(PIN)
    hand_in(servers, web, nonce)


def sealed(ui, digits):
    """Of the digits that are typed now nothing stands in what the page sends: the port may be another program's by then."""
    ui.browser.run(HEAR)
    ui.pin(digits)
    until(lambda: len(ui.browser.run("return window.heard")) > len(digits), "each key of a PIN is a call of its own")
    heard = [(path, bytes(body)) for path, body in ui.browser.run("return window.heard")]
    check(all(path == "/phones/0/key" for path, _ in heard), "which says no more than that a key was pressed")
    check(not any(b"key" in body or b"question" in body for _, body in heard), "and what it holds is sealed")
    check(len({body[12:] for _, body in heard}) == len(heard), "so that the same digit is never the same twice")
    path, body = heard[0]
    right = {"X-Phone-Page": ui.secret, "Origin": ui.origin}
    check(ui.refused(path, right, body) == 400, "one that was heard counts for nobody a second time")
    check(ui.refused(path, right, b'{"question":1,"key":"1"}') == 400, "and one in clear not once")


def change_pin(servers, web, ui):
    ui.click("[data-accounts] [data-act=changePIN]")
    ui.says("Enter the PIN so far", "the PIN so far is asked for")
    sealed(ui, PIN)
    ui.says("Choose a new PIN", "then a new one")
    ui.pin("123456")
    ui.says("easy to guess", "which must not be easy to guess")
    ui.pin(NEW_PIN)
    ui.says("Type the same PIN again", "and is typed twice")
    ui.pin(NEW_PIN)
    ui.says("The PIN is changed", "the PIN is changed")


def biometrics(servers, web, ui, look_at):
    def show(finger):
        ui.act("finger")
        ui.browser.click(f"[data-dialog=finger] [data-finger={finger}]")

    ui.click("[data-accounts] [data-act=addBiometrics]")
    ui.says("Show the simulated finger", "the finger is asked for first, and alone")
    check(not ui.browser.run("return document.querySelector('[data-pad]').checkVisibility()"), "no PIN is taken in that step")
    ui.act("finger")
    check("protects nothing" in ui.browser.run("return document.querySelector('dialog[open]').innerText"), "the prompt says what it is")
    nothing_found(ui.browser, "phone finger prompt")
    ui.browser.picture("phone-finger")
    ui.browser.click("[data-dialog=finger] [data-finger=confirm]")
    ui.says("Enter your PIN", "then the PIN")
    ui.pin(NEW_PIN)
    ui.says("Biometrics are added", "biometrics are added")
    nonce = login_page(servers, web)
    ui.give("paste", picture=web.picture("phone-finger-login", "[data-qr]"))
    ui.on("login", "a login is asked")
    confirm(ui)
    show("fail")
    ui.says("nothing was counted", "a wrong finger costs nothing")
    look(ui, "finger", look_at)
    show("confirm")
    hand_in(servers, web, nonce)


def other_phone(servers, web, ui, look_at):
    """The person's second phone stands beside the first."""
    ui.browser.click("nav [data-place='1']")
    ui.says("There is none yet", "the phone beside it has a home of its own")
    check(ui.browser.run("return document.activeElement.getAttribute('aria-current')") == "page", "the focus stays on the phone that was chosen")
    enrol(servers, web, ui, None)
    ui.browser.click("nav [data-place='0']")
    ui.act("refresh")
    ui.says("A new device was enrolled for alice", "the first phone warns of the second")
    look(ui, "new-device", look_at)
    ui.browser.click(".notice-warning [data-act=putAway]")
    until(lambda: "A new device" not in ui.text, "until the person has read it")


def delete_account(ui):
    """Of the second phone, and only by the second word."""
    question, accounts = "[data-dialog=delete]", "return document.querySelectorAll('[data-accounts] > li').length"
    ui.browser.click("nav [data-place='1']")
    until(lambda: ui.browser.run(accounts) == 1, "the second phone has an account")
    ui.click("[data-accounts] [data-act=delete]")
    check("cannot be brought back" in ui.browser.run("return document.querySelector('dialog[open]').innerText"), "it is asked before an account goes")
    nothing_found(ui.browser, "phone deletes an account")
    ui.browser.picture("phone-delete")
    ui.browser.click(f"{question} [data-act=keep]")
    check(ui.browser.run(accounts) == 1 and not ui.browser.run("return Boolean(document.querySelector('dialog[open]'))"), "it can be kept")
    ui.click("[data-accounts] [data-act=delete]")
    ui.browser.click(f"{question} [data-act=deleteNow]")
    ui.says("There is none yet", "or goes")


class Squatter(QuietPages):
    """Another program on the port of the phones: it asks for a PIN."""

    asked = []

    def do_GET(self):
        self.asked.append(self.path)
        screen = {"context": "VERIFY", "blocked": False, "maxAttempts": 5, "failedAttempts": 0, "counted": False, "penalty": 0, "biometrics": False,
                  "pin": True, "typed": 0, "again": False}
        phone = {"name": "phone", "screen": "factor", "question": 1, "factor": screen, "codes": [], "notices": [], "readable": True, "accounts": [],
                 "returning": [], "sessions": [], "history": [], "sensor": False}
        body = json.dumps({"version": 1, "phones": [phone]}).encode()
        self.give(200, body, {"Content-Type": "application/json", "X-Phone-Proof": "00" * 32})

    do_POST = do_GET


def squatted(ui):
    """Whoever takes the port of a program that ended gets nothing of its page."""
    server = LocalServer(Squatter, int(ui.origin.split(":")[-1]))
    server.serve()
    try:
        # The page used to ask every two seconds.
        time.sleep(3)
        ui.browser.run("document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '7', bubbles: true }))")
        time.sleep(0.5)
        check(ui.screen == "gone" and not Squatter.asked, "another program on its port is asked for nothing, and draws no pad")
    finally:
        server.stop()


def ends(ui, look_at):
    ui.browser.run("location.hash = '#wrong'")
    ui.on("closed", "with another secret the page says that it has no phone")
    look(ui, "closed", look_at)
    ui.browser.open("about:blank")
    ui.browser.open(ui.address)
    ui.on("home", "with the right one it is there again")
    check(ui.stop() == 0, "the program ends in order although a page waits for news")
    ui.on("gone", "and the page says that it has ended")
    nothing_found(ui.browser, "phone that is gone")
    squatted(ui)


def phone_page(servers, binary, folder, web, new_browser, look_at):
    ui = PhonePage(binary, folder, new_browser())
    try:
        guard(ui, ui.browser)
        ui.open()
        look(ui, "empty", look_at)
        enrol(servers, web, ui, look_at)
        app_login(ui)
        nonce = log_in(servers, ui, look_at)
        end_here(servers, ui, nonce)
        end_there(servers, web, ui)
        refuse(servers, web, ui)
        announced(servers, web, ui, look_at)
        penalty(servers, web, ui, look_at)
        change_pin(servers, web, ui)
        biometrics(servers, web, ui, look_at)
        other_phone(servers, web, ui, look_at)
        loaded = ui.browser.run("return performance.getEntriesByType('resource').map((entry) => entry.name)")
        check(all(name.startswith((ui.origin + "/", "data:")) for name in loaded), "the phone page loads nothing from anywhere else")
        delete_account(ui)
        ends(ui, look_at)
    finally:
        if ui.process.poll() is None:
            ui.stop()
        ui.browser.close()
