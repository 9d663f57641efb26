"""What the scripts share that try Ostiary from outside: both servers, and sentences that have to hold."""

import contextlib
import json
import os
import pathlib
import secrets
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

PIN = "739214"
WRONG = ["194728", "571936", "862473", "317582", "946135"]
# Seconds after each wrong PIN: the usual ones are too long for a trial, and a page is looked at from every side while one lasts.
PENALTIES = "0,0,12,40"

# Every sentence that held so far.
held = []


def check(condition, sentence):
    """One thing that has to hold, told as it is found."""
    if not condition:
        raise SystemExit(f"FAILED  {sentence}")
    held.append(sentence)
    print(f"   ok   {sentence}")


class NotYet(SystemExit):
    """Ends a script as any failure does; where something is waited for, it may be there later."""


class ReservedPort:
    """A port of the loopback address that is ours while this is held: bound, never listening. A server binds beside it, because both allow the
    reuse of the address, and the system lends the port to nobody else."""

    def __init__(self):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(("127.0.0.1", 0))
        self.number = self.socket.getsockname()[1]


def http(method, url, body=None, headers=None, timeout=30):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method, headers={"Content-Type": "application/json", **(headers or {})})
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def until(what, sentence, seconds=60):
    """Waits until `what()` is true, and says so. The seconds only end what hangs."""
    end, trouble = time.monotonic() + seconds, ""
    while time.monotonic() < end:
        try:
            if what():
                return check(True, sentence)
            trouble = ""
        except (urllib.error.URLError, ConnectionError, TimeoutError, KeyError):
            pass
        except NotYet as error:
            trouble = f" ({error})"
        time.sleep(0.1)
    check(False, sentence + trouble)


