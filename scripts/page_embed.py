"""The login page in a frame of other sites, tried for scripts/page-test: a plain website that may show it, one that may not, and hostile messages."""

import secrets
import urllib.parse

from local_server import LocalServer, QuietPages
from page_axe import nothing_found
from trial import WRONG, check, until

# What the site's own script hears of the element.
HEARS = """
window.heard = [];
const sheet = new CSSStyleSheet();
sheet.replaceSync("ostiary-login::part(frame) { border: 3px solid }");
document.adoptedStyleSheets = [sheet];
for (const login of document.querySelectorAll("ostiary-login")) for (const name of ["state", "returned", "cancelled", "error"])
  login.addEventListener(name, (event) => {
    heard.push([name, event.detail]);
    if (location.search === "?stay") event.preventDefault();
  });
"""
# A frame beside the other one, which says hello to it in the site's place.
SIBLING = "setInterval(() => parent.frames[0].postMessage({ ostiary: 'hello' }, '*'), 50);"
HEAD = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"></head><body><main><h1>Shop</h1>"""
FOCUS = "return [document.activeElement.id, document.hasFocus()]"
# The fifty seconds that a page without a cookie keeps its way out pass in two.
SOONER = "const wait = setTimeout; window.setTimeout = (what, after, ...rest) => wait(what, after === 50000 ? 2000 : after, ...rest)"
# The height without it, then of each sentence, with the room between it and the code.
BESIDE = """
const [place, says, code] = ["[data-beside]", "[data-says]", "[data-qr]"].map((name) => document.querySelector(name));
const heights = [document.body.offsetHeight];
place.hidden = false;
for (const state of ["gaveup", "penalised", "blocked", "nosecondfactor"]) {
  says.textContent = document.querySelector(`[data-state=${state}] h1`).textContent;
  heights.push([document.body.offsetHeight, code.getBoundingClientRect().top - place.getBoundingClientRect().bottom]);
}
place.hidden = true;
return heights;
"""
ONWARD = "[data-state=onward] a"
FRAME = "return document.querySelector('ostiary-login').shadowRoot.querySelector('iframe')"


class Site(LocalServer):
    """A plain website with a strict policy: one process, and an origin for each name of this machine."""

    def __init__(self, login, pages=None):
        super().__init__(pages or SitePages)
        self.login, self.element = login, ""
        self.serve()

    def origin(self, host="localhost"):
        return f"http://{host}:{self.server_port}"

    @property
    def policy(self):
        return f"default-src 'none'; script-src 'self' {self.login}; frame-src 'self' {self.login}; img-src 'self'; frame-ancestors 'self'"

    def page(self, path):
        if path == "/site.js":
            return "text/javascript", HEARS
        if path == "/sibling.js":
            return "text/javascript", SIBLING
        if path == "/sibling":
            return "text/html", '<!doctype html><script src="/sibling.js"></script>'
        if path == "/raw":
            return "text/html", HEAD + f'<iframe src="{self.element}"></iframe><iframe src="/sibling"></iframe></main></body></html>'
        if path != "/":
            return "text/html", HEAD + f"<p>{path}</p></main></body></html>"
        return "text/html", HEAD + f"""<p><label>Name <input id="field" autofocus></label></p>{self.element}</main>
<script type="module" src="{self.login}/ostiary-login.js"></script><script src="/site.js"></script></body></html>"""


class SitePages(QuietPages):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer(*self.server.page(urllib.parse.urlparse(self.path).path))

    def answer(self, kind, text):
        self.give(200, text, {"Content-Type": f"{kind}; charset=utf-8", "Content-Security-Policy": self.server.policy})


def allow(servers, *origins):
    status, answer = servers.rest("PUT", f"/servers/{servers.server}/", body={"frameorigins": list(origins)})
    check(status == 200 and answer["frameorigins"] == list(origins), f"{', '.join(origins) or 'nobody'} may show the login page in a frame")


def show(servers, browser, site, host="localhost", query="", attributes="", language="", **members):
    """The site's page with the element; its nonce and the address of the framed page. `language` is what the backend adds to that."""
    nonce = secrets.token_urlsafe(24)
    members.setdefault("returnurl", site.origin(host) + "/welcome")
    address = servers.page("login", nonce, framed=True, **members)
    if language:
        address = address.replace("#", f"?lang={language}#")
    site.element = f'<ostiary-login src="{address}" {attributes}></ostiary-login>'
    browser.open(f"{site.origin(host)}/{query}")
    return nonce, address


def inside(browser, frame=FRAME):
    browser.call("POST", "/frame", {"id": browser.run(frame)})


