"""The programs of scripts/token-service-test: the three of Examples/TokenService, and what stands between the first of them and the authentication server."""

import base64
import http.client
import pathlib
import secrets
import ssl
import urllib.parse

from local_server import LocalServer, QuietPages
from resource_api import API
from typed_program import TypedProgram
from trial import PIN, Phone, ReservedPort, check, http as call, until

AUDIENCE, STOCK = "https://payroll.example.com", "https://stock.example.com"
# What forms are encoded for is in it.
SECRET = "s3cret: with a colon + a plus"
BACKENDS = [
    {"audience": AUDIENCE, "scopes": ["read:payslips", "make:payments"], "client_id": "payroll", "client_secret": SECRET},
    {"audience": STOCK, "scopes": ["read:stock"], "client_id": "stock", "client_secret": SECRET + "2"},
]
EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
FORM = ("Content-Type", "application/x-www-form-urlencoded")


def kept_connections(port):
    """Sockets of clients on this machine that lead to that port and are not closed."""
    established, close_wait = "01", "08"
    sockets = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return [fields for fields in sockets if fields[2].endswith(f":{port:04X}") and fields[3] in (established, close_wait)]


class Server(API):
    """A part of the example that listens, over TLS."""

    scheme = "https"

    def __init__(self, binary, folder, name, part, authority, certificate, port=None, **settings):
        self.trust = ssl.create_default_context(cafile=authority.file)
        super().__init__(
            binary, folder, name, part, port=port, CERTIFICATE=str(certificate.file), PRIVATE_KEY=str(certificate.key_file), **settings)

    def connection(self, timeout):
        return http.client.HTTPSConnection("127.0.0.1", self.port.number, timeout=timeout, context=self.trust)

    def stop(self):
        """Whoever asks is refused from now on. Clients have put away the connections that they kept: one that has not seen the end yet sends its next
        request by such a connection, and hears nothing, not even what another would say at this port."""
        super().stop()
        until(lambda: not kept_connections(self.port.number), f"all know that {self.name} has ended")


class TokenService(Server):
    """`TokenService service`."""

    def exchange(self, web_nonce=None, *fields, path="/token", **changed):
        """As an app does it; `None` takes a parameter away."""
        form = {"grant_type": EXCHANGE, "audience": AUDIENCE, **changed}
        return self.post(path, {name: value for name, value in form.items() if value is not None},
                         *([] if web_nonce is None else [("X-webNonce", web_nonce)]), *fields)

    def token(self, web_nonce, **changed):
        answer = self.exchange(web_nonce, **changed)
        check(answer.status == 200, "an app gets a token for its webNonce")
        return answer["access_token"]

    def introspect(self, token, client="payroll", secret=SECRET):
        """As a backend does it."""
        pair = ":".join(urllib.parse.quote_plus(part) for part in (client, secret))
        return self.post("/introspect", {"token": token}, ("Authorization", f"Basic {base64.b64encode(pair.encode()).decode()}"))

    def post(self, path, form, *fields):
        body = form if isinstance(form, bytes) else urllib.parse.urlencode(form).encode()
        return self.ask(path, FORM, *fields, method="POST", body=body)


class Backend(Server):
    """`TokenService backend`."""

    def payslips(self, token):
        return self.bearer(token, "/payslips")

    def pay(self, token):
        return self.bearer(token, "/payments", method="POST", body={"account": "NL00", "cents": 1250})


class App(TypedProgram):
    """`TokenService app` with a home of its own."""

    def __init__(self, binary, home, **settings):
        super().__init__([binary, "app", home], **settings)

    def shows(self, pattern):
        try:
            return super().shows(pattern)
        except SystemExit:
            print(self.text)
            raise

    def does(self, word, pattern):
        self.type(word)
        self.shows(pattern)


class GetSessionOnly:
    """Stands before the private listener, as a proxy may: `getSession` of the one virtual server comes through, and nothing else. It notes what is asked."""

    def __init__(self, servers):
        self.port, self.asked, self.server = ReservedPort(), [], None
        relay, self.path = self, f"/servers/{servers.server}/sessions/"

        class Page(QuietPages):
            def answer(self):
                relay.asked.append(f"{self.command} {self.path}")
                status, body = 403, b"{}"
                if relay.asked[-1] == f"GET {relay.path}":
                    fields = {name: self.headers[name] for name in ("X-apikey", "X-nonce")}
                    status, body = call("GET", f"http://127.0.0.1:{servers.admin}{self.path}", headers=fields)
                self.give(status, body, {"Content-Type": "application/json"})

            do_GET = do_POST = do_PUT = do_DELETE = answer

        self.page = Page
        self.start()

    def start(self):
        self.server = LocalServer(self.page, self.port.number)
        self.server.serve()

    def stop(self):
        """Whoever asks is refused from now on."""
        self.server.stop()


class Person:
    """Somebody with `ostiary phone`."""

    def __init__(self, binary, servers, name):
        self.servers, self.phone, self.held = servers, Phone(binary, servers.folder, name), None
        nonce = secrets.token_urlsafe(24)
        link = self.link(f"enrol?name={name}&userid={name}", nonce)
        process = self.phone.begin("enrol", link)
        code = Phone.event(process, "enrolConfirmation")["code"]
        check(servers.rest("POST", f"/servers/{servers.server}/sessions/enrol/confirm", nonce, {"code": code})[0] == 200, f"{name} has a phone")
        process.wait(timeout=60)

    def link(self, kind, nonce):
        return self.servers.text("GET", f"/servers/{self.servers.server}/sessions/link/{kind}", nonce)[1]

    def web_nonce(self):
        """Of an AppLogin that goes on until the phone ends it."""
        self.held = self.phone.begin("app-login", "--hold", 600, pins=(PIN,))
        return Phone.event(self.held, "sessionLogin")["webNonce"]

    def nonce_of_website(self):
        """Of a login in a browser, as the website's backend has it."""
        nonce = secrets.token_urlsafe(24)
        process = self.phone.begin("login", self.link("login", nonce), pins=(PIN,))
        check(process.wait(timeout=60) == 0 and self.servers.session(nonce)["loggedin"], "somebody is logged in to a website")
        return nonce

    def end_all(self):
        process = self.phone.begin("sessions", "--end", "all", pins=())
        check(process.wait(timeout=60) == 0 and self.held.wait(timeout=60) == 0, "the person ends their logins on the phone")

    def stop(self):
        if self.held:
            self.held.kill()
            self.held.wait(timeout=15)
