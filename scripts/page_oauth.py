"""The provider in a real browser, tried for scripts/page-test: a client of its own logs in by code, by single sign-on and by device code, and out again."""

import base64
import hashlib
import json
import secrets
import urllib.error
import urllib.parse
import urllib.request

from local_server import LocalServer, landing
from trial import check, until

SECTION = "document.querySelector('section:not([hidden])')"


class Client(LocalServer):
    """A program on this machine that has the browser back at a port of its own (RFC 8252 §7.3)."""

    def __init__(self, servers):
        super().__init__(landing("Editor"))
        self.issuer, self.name, self.verifier = servers.origin, "editor-" + secrets.token_hex(4), secrets.token_urlsafe(48)
        self.redirect = f"http://127.0.0.1:{self.server_port}/cb"
        status, answer = servers.rest("PUT", f"/servers/{servers.server}/applications/{self.name}/", body={
            "kind": "native", "client_name": "Editor", "client_uri": "https://editor.example", "redirect_uris": ["http://127.0.0.1/cb"],
            "post_logout_redirect_uris": [f"http://127.0.0.1:{self.server_port}/bye"],
            "grant_types": ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"],
        })
        check(status in (200, 201), f"an operator makes an application {answer if status >= 400 else ''}")
        self.serve()

    def request(self, **changes):
        challenge = base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).decode().rstrip("=")
        values = {
            "client_id": self.name, "redirect_uri": self.redirect, "response_type": "code", "scope": "openid profile", "state": "s 1",
            "code_challenge": challenge, "code_challenge_method": "S256", **changes,
        }
        return f"{self.issuer}/authorize?" + urllib.parse.urlencode(values)

    def post(self, path, **values):
        form = urllib.parse.urlencode({"client_id": self.name, **values}).encode()
        try:
            with urllib.request.urlopen(self.issuer + path, data=form, timeout=30) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def exchange(self, address):
        """The tokens for the code of the address that the browser came back to."""
        said = urllib.parse.parse_qs(urllib.parse.urlparse(address).query)
        check(said["state"] == ["s 1"] and said["iss"] == [self.issuer], "the answer has the client's state, and says whose it is")
        status, tokens = self.post(
            "/oauth/token", grant_type="authorization_code", code=said["code"][0], code_verifier=self.verifier, redirect_uri=self.redirect)
        check(status == 200 and "id_token" in tokens, "the client has its tokens")
        return tokens


def answer(browser, word):
    browser.run(f"{SECTION}.querySelector('[data-answer={word}]').click()")


def with_consent(client, browser, phone, look):
    browser.open(client.request())
    until(lambda: browser.state == "waiting", "a client's request leads to a login page")
    process = phone.begin("login", browser.picture("oauth-login", "[data-qr]"))
    until(lambda: browser.state == "consent", "after the login the person is asked")
    check(process.wait(timeout=60) == 0, "the phone has logged in")
    words = browser.run(f"return {SECTION}.innerText")
    check("Editor" in words and "https://editor.example" in words and "see your name and picture" in words, "who asks, and for what in words")
    look(browser, "oauth-consent")
    answer(browser, "yes")
    until(lambda: browser.address.startswith(client.redirect + "?code="), "a yes brings the browser back with a code")
    return client.exchange(browser.address)


def again(client, browser):
    browser.open(client.request())
    until(lambda: browser.state == "confirm", "the next time nobody logs in, and an app on this machine is confirmed")
    answer(browser, "no")
    until(lambda: "error=access_denied" in browser.address, "a no is told to the client")
    browser.open(client.request(prompt="none"))
    until(lambda: "error=interaction_required" in browser.address, "with prompt=none nobody is asked")
    browser.open(client.request(redirect_uri="https://evil.example/"))
    check("redirect_uri is not registered" in browser.run("return document.body.innerText"), "an address that is not registered is told on a page")
    check(browser.address.startswith(client.issuer), "and the browser stays")
    check(browser.run("return document.querySelectorAll('a').length") == 0, "with no way there")


def device(client, browser, look):
    status, begun = client.post("/oauth/device/code", scope="openid")
    check(status == 200, "a device has a code")
    browser.open(begun["verification_uri_complete"])
    until(lambda: browser.run("return document.querySelector('#code')?.value") == begun["user_code"], "its link fills the code in")
    look(browser, "oauth-device")
    browser.click("form .button")
    until(lambda: browser.state == "device", "who is logged in is asked all the same")
    look(browser, "oauth-device-asked")
    answer(browser, "yes")
    until(lambda: browser.state == "allowed", "and says yes")
    status, tokens = client.post("/oauth/token", grant_type="urn:ietf:params:oauth:grant-type:device_code", device_code=begun["device_code"])
    check(status == 200 and "id_token" in tokens, "the device has its tokens")


def log_out(client, browser, tokens, look):
    browser.open(client.issuer + "/logout")
    until(lambda: browser.state == "ask", "without a token the person is asked whether to log out")
    look(browser, "oauth-logout")
    bye = client.redirect.replace("/cb", "/bye")
    browser.open(f"{client.issuer}/logout?" + urllib.parse.urlencode({"id_token_hint": tokens["id_token"], "post_logout_redirect_uri": bye}))
    until(lambda: browser.address == bye, "with a token of its login the client logs it out, and has the browser back")
    browser.open(client.request(prompt="none"))
    until(lambda: "error=login_required" in browser.address, "nobody is logged in any more")
    browser.open(client.issuer + "/logout")
    until(lambda: browser.state == "gone", "and a page says so")
    look(browser, "oauth-logged-out")


def through_the_provider(servers, browser, phone, look):
    client = Client(servers)
    try:
        tokens = with_consent(client, browser, phone, look)
        again(client, browser)
        device(client, browser, look)
        log_out(client, browser, tokens, look)
    finally:
        client.stop()