def outside(browser):
    browser.call("POST", "/frame", {"id": None})


def heard(browser, *event):
    return list(event) in browser.run("return window.heard ?? []")


def waits(browser, sentence):
    until(lambda: heard(browser, "state", {"state": "waiting"}), sentence)


def looks(servers, browser, site, look):
    # Of one site with the frame, so that what is emulated for the page holds in the frame.
    show(servers, browser, site, "127.0.0.1")
    waits(browser, "a site shows the login page among its own things, and hears that it waits")
    check(browser.run(FOCUS)[0] == "field", "the frame takes no focus from the site")
    told = browser.run(FRAME + ".title")
    check(told == "Log in · " + urllib.parse.urlparse(servers.origin).netloc, "the frame is named for what it is, whatever it shows")
    inside(browser)
    fits = "return [innerHeight, document.documentElement.scrollHeight]"
    until(lambda: len(set(browser.run(fits))) == 1, "it is as high as what is in it, within the border that the site gives it")
    look(browser, "embed-waiting")
    link = "return document.querySelector('[data-link]').checkVisibility()"
    check(not browser.run(link), "it offers the app on this device only where a finger points")
    browser.devtools("Emulation.setDeviceMetricsOverride", width=320, height=780, deviceScaleFactor=2, mobile=True)
    browser.devtools("Emulation.setTouchEmulationEnabled", enabled=True)
    until(lambda: browser.run(link), "as on a phone")
    browser.devtools("Emulation.setTouchEmulationEnabled", enabled=False)
    browser.devtools("Emulation.clearDeviceMetricsOverride")
    outside(browser)
    spoken = "return document.documentElement.lang"
    show(servers, browser, site, "127.0.0.1", language="nl")
    waits(browser, "a backend may choose the language by the address")
    inside(browser)
    check(browser.run(spoken) == "nl", "which the page has then, in a page of the site that is in another one")
    outside(browser)
    show(servers, browser, site, "127.0.0.1", attributes='theme="dark" lang="ar"', language="nl")
    waits(browser, "an element may choose its theme and language")
    inside(browser)
    check(browser.run("return matchMedia('(prefers-color-scheme: dark)').matches"), "the page has that theme")
    check(browser.run(spoken) == "ar", "and that language, whatever the address says")
    outside(browser)
    browser.picture("embed-dark-ar")


def logs_in(servers, browser, site, phone):
    nonce, address = show(servers, browser, site)
    waits(browser, "a page in a frame of another site keeps its cookie")
    inside(browser)
    check(address.split("#")[1] not in browser.run("return location.href"), "the ticket is gone from the frame's address")
    process = phone.begin("login", browser.picture("embed-code", "[data-qr]"))
    outside(browser)
    until(lambda: "/welcome?returncode=" in browser.address, "after the login the site's window goes to the way back, with a code")
    check(servers.hand_in(nonce, browser.address)["loggedin"], "the site hands it in")
    check(process.wait(timeout=60) == 0, "the phone has logged in")


def leads_elsewhere(servers, browser, site, other, phone):
    """The way back is another site's: the one around the frame hears of it without the address."""
    nonce, _ = show(servers, browser, site, returnurl=other.origin() + "/welcome")
    waits(browser, "a site shows a page whose way back is another site's")
    inside(browser)
    process = phone.begin("login", browser.picture("embed-elsewhere", "[data-qr]"))
    outside(browser)
    until(lambda: heard(browser, "returned", {}), "it hears that the login returns, and not where to")
    check("returncode" not in str(browser.run("return [window.heard, document.documentElement.outerHTML]")), "nor the code")
    inside(browser)
    until(lambda: browser.state == "onward", "the frame says that the login was confirmed")
    check(not browser.run("return document.querySelector('[data-back]').checkVisibility()"), "and has one way on")
    try:
        browser.click(ONWARD)
    except SystemExit as gone:
        # The frame that the click takes away may be gone before the driver has its word.
        if "frame detached" not in str(gone):
            raise
    outside(browser)
    until(lambda: browser.address.startswith(other.origin() + "/welcome?returncode="), "by which the person goes there")
    check(servers.hand_in(nonce, browser.address)["loggedin"] and process.wait(timeout=60) == 0, "and is logged in")


