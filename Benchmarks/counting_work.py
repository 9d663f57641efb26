"""The operations that are counted: each with what has to stand before it, and one that is done."""

import base64
import itertools
import json
import urllib.parse
import urllib.request

import growth_http

API = "https://api.example/things"
REGISTRY = {
    "apis": {API: {"name": "Things", "scopes": {"read": "read your things"}}},
    "applications": {"batch": {"kind": "machine", "client_name": "Batch", "apis": {API: ["read"]}, "serves": [API]}}}


class Work:
    """`each`: how many of the operation one `do` is."""

    each = 1

    def __init__(self, servers):
        self.servers = servers

    def prepare(self):
        """What comes about with the first of them is no part of the others."""
        self.do(0)


class Requests(Work):
    """Many of one request, over a kept connection: one of them is too little to be told from what both servers do meanwhile."""

    each = 20

    def request(self):
        """Address, and the bytes that are sent to it."""
        raise NotImplementedError

    def prepare(self):
        self.address, self.bytes = self.request()
        self.do(0)

    def do(self, _):
        growth_http.run(growth_http.Stream([self.address], itertools.repeat(self.bytes, self.each), connections=1, check=self.is_right))

    def is_right(self, body):
        raise NotImplementedError


class GetSession(Requests):
    def request(self):
        nonce = self.servers.log_in(self.servers.phones[0])
        return self.servers.admin_address, self.servers.get(f"/servers/{self.servers.server}/sessions/", nonce)

    def is_right(self, body):
        return b'"loggedin":true' in body


class Login(Work):
    def do(self, _):
        self.servers.log_in(self.servers.phones[0])


class Enrolment(Work):
    numbers = itertools.count()

    def do(self, _):
        self.servers.enrolled(f"counted{next(self.numbers)}")


class OfTheMachine(Requests):
    """Requests of a client that is a machine, of the provider's public listener."""

    def client(self):
        # A registry that is applied again shows no secret.
        if not self.servers.machine:
            status, answer = self.servers.rest("POST", f"/servers/{self.servers.server}/registry", body=REGISTRY)
            if status != 200:
                raise SystemExit(f"check: no application could be made: {status} {answer}")
            self.servers.machine = "Basic " + base64.b64encode(f"batch:{answer['secrets']['batch']}".encode()).decode()
        return self.servers.machine

    def post(self, path, form):
        body = urllib.parse.urlencode(form).encode()
        headers = [("Authorization", self.client()), ("Content-Type", "application/x-www-form-urlencoded")]
        return ("127.0.0.1", self.servers.public), growth_http.request("POST", path, headers, body)

    asking = {"grant_type": "client_credentials", "audience": API}


class ClientCredentials(OfTheMachine):
    def request(self):
        return self.post("/oauth/token", self.asking)

    def is_right(self, body):
        return b"access_token" in body


class Introspection(OfTheMachine):
    def request(self):
        asked = urllib.request.Request(
            self.servers.origin + "/oauth/token", urllib.parse.urlencode(self.asking).encode(), {"Authorization": self.client()})
        with urllib.request.urlopen(asked, timeout=60) as answer:
            token = json.loads(answer.read())["access_token"]
        return self.post("/oauth/introspect", {"token": token})

    def is_right(self, body):
        return b'"active":true' in body


OPERATIONS = {
    "getSession": GetSession, "QR login with PIN": Login, "enrolment with confirmation": Enrolment, "client_credentials, ES256": ClientCredentials,
    "introspection of a JWT": Introspection}
