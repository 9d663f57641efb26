"""The ways on of the pages, tried for scripts/page-test: back to the site, a code that renews itself, hidden tabs, people without the app, languages."""

import contextlib
import secrets
import sqlite3
import time

from page_steps import load_again
from trial import check, until

LANGUAGES = {"en": "Log in with your phone", "nl": "Inloggen met uw telefoon", "fr": "Se connecter avec le téléphone",
             "de": "Mit dem Telefon anmelden", "ar": "سجل الدخول بهاتفك"}
# Marks that pile up, a right-to-left word, and no place to break.
LONG = "Ünïcödé-mit-sehr-sehr-sehr-langem-namen-" + "x" * 120 + " שלום"
# A tab that nobody sees, as far as the page can tell; and what became of its streams.
HIDING = """
window.sources = [];
const Source = window.EventSource;
window.EventSource = class extends Source { constructor(address) { super(address); window.sources.push(this); } };
Object.defineProperty(document, "hidden", { get: () => Boolean(window.isHidden) });
window.hide = (isHidden) => { window.isHidden = isHidden; document.dispatchEvent(new Event("visibilitychange")); };
"""
LISTENS = "return window.sources.some((source) => source.readyState !== 2)"


def open_page(servers, browser, kind="login", lang="", **members):
    """A page that shows a code, and its nonce."""
    nonce = secrets.token_urlsafe(24)
    if kind == "enrol":
        members.setdefault("name", "wendy@example.org")
    link = servers.page(kind, nonce, **members)
    # Another ticket behind the same address is the same document for a while, and shows what the former page did.
    browser.open("about:blank")
    browser.open(link.replace("#", f"?lang={lang}#") if lang else link)
    until(lambda: browser.state == "waiting", f"a page to {kind} shows a code")
    return nonce


def run_out(servers):
    """Every open login is older than it may be: those of pages that nobody looks at any more as well, since two that begin in one second cannot be told
    apart by when they began."""
    with contextlib.closing(sqlite3.connect(servers.folder / "serve" / "ostiary.sqlite", timeout=10)) as database, database:
        database.execute("UPDATE session SET started_at = started_at - 400 WHERE state = 0")


def back(browser):
    """Where the way back leads; None where there is none to be seen."""
    return browser.run("return document.querySelector('[data-back]:not([hidden]) a')?.href ?? null")


def back_to_the_site(servers, browser, phone, look):
    cancel = servers.origin + "/l?cancelled"
    for answer, state in (("--deny", "denied"), ("--not-me", "notme")):
        open_page(servers, browser, cancelurl=cancel)
        check(back(browser) == cancel, "whoever does not want to log in may go back at once")
        process = phone.begin("login", answer, browser.picture(f"ways-{state}", "[data-qr]"))
        until(lambda: browser.state == state, f"{answer} is told on the page")
        check(process.wait(timeout=60) == 2, "the phone has refused")
        check(back(browser) == cancel, "and the way back is that of who does not go on")
    link = servers.page("login", secrets.token_urlsafe(24), returnurl=servers.origin + "/l?back")
    browser.open(link)
    until(lambda: browser.state == "waiting", "a page without a way of its own for that")
    check(back(browser) == servers.origin + "/l?back", "leads back to where its login would")
    browser.forget_cookies()
    load_again(browser, "over", "a page that is over says so")
    check(back(browser) == servers.origin + "/l?back", "and still knows the way back")
    look(browser, "login-over")
    browser.open(servers.origin + "/login")
    browser.open(link)
    until(lambda: back(browser) == servers.origin + "/l?back", "a link that was used opens nothing, and leads back to the site that this tab came from")
    check(browser.state == "closed", "with a word why")
    told = browser.run("return document.querySelector('[data-back] a').textContent")
    check(told == servers.origin.split("//")[1], f"and says which site that is, as the link may be another site's ({told})")
    browser.open(servers.page("login", secrets.token_urlsafe(24), returnurl=servers.origin + "/l?back"))
    until(lambda: browser.state == "waiting", "of a page that shows a code")
    told = browser.run("return document.querySelector('[data-back] a').textContent")
    check(told == "Back to the site", f"the way back is that of its own site, as before ({told})")


def renews(servers, browser, phone, look):
    nonce = open_page(servers, browser)
    before = browser.run("return document.querySelector('[data-link]').href")
    run_out(servers)
    until(lambda: browser.run("return document.querySelector('[data-link]').href") != before, "a code that ran out is renewed while somebody looks")
    check(browser.state == "waiting", "without a word")
    older = browser.address
    browser.open(servers.page("login", nonce, returnurl=servers.origin + "/l?back"))
    until(lambda: browser.state == "waiting", "a newer page of the same login")
    newer = browser.address
    browser.open(older)
    until(lambda: browser.state == "otherpage", "the older one says that it goes on there")
    time.sleep(6)
    check(browser.state == "otherpage", "and takes nothing back by itself")
    browser.open(newer)
    until(lambda: browser.state == "waiting", "the newer one shows its code still")