class Phone:
    """`ostiary phone` with one home."""

    def __init__(self, binary, folder, name="phone"):
        self.binary, self.home = binary, folder / name

    def begin(self, *arguments, pins=(PIN, PIN)):
        process = subprocess.Popen(
            [self.binary, "phone", *self.options(arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=dict(os.environ))
        process.stdin.write("".join(f"{pin}\n" for pin in pins))
        process.stdin.flush()
        return process

    def options(self, arguments):
        command, *rest = arguments
        return [command, "--home", str(self.home), "--json", "--yes", "--pin-stdin", *map(str, rest)]

    @staticmethod
    def event(process, name):
        """The next event of that name."""
        for line in process.stdout:
            event = json.loads(line)
            if event["event"] == name:
                return event
        raise SystemExit(f"FAILED  the phone ended without {name}")


class Demo:
    """`ostiary demo`: both servers, the website, and its page."""

    def __init__(self, binary, *options):
        self.binary = binary
        self.process = subprocess.Popen([binary, "demo", "--no-browser", *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        told = {}
        for line in self.process.stdout:
            words = line.split()
            if words[:2] == ["open", "this"]:
                told["page"] = words[2]
            elif words[:1] in (["website"], ["data"]):
                told[words[0]] = words[1]
            if "data" in told:
                break
        # Nobody reads the rest, and a full pipe would stop it.
        for stream in (self.process.stdout, self.process.stderr):
            threading.Thread(target=stream.read, daemon=True).start()
        check("page" in told, "the demonstration prints the address of its page")
        self.page, self.site, self.data = told["page"], told["website"], pathlib.Path(told["data"])
        self.shown = self.data / "shown.code"
        self.phone = Phone(binary, self.data)

    def stop(self):
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=60)


class Servers:
    """Both servers as processes of their own, in a folder that goes afterwards."""

    # By command, what runs its program instead of itself, with its options (counting.Emulator).
    runners = {}

    def __init__(self, binary, folder, **settings):
        """`settings` are environment variables that are set otherwise than here."""
        self.binary, self.folder, self.processes = binary, folder, {}
        self.ports = [ReservedPort() for _ in range(3)]
        self.public, self.admin, second = (port.number for port in self.ports)
        self.key = secrets.token_hex(16)
        self.origin = f"http://127.0.0.1:{self.public}"
        environment = {
            # A variable that begins like a setting and is none is refused.
            **{name: value for name, value in os.environ.items() if not name.startswith("OSTIARY_")},
            "OSTIARY_PUBLIC_URL": self.origin,
            "OSTIARY_LISTEN": f"127.0.0.1:{self.public}",
            "OSTIARY_ADMIN_LISTEN": f"127.0.0.1:{self.admin}",
            "OSTIARY_ROOT_API_KEY": self.key,
            "OSTIARY_SERVER_NAME": "Timesheets",
            "OSTIARY_SECOND_FACTOR_URL": f"http://127.0.0.1:{second}",
            "OSTIARY_SF_LISTEN": f"127.0.0.1:{second}",
            "OSTIARY_SF_PENALTIES": PENALTIES,
            **settings,
        }
        identity = self.identity("serve", environment)
        environment["OSTIARY_SF_TRUSTED_SERVERS"] = identity
        environment["OSTIARY_SECOND_FACTOR_IDENTITY"] = self.identity("second-factor", environment)
        self.environment = environment
        # When a server was killed, and when it answered again: seconds since 1970, the second one None until it does.
        self.outages = []
        self.start("second-factor")
        self.start("serve")
        self.server = None

    def identity(self, command, environment):
        made = subprocess.run(
            [self.binary, command, "--data", self.folder / command, "--print-identity"], env=environment, capture_output=True, text=True, check=True)
        return made.stdout.strip().split()[-1]

    def start(self, command):
        with open(self.folder / f"{command}.log", "a") as log:
            self.processes[command] = subprocess.Popen(
                [*self.runners.get(command, []), self.binary, command, "--data", self.folder / command, "--end-with-parent"], env=self.environment,
                stdin=subprocess.PIPE, stdout=log, stderr=log)

    def end(self, command):
        process = self.processes.pop(command)
        self.outages.append([time.time(), None])
        process.kill()
        process.wait(timeout=60)

    def restart(self, command):
        """As after a power cut: nothing is said to anybody."""
        self.end(command)
        self.start(command)
        until(self.answers, f"{command} is back after it was killed", 120)

    def answers(self):
        # What serve says of the other one holds for some seconds: one that was just ended is asked itself.
        answered = (http("GET", f"{self.environment['OSTIARY_SECOND_FACTOR_URL']}/ready")[0] == 200
                    and http("GET", f"http://127.0.0.1:{self.admin}/ready?for=logins")[0] == 200)
        if answered and self.outages and self.outages[-1][1] is None:
            self.outages[-1][1] = time.time()
        return answered

    def was_down(self, moment, around=5):
        """Whether a server was being killed or started at that time, or `around` seconds before or after."""
        return any(begin - around <= moment <= (end or time.time()) + around for begin, end in self.outages)

    def rest(self, method, path, nonce=None, body=None):
        headers = {"X-apikey": self.key, **({"X-nonce": nonce} if nonce else {})}
        status, answer = http(method, f"http://127.0.0.1:{self.admin}{path}", body, headers)
        return status, json.loads(answer or b"{}")

    def text(self, method, path, nonce, body=None):
        """An answer that is no JSON."""
        status, answer = http(method, f"http://127.0.0.1:{self.admin}{path}", body, {"X-apikey": self.key, "X-nonce": nonce})
        return status, answer.decode()

    def session(self, nonce):
        return self.rest("GET", f"/servers/{self.server}/sessions/", nonce)[1]

    def hand_in(self, nonce, address):
        """What a backend does with the code of the address that a browser came back to."""
        code = urllib.parse.parse_qs(urllib.parse.urlparse(address).query)["returncode"][0]
        return self.rest("POST", f"/servers/{self.server}/sessions/return", nonce, {"returncode": code})[1]

    def page(self, kind, nonce, **members):
        if kind == "login":
            members.setdefault("returnurl", self.origin + "/l?back")
        status, answer = self.rest("POST", f"/servers/{self.server}/sessions/page", nonce, {"kind": kind, **members})
        check(status == 200, f"the backend gets a link to the {kind} page")
        return answer["url"]

    def wait(self):
        """Until both are ready."""
        until(self.answers, "both servers are ready", 120)
        self.server = self.rest("GET", "/servers/")[1]["servers"][0]["serverid"]

    def stop(self):
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            process.wait(timeout=60)
