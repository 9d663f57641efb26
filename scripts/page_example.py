"""The website of docs/embedding.md, tried for scripts/page-test: its page and script as they stand there, and what its backend does."""

import json
import pathlib
import re
import secrets

from page_embed import FRAME, HEAD, Site, SitePages, allow, inside, outside
from trial import check, until

DOCUMENT = pathlib.Path(__file__).resolve().parent.parent / "docs" / "embedding.md"
SHOWN = "return document.querySelector('ostiary-login').shadowRoot.querySelector('iframe')?.checkVisibility() ?? false"
BUTTON = "return document.querySelector('#login').checkVisibility()"
SAID = "return document.querySelector('#said').textContent"


def block(language):
    """The first block of the document that is of that language."""
    return re.search(rf"^```{language}\n(.*?)^```$", DOCUMENT.read_text(), re.DOTALL | re.MULTILINE)[1]


class Shop(Site):
    """Its backend keeps the nonce of one browser, which has no other to be told from."""

    def __init__(self, servers, host):
        super().__init__(servers.origin, ShopPages)
        self.servers, self.host, self.nonce = servers, host, None

    @property
    def policy(self):
        return f"default-src 'self'; script-src 'self' {self.login}; frame-src {self.login}; frame-ancestors 'none'"

    def page(self, path):
        if path == "/login.js":
            return "text/javascript", block("js")
        return "text/html", HEAD + block("html").replace("https://login.example", self.login) + "</main></body></html>"

    def begin(self):
        self.nonce = self.nonce or secrets.token_urlsafe(24)
        return self.servers.page("login", self.nonce, framed=True, returnurl=self.origin(self.host) + "/welcome")

    def welcome(self, path):
        return "/" if self.servers.hand_in(self.nonce or secrets.token_urlsafe(24), path).get("loggedin") else "/?again"


class ShopPages(SitePages):
    def do_GET(self):
        if not self.path.startswith("/welcome?"):
            return super().do_GET()
        self.give(303, b"", {"Location": self.server.welcome(self.path)})

    def do_POST(self):
        self.answer("application/json", json.dumps({"url": self.server.begin()}))


def example(servers, browser, phone):
    """Of one site with the frame, so that what is emulated for the page holds in the frame."""
    site = Shop(servers, "127.0.0.1")
    home = site.origin(site.host) + "/"
    try:
        allow(servers, home[:-1])
        browser.open(home)
        browser.devtools("Emulation.setDocumentCookieDisabled", disabled=True)
        browser.click("#login")
        until(lambda: browser.run(SHOWN), "the documented site shows a frame when its button is pressed")
        inside(browser)
        until(lambda: browser.state == "cookies", "which says so where the browser keeps no cookie in it")
        outside(browser)
        browser.run_later("setTimeout(arguments[0], 500)")
        check(browser.run(SHOWN) and not browser.run(BUTTON), "and stays, as the way out is in it")
        browser.devtools("Emulation.setDocumentCookieDisabled", disabled=False)
        browser.open(home)
        browser.click("#login")
        inside_when_there(browser)
        until(lambda: browser.state == "waiting", "with cookies it shows the code")
        browser.click("[data-back] a")
        outside(browser)
        until(lambda: browser.run(BUTTON) and not browser.run(SHOWN), "who goes back has the button again")
        browser.click("#login")
        inside_when_there(browser)
        until(lambda: browser.state == "waiting", "which works once more")
        process = phone.begin("login", browser.picture("example-code", "[data-qr]"))
        outside(browser)
        until(lambda: browser.address == home and site.servers.session(site.nonce)["loggedin"], "after the login the site is shown, and its backend knows who it is")
        check(process.wait(timeout=60) == 0, "the phone has logged in")
        browser.open(f"{home}welcome?returncode={'A' * 22}")
        check(browser.address == home + "?again" and "did not begin in this browser" in browser.run(SAID), "who comes back with another's code is told why they are not logged in")
        check(browser.run(BUTTON), "and can begin anew")
    finally:
        allow(servers)
        site.stop()


def inside_when_there(browser):
    until(lambda: browser.run(SHOWN), "a frame is there")
    inside(browser, FRAME)