def hides(servers, browser, phone, look):
    script = browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=HIDING)["identifier"]
    # Another fragment alone would be the same document, and the script is for new ones.
    browser.open("about:blank")
    open_page(servers, browser)
    until(lambda: browser.run(LISTENS), "a page that is seen listens")
    browser.run("window.hide(true)")
    until(lambda: not browser.run(LISTENS), "a page that nobody sees lets go of its stream")
    browser.run("window.hide(false)")
    until(lambda: browser.run(LISTENS), "and listens again when somebody looks")
    process = phone.begin("login", browser.picture("ways-hidden", "[data-qr]"), pins=())
    phone.event(process, "secondFactor")
    until(lambda: browser.run("return document.querySelector('[data-read]').checkVisibility()"), "a phone is at it")
    browser.run("window.hide(true)")
    time.sleep(1)
    check(browser.run(LISTENS), "then the page listens also while nobody looks")
    process.stdin.close()
    process.wait(timeout=30)
    browser.open("about:blank")
    open_page(servers, browser)
    browser.run("window.hide(true)")
    before = browser.run("return document.querySelector('[data-link]').href")
    run_out(servers)
    until(lambda: browser.state == "expired", "a code that ran out while nobody looked is told to be too old", 120)
    look(browser, "login-expired")
    browser.run("window.hide(false)")
    until(lambda: browser.state == "waiting", "and renewed when somebody looks")
    check(browser.run("return document.querySelector('[data-link]').href") != before, "which is another one")
    browser.devtools("Page.removeScriptToEvaluateOnNewDocument", identifier=script)


def without_app(servers, browser, phone, look):
    places = "return [...document.querySelectorAll('[data-app]:not([hidden]) a:not([hidden])')].map((place) => place.href)"
    open_page(servers, browser)
    check(browser.run(places) == [], "where nobody said where the app is to be had nothing is said")
    shop = {"appname": "Doorway", "appios": "id6443212345", "appandroid": "com.example.doorway", "appurl": "doorway://"}
    check(servers.rest("PUT", f"/servers/{servers.server}/", body=shop)[0] == 200, "the operator says where")
    stores = ["https://apps.apple.com/app/id6443212345", "https://play.google.com/store/apps/details?id=com.example.doorway"]
    open_page(servers, browser)
    check(browser.run(places) == stores, "a desktop shows each store, and no address that it could not open")
    check("Doorway" in browser.run("return document.querySelector('[data-app]').textContent"), "with the name of the app")
    browser.click("[data-app] summary")
    look(browser, "login-no-app")
    agent = "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36"
    own = browser.run("return navigator.userAgent")
    browser.devtools("Emulation.setUserAgentOverride", userAgent=agent)
    link = servers.text("GET", f"/servers/{servers.server}/sessions/link/login", secrets.token_urlsafe(24))[1]
    browser.open(servers.origin + "/")
    browser.open(link)
    until(lambda: browser.state == "tapped", "the link page on a phone")
    check(browser.run("return document.querySelector('[data-app]').open"), "says at once where the app is to be had")
    check(browser.run(places) == stores[1:], "by the store of that phone alone")
    check(browser.run("return document.querySelector('section:not([hidden]) [data-here]').checkVisibility()"), "and what to do on a phone")
    look(browser, "link-phone")
    browser.devtools("Emulation.setUserAgentOverride", userAgent=own)
    servers.rest("PUT", f"/servers/{servers.server}/", body={name: "" for name in shop})


def speaks(servers, browser, phone, look):
    for lang, heading in LANGUAGES.items():
        open_page(servers, browser, lang=lang)
        check(browser.heading == heading, f"the page speaks {lang}")
        told = browser.run("return [document.documentElement.lang, getComputedStyle(document.body).direction]")
        check(told == [lang, "rtl" if lang == "ar" else "ltr"], "and says so, with its direction")
        look(browser, f"login-{lang}")
        load_again(browser, "waiting", "the page is loaded again")
        check(browser.heading == heading, "and speaks as before")
    open_page(servers, browser, "enrol", lang="ar", name=LONG)
    check(LONG in browser.run("return document.body.innerText"), "a long name in two directions is there to the end")
    look(browser, "enrol-ar-long")
    browser.open(servers.origin + "/nothing?lang=de")
    check(browser.run("return document.documentElement.lang") == "de", "an address where nothing is says so in the language that was asked for")
    look(browser, "missing-de")


def wears_colors(servers, browser, phone, look):
    status, answer = servers.rest("PUT", f"/servers/{servers.server}/", body={"color": "#eeeeee"})
    check(status == 400 and "4.5" in answer["message"], "a colour that cannot carry text is refused, and told why")
    servers.rest("PUT", f"/servers/{servers.server}/", body={"color": "#7a1f66", "colordark": "#f0a8dc"})
    open_page(servers, browser)
    accent = "return getComputedStyle(document.querySelector('[data-link]')).backgroundColor"
    check(browser.run(accent) == "rgb(122, 31, 102)", "the page has the colour of its virtual server")
    browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    check(browser.run(accent) == "rgb(240, 168, 220)", "and that of the night by night")
    look(browser, "login-coloured")
    servers.rest("PUT", f"/servers/{servers.server}/", body={"color": "", "colordark": ""})


def every_way(servers, browser, phone, look):
    """A phone that is enrolled."""
    for scene in (back_to_the_site, renews, hides, without_app, speaks, wears_colors):
        scene(servers, browser, phone, look)