def comes_too_late(servers, browser, site, other, phone):
    """The person does not go there before the code is spent."""
    show(servers, browser, site, returnurl=other.origin() + "/welcome")
    waits(browser, "another such page")
    inside(browser)
    process = phone.begin("login", browser.picture("embed-late", "[data-qr]"))
    until(lambda: browser.state == "onward", "the login was confirmed")
    nothing_found(browser, "embed-onward")
    way = browser.run(f"return document.querySelector('{ONWARD}').href")
    check(not servers.hand_in(secrets.token_urlsafe(24), way).get("loggedin"), "its code is handed in by a backend for another browser")
    until(lambda: browser.state == "notreturned", "the frame says that nobody was logged in")
    outside(browser)
    until(lambda: heard(browser, "state", {"state": "notreturned"}), "and so the site hears")
    process.wait(timeout=60)


def logged_out(servers, browser, site, other, phone):
    """The site logs out before the person goes there."""
    nonce, _ = show(servers, browser, site, returnurl=other.origin() + "/welcome")
    waits(browser, "and another")
    inside(browser)
    process = phone.begin("login", browser.picture("embed-logged-out", "[data-qr]"))
    until(lambda: browser.state == "onward", "the login was confirmed there, too")
    servers.rest("POST", f"/servers/{servers.server}/sessions/logout", nonce)
    until(lambda: browser.state not in ("onward", "returning"), "when its site logs out, the frame says something else")
    check(browser.state == "over", "that it is over, and not that somebody else's browser may have come back")
    outside(browser)
    until(lambda: heard(browser, "error", {"reason": "over"}), "and so the site hears")
    process.wait(timeout=60)


def says_beside(servers, browser, site):
    """What a phone says that has read the code and does not go on, at each width that a site may choose."""
    show(servers, browser, site)
    waits(browser, "a page in a frame, beside whose code a phone says something")
    for width in ("26rem", "23rem", "21rem", "18rem"):
        browser.run("document.querySelector('ostiary-login').style.width = arguments[0]", width)
        inside(browser)
        until(lambda: browser.run("return innerHeight === document.documentElement.scrollHeight"), f"a frame {width} wide is as high as what is in it")
        before, *after = browser.run(BESIDE)
        check(all(height == before for height, _ in after), "and no higher by anything that a phone says of itself")
        check(all(gap > 0 for _, gap in after), "which covers nothing of the code")
        outside(browser)


def goes_back(servers, browser, site):
    show(servers, browser, site, query="?stay", cancelurl=site.origin() + "/cart")
    waits(browser, "a site that goes on by itself shows the page")
    inside(browser)
    browser.click("[data-back] a")
    outside(browser)
    until(lambda: heard(browser, "cancelled", {"url": site.origin() + "/cart"}), "it hears that the person went back")
    check(browser.address == site.origin() + "/?stay", "and stays where it is, as it wants")


def keeps_quiet(servers, browser, site, phone):
    """What a phone says of itself is not told: by no event, and by no height."""
    height = "return document.querySelector('ostiary-login').clientHeight"
    show(servers, browser, site)
    waits(browser, "a page in a frame")
    inside(browser)
    picture = browser.picture("embed-wrong", "[data-qr]")
    outside(browser)
    process = phone.begin("login", picture, pins=WRONG[:3])
    until(lambda: heard(browser, "state", {"state": "scanned"}), "a phone takes its login")
    before, name = browser.run(height), browser.run(FRAME + ".title")
    inside(browser)
    until(lambda: browser.state == "penalised", "the page tells of a penalty who looks at it")
    check(browser.run("return innerHeight >= document.documentElement.scrollHeight"), "with room for that")
    outside(browser)
    states = [detail["state"] for _, detail in browser.run("return heard")]
    check(set(states) <= {"waiting", "scanned"}, "the site hears of none")
    check(browser.run(height) == before, "and sees no other height than before")
    check(browser.run(FRAME + ".title") == name and "Log in · " in name, "nor does the frame's name tell of a state, of this one or of one that is over")
    process.stdin.close()
    process.wait(timeout=60)


def many(servers, browser, site):
    """More elements in a page than may have their frames."""
    waiting = ["state", {"state": "waiting"}]
    addresses = [servers.page("login", secrets.token_urlsafe(24), framed=True, returnurl=site.origin() + "/welcome") for _ in range(5)]
    site.element = "".join(f'<ostiary-login src="{address}"></ostiary-login>' for address in addresses)
    browser.open(site.origin() + "/")
    until(lambda: browser.run("return heard").count(waiting) == 4, "four elements of a page show the login page")
    check(heard(browser, "error", {"reason": "busy"}), "the fifth says at once that it is one too many")
    move = "const [first, ...more] = document.querySelectorAll('ostiary-login'); const last = more.pop(), { src } = last.attributes;"
    browser.run(move + "first.removeAttribute('src'); last.setAttribute('src', src.value)")
    until(lambda: browser.run("return heard").count(waiting) == 5, "and has its frame when another has none any more, with its ticket still good")


