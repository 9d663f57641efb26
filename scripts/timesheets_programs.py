"""The programs of Examples/Timesheets as processes, and requests made by hand: for scripts/timesheets."""

import base64
import json
import os
import re
import subprocess
import time
import urllib.parse
import urllib.request

from oidc_person import Person
from trial import Phone, http, until
from typed_program import TypedProgram

AUDIENCE = "https://api.example.com/timesheets"
SCOPE = "create:timesheets read:timesheets approve:timesheets openid profile email offline_access"


class App(TypedProgram):
    """The mobile client in somebody's hands: what is typed, and all that it shows."""

    def __init__(self, binary, home, person, **settings):
        """`settings` are its environment variables."""
        self.person = person
        super().__init__([binary, home], **settings)
        self.prompt()

    def wait(self, pattern, seconds=60):
        """For words behind those that were waited for before."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            over = not self.reader.is_alive()
            if found := re.search(pattern, self.text[self.seen:]):
                self.seen += found.end()
                return found
            if over:
                break
            time.sleep(0.02)
        raise SystemExit(f"FAILED  {self.person.name}'s app shows {pattern!r}. It {'ended and ' if over else ''}showed:\n{self.text[-3000:]}")

    def prompt(self):
        """What it says before it waits for the next line. Keeps who is logged in, and the menu."""
        said = self.wait(r"(?ms)\A(.*?)^-- (.*?)$\n(.*?)^>\n")
        self.who, self.menu = said[2], [line.strip() for line in said[3].splitlines()]
        return said[1].strip()

    def ask(self, line):
        self.type(line)
        return self.prompt()

    def open_browser(self, line):
        """The address that it wants opened for this."""
        self.type(line)
        address = self.wait(r"Open (\S+)\n")[1]
        self.person.browser.open(address)
        return address

    def log_in(self, scans=True):
        """Through the browser, which leads to the phone unless it knows who it is. What the app says then."""
        self.open_browser("login")
        if scans:
            self.person.scan()
        self.person.goes_on()
        return self.prompt()

    def quit(self):
        self.type("quit")
        return self.process.wait(timeout=30)


class Member(Person):
    """Somebody of the company: a name, a phone, and the browser that all of them share, one after the other."""

    def __init__(self, name, servers, browser, folder):
        super().__init__(browser, Phone(servers.binary, folder, f"phone-{name}"))
        self.name, self.servers = name, servers

    def goes_on(self):
        """A browser that comes back to a port of this machine is asked about each time."""
        until(lambda: self.browser.state == "confirm", f"{self.name}'s browser asks whether to go on to the app")
        self.say("yes")

    def phone_token(self, command, *more):
        return subprocess.Popen(
            [self.phone.binary, "phone", "token", command, "--home", str(self.phone.home), "--json", "--bearer", "--issuer", self.servers.origin,
             "--client-id", "timesheets-mobile", "--audience", AUDIENCE, "--scope", SCOPE, *more], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)

    def take_token(self):
        """Logs in by hand, in the browser that knows who it is, for a token that anybody can use who holds it."""
        process = self.phone_token("login")
        self.browser.open(Phone.event(process, "openBrowser")["address"])
        self.goes_on()
        told = Phone.event(process, "tokenLogin")
        process.communicate(timeout=60)
        return told["login"]

    @property
    def token(self):
        """One that is good now."""
        process = self.phone_token("show")
        token = Phone.event(process, "token")["token"]["accessToken"]
        process.communicate(timeout=60)
        return token

    def ends_all(self):
        """On the phone."""
        process = self.phone.begin("sessions", "--end", "all")
        process.communicate(timeout=60)
        return process.returncode == 0


def machine_token(issuer, secret):
    """Of the machine that uploads, asked for by hand."""
    basic = base64.b64encode(f"timesheets-cron:{secret}".encode()).decode()
    form = urllib.parse.urlencode({"grant_type": "client_credentials", "audience": AUDIENCE}).encode()
    request = urllib.request.Request(f"{issuer}/oauth/token", data=form, headers={"Authorization": f"Basic {basic}"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read())["access_token"]


def cron(binary, file, **settings):
    """One run of the machine that uploads: how it ended, and what it said."""
    done = subprocess.run([binary, file], capture_output=True, text=True, timeout=120, env={**os.environ, **settings})
    return done.returncode, (done.stdout + done.stderr).strip()


def stray_visit(address, query):
    """Somebody else comes to the port at which an app waits for its browser."""
    back = urllib.parse.parse_qs(urllib.parse.urlparse(address).query)["redirect_uri"][0]
    return http("GET", f"{back}?{query}")[0]
