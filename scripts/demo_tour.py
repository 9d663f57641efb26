"""The tour of the demonstration, walked by keyboard for scripts/demo-test: each step done at the website and on the phone's page, each thief tried,
each result read off the page."""

from demo_hands import PHONE, SCREEN, SITE, Hands
from page_browser import ENTER
from trial import WRONG, check, until

NEW_PIN = "518307"
# Seconds in which the demonstration's first penalty is over: 30 for a server that nobody has set otherwise.
PENALTY = 40


def scan(hands):
    hands.keys.type("input[name=name]", "Bob", SITE)
    hands.browser.keys(ENTER)
    hands.look("enrolment")
    until(lambda: hands.state() == "scanned", "the website's frame says what to compare")
    check(len(hands.words(PHONE)) == 5 and hands.words(PHONE) == hands.words(SITE), "both show the same five words")


def confirm(hands):
    hands.on_phone("[data-act=add]")
    hands.pin()
    hands.asks("Type the same PIN again", "a new PIN is typed twice")
    hands.pin()
    until(lambda: hands.state() == "code", "the page asks for the four characters")
    code = "return document.querySelector('[data-codes] .code')?.textContent ?? null"
    until(lambda: hands.keys.run(code, PHONE), "the phone shows them")
    hands.keys.type("#code", hands.keys.run(code, PHONE), SITE)
    hands.browser.keys(ENTER)
    hands.is_in()


def log_in(hands):
    hands.log_out()
    hands.log_in()
    answer = hands.keys.run("return JSON.parse(document.querySelector('[data-answer]').textContent)", SITE)
    check(answer["loggedin"] and answer["userid"] == "bob", "the website shows what getSession answered")


def wrong_pin(hands):
    hands.log_out()
    hands.begin()
    hands.pin(WRONG[0])
    hands.says("4 of 5 tries are left", "the phone says how many tries are left")
    hands.pin()
    hands.is_in()


def penalty(hands):
    hands.log_out()
    hands.begin()
    for pin, left in zip(WRONG, (4, 3, 2)):
        hands.pin(pin)
        hands.says(f"{left} of 5 tries are left", f"{left} of 5 tries are left")
    until(lambda: hands.state() == "penalised", "the page tells of the penalty")
    hands.says("before the next try", "and the phone counts it down")


def refuse(hands):
    hands.on_phone("[data-act=giveUp]")
    until(lambda: hands.state() == "gaveup", "who leaves in a penalty gave up")
    hands.on_site("section:not([hidden]) [data-act=renew]")
    hands.look()
    hands.on_phone("[data-act=notMe]")
    until(lambda: hands.state() == "notme", "“not me” is told on the page")


def new_pin(hands):
    until(lambda: hands.screen() == "home", "the phone is done with it")
    hands.on_phone("[data-accounts] [data-act=changePIN]")
    hands.asks("Enter the PIN so far", "the PIN so far is asked for")
    waits = "return document.querySelector('[data-wait]').hidden"
    until(lambda: hands.keys.run(waits, PHONE), "once the penalty is over", PENALTY)
    hands.pin()
    hands.asks("Choose a new PIN", "then a new one")
    hands.pin(NEW_PIN)
    hands.asks("Type the same PIN again", "which is typed twice")
    hands.pin(NEW_PIN)
    hands.says("The PIN is changed", "the phone has another PIN")


def look(hands):
    hands.keys.press("[data-messages] summary")
    until(lambda: hands.browser.run("return Boolean(document.querySelector('[data-messages] details[open]'))"), "a message opens by a key")
    until(lambda: hands.browser.run("return document.querySelectorAll('[data-messages] .sealed').length") > 0, "what is sealed is shown as sealed")
    link = hands.browser.run("return document.querySelector('[data-messages] details[open] a').href")
    shown = hands.browser.run("return fetch(arguments[0]).then((answer) => answer.text())", link.split("#")[0])
    check(f'id="{link.split("#")[1]}"' in shown, "its section of the protocol is there, off line")