def ignores(servers, browser, site):
    """Messages of others."""
    _, address = show(servers, browser, site)
    waits(browser, "a page in a frame")
    before = len(browser.run("return window.heard"))
    browser.run("postMessage({ ostiary: 'returned', url: location.origin + '/stolen' }, '*'); postMessage({ ostiary: 'state', state: 'done' }, '*')")
    browser.open(browser.address)
    until(lambda: heard(browser, "error", {"reason": "closed"}), "loaded again, the element's address was used before")
    check(before == 1, "a message that does not come from the frame is not heard")
    site.element = servers.page("login", secrets.token_urlsafe(24), framed=True)
    browser.open(site.origin() + "/raw")
    inside(browser, "return document.querySelector('iframe')")
    until(lambda: browser.run("return document.readyState === 'complete'"), "a page in a frame to which another frame says hello")
    browser.run_later("setTimeout(arguments[0], 1500)")
    check(browser.state == "opening", "does not begin: it was not the site around it")
    until(lambda: browser.state == "closed", "and says after a while that it cannot be opened like this")
    outside(browser)
    browser.run("frames[0].postMessage({ ostiary: 'hello' }, '*')")
    inside(browser, "return document.querySelector('iframe')")
    until(lambda: browser.state == "waiting", "and begins when that says so")
    outside(browser)


def without_cookies(servers, browser, site):
    browser.devtools("Emulation.setDocumentCookieDisabled", disabled=True)
    script = browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=SOONER)["identifier"]
    show(servers, browser, site, "127.0.0.1")
    until(lambda: heard(browser, "error", {"reason": "over"}), "a way out that nobody takes is over before its ticket is too old, and the site hears that")
    browser.devtools("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
    show(servers, browser, site, "127.0.0.1")
    until(lambda: heard(browser, "error", {"reason": "cookies"}), "where no cookie is kept in a frame, the site hears that")
    inside(browser)
    nothing_found(browser, "embed-cookies")
    outside(browser)
    # Once more: on a busy machine axe takes longer than the way out is there for.
    show(servers, browser, site, "127.0.0.1")
    until(lambda: heard(browser, "error", {"reason": "cookies"}), "as with another ticket")
    browser.devtools("Emulation.setDocumentCookieDisabled", disabled=False)
    inside(browser)
    browser.click("[data-state=cookies] a")
    outside(browser)
    until(lambda: browser.address.startswith(servers.origin + "/login?lang=en#page=") and browser.state == "waiting", "and the same ticket opens the page alone")


def refuses(servers, browser, stranger):
    """A site that may not; its browser complains, as it should."""
    _, address = show(servers, browser, stranger)
    until(lambda: heard(browser, "error", {"reason": "refused"}), "a site that may not show the page hears that it is refused")
    check(len(browser.run("return window.heard")) == 1, "and nothing else")
    browser.open(address.replace(f"/embed/{servers.server}", "/login"))
    until(lambda: browser.state == "waiting", "the ticket was not spent by it")


def in_a_frame(servers, phone, make_browser, look):
    """A phone that is enrolled; browsers of its own, since some of them complain of what is refused."""
    site, stranger = Site(servers.origin), Site(servers.origin)
    browser, refused = make_browser(), make_browser()
    try:
        status, answer = servers.rest(
            "POST", f"/servers/{servers.server}/sessions/page", secrets.token_urlsafe(24),
            {"kind": "login", "returnurl": site.origin() + "/welcome", "framed": True})
        check(status == 400 and answer["field"] == "framed", "no page is opened for frames while nobody may show it")
        allow(servers, site.origin(), site.origin("127.0.0.1"))
        looks(servers, browser, site, look)
        logs_in(servers, browser, site, phone)
        leads_elsewhere(servers, browser, site, stranger, phone)
        comes_too_late(servers, browser, site, stranger, phone)
        logged_out(servers, browser, site, stranger, phone)
        keeps_quiet(servers, browser, site, phone)
        says_beside(servers, browser, site)
        many(servers, browser, site)
        goes_back(servers, browser, site)
        refuses(servers, refused, stranger)
        without_cookies(servers, browser, site)
        complaints = browser.complaints()
        check(not complaints, f"the browser of the site that may had nothing to complain about {complaints or ''}")
        ignores(servers, refused, site)
        allow(servers)
    finally:
        browser.close()
        refused.close()
        site.stop()
        stranger.stop()
