"""An API behind OstiaryResource as a process, and what its callers hear: of scripts/resource-test, scripts/timesheets and scripts/token-service-test."""

import http.client
import json
import os
import subprocess
import time
import urllib.parse

from trial import ReservedPort, check, until

BAD_TOKEN = "Missing or invalid token"


class Answer:
    def __init__(self, response):
        self.status, self.fields, self.text = response.status, response.getheaders(), response.read().decode()

    def __getitem__(self, name):
        """What the body says."""
        return json.loads(self.text).get(name)

    def all(self, name):
        return [value for field, value in self.fields if field.lower() == name.lower()]

    @property
    def challenge(self):
        """The one challenge; empty where there is none or more than one."""
        all_of_them = self.all("WWW-Authenticate")
        return all_of_them[0] if len(all_of_them) == 1 else ""

    def __repr__(self):
        return f"{self.status} {self.all('WWW-Authenticate')} {self.text[:200]}"


class API:
    """One process of an example; `settings` are its environment variables."""

    scheme = "http"

    def __init__(self, binary, folder, name, *arguments, port=None, **settings):
        self.port = port or ReservedPort()
        self.base = f"{self.scheme}://127.0.0.1:{self.port.number}"
        self.command, self.name, self.log = [binary, *arguments], name, folder / f"{name}.log"
        self.environment = {**os.environ, "PORT": str(self.port.number), **settings}
        self.start()

    def start(self):
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment)
        until(self.answers, f"the API {self.name} listens", 120)

    def answers(self):
        if self.process.poll() is not None:
            raise SystemExit(f"FAILED  the API ended: {self.log.read_text()[-2000:]}")
        return self.ask("/nothing").status == 404

    def connection(self, timeout):
        return http.client.HTTPConnection("127.0.0.1", self.port.number, timeout=timeout)

    def ask(self, path="/timesheets", *fields, method="GET", body=None, timeout=30):
        """One request with these header fields, a name as often as it is given. A body that is no bytes is made JSON, and it goes out as that where no field says its type."""
        connection = self.connection(timeout)
        try:
            connection.putrequest(method, path)
            for name, value in fields:
                connection.putheader(name, value)
            data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
            if data is not None and not any(name == "Content-Type" for name, _ in fields):
                connection.putheader("Content-Type", "application/json")
            if data is not None:
                connection.putheader("Content-Length", str(len(data)))
            connection.endheaders(data)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def bearer(self, token, path="/timesheets", **options):
        return self.ask(path, ("Authorization", f"Bearer {token}"), **options)

    def dpop(self, token, *proofs, path="/timesheets"):
        return self.ask(path, ("Authorization", f"DPoP {token}"), *(("DPoP", proof) for proof in proofs))

    def reasons(self):
        """Why requests were refused, by the log: what no caller is told."""
        return [line for line in self.log.read_text(errors="replace").splitlines() if "request refused" in line]

    def refuses(self, sentence, reason, ask):
        """Asks, and holds the answer to the one text, and the log to the reason."""
        before = len(self.reasons())
        answer = ask()
        check(answer.status == 401 and answer["error"] == "invalid_token" and answer["error_description"] == BAD_TOKEN
              and f'error="invalid_token", error_description="{BAD_TOKEN}"' in answer.challenge, f"{sentence} ({answer.status})")
        # The line is written before the answer, by another process.
        end = time.monotonic() + 60
        while len(self.reasons()) == before and time.monotonic() < end:
            time.sleep(0.02)
        told = self.reasons()[before:]
        check(len(told) == 1 and reason in told[0] and reason not in answer.text, f"   the log alone says why: {reason}")

    def address(self, path="/timesheets"):
        return urllib.parse.urljoin(self.base, path)

    def stop(self):
        self.process.kill()
        self.process.wait(timeout=15)