def leave_at_site(hands):
    hands.back_to_site()
    hands.log_in(NEW_PIN)
    hands.log_out()
    check("ended on your phone" not in hands.text(), "who logs out at the website is not told that the phone did")


def leave_with_phone(hands):
    hands.log_in(NEW_PIN)
    until(lambda: hands.screen() == "home", "the phone is done")
    stop = f"{SCREEN} [data-sessions] [data-act=stop]"
    count = f"return document.querySelectorAll({stop!r}).length"
    until(lambda: hands.keys.run(count, PHONE), "the phone lists what is logged in")
    while before := hands.keys.run(count, PHONE):
        hands.keys.press(stop, PHONE)
        until(lambda: (hands.keys.run(count, PHONE) or 0) < before, "a session is ended on the phone")
    until(lambda: hands.ended() == "elsewhere", "the website notices by itself, and says why")


# After which steps it is looked at: what a thief came to, somebody inside, a message that is open, and a login that has ended.
LOOKED_AT = ("scan", "logIn", "look", "goAway")
STEPS = [
    ("scan", scan), ("confirm", confirm), ("logIn", log_in), ("wrongPIN", wrong_pin), ("penalty", penalty), ("refuse", refuse),
    ("newPIN", new_pin), ("look", look), ("logOut", leave_at_site), ("goAway", leave_with_phone),
]


def be_thief(hands, name):
    """Presses the thief's button, and reads what it came to."""
    hands.keys.press("[data-act=thief]")
    result = "return document.querySelector('[data-result]').dataset.outcome ?? null"
    until(lambda: hands.browser.run(result) not in (None, "running"), f"{name}: the thief is done", 60)
    said = hands.browser.run("return document.querySelector('[data-result]').innerText")
    check(hands.browser.run(result) == "held", f"{name}: the attack comes to nothing ({said.splitlines()[0]})")
    check(len(said.splitlines()) >= 3, f"{name}: and it says what was tried, and why")
    until(lambda: hands.browser.run("return document.querySelectorAll('[data-messages] .thiefs').length") > 0, f"{name}: its messages are marked as a thief's")


def whole_tour(demo, browser, look_at):
    """`look_at` looks at what is shown, and is told what that is."""
    hands = Hands(demo, browser)
    browser.open("about:blank")
    browser.open(demo.page)
    step, done = "return document.querySelector('[data-tour]').dataset.step", "return !document.querySelector('[data-done]').hidden"
    until(lambda: browser.run(step) == "scan", "the tour begins with its first step")
    until(lambda: "The door is closed" in hands.text(), "the website stands beside it")
    until(lambda: hands.screen() == "home", "and the phone")
    for place, (name, do) in enumerate(STEPS):
        check(browser.run(step) == name, f"step {place + 1} is {name}")
        # Whoever logs in a second time has logged out before.
        check(not browser.run(done) or name in ("logOut", "goAway"), f"{name} is not done before it is done")
        browser.picture(f"{place + 1:02}-{name}")
        do(hands)
        until(lambda: browser.run(done), f"{name}: the page notices that it is done")
        browser.picture(f"{place + 1:02}-{name}-done")
        be_thief(hands, name)
        browser.picture(f"{place + 1:02}-{name}-thief")
        if name in LOOKED_AT:
            look_at(browser, f"after {name}")
        if place + 1 < len(STEPS):
            hands.keys.press("[data-act=next]")
            until(lambda: browser.run(step) == STEPS[place + 1][0], "the next step is there")
            check(browser.run("return document.activeElement.matches('[data-title]')"), "with the focus on its heading")
            check(browser.run("return document.title.startsWith(document.querySelector('[data-title]').textContent)"), "and in the title")
    check(browser.run("return document.querySelector('[data-act=next]').disabled"), "after the last step there is none")
    hands.keys.press("[data-act=leave]")
    until(lambda: browser.run("return document.querySelector('[data-tour]').hidden"), "the tour can be left")
    look_at(browser, "without the tour")
    check("Come in" in hands.text() or "The door is closed" in hands.text(), "and the website stays")
    hands.keys.press("[data-act=enter]")
    until(lambda: browser.run(step) == "goAway", "and gone on with")
