"""Both servers on one engine, filled to a size, with a phone that logs in, and meters of what they cost."""

import concurrent.futures
import contextlib
import os
import pathlib
import secrets
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

import growth_engines
import growth_http
import growth_rows

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
from trial import PIN, Phone, ReservedPort, Servers, http  # noqa: E402

# Bytes as text, by the engine.
HEX = {"sqlite": "hex({})", "postgresql": "encode({}, 'hex')"}


def is_ready(address):
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            return answer.status == 200
    except (urllib.error.URLError, ConnectionError):
        return False


def own_seconds():
    """Of this process and of the phones that it ran."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Meter:
    """Processor time of some processes and of the database since it was made."""

    def __init__(self, engine, *processes):
        self.engine, self.processes = engine, processes
        self.begun, self.own_before = time.monotonic(), own_seconds()
        self.before = [growth_engines.processor_seconds(process) for process in processes]
        self.database_before = engine.processor()

    def seconds(self):
        """Of each process, and of the database or None; and by the clock on the wall."""
        used = [growth_engines.processor_seconds(process) - before for process, before in zip(self.processes, self.before)]
        database = self.engine.processor()
        return used, None if database is None else database - self.database_before, time.monotonic() - self.begun

    def own_share(self):
        """The part of the whole machine that asking took."""
        return (own_seconds() - self.own_before) / ((time.monotonic() - self.begun) * os.cpu_count())


class Installation(Servers):
    """Both servers, not running but while something is measured, and phones that are enrolled."""

    def __init__(self, binary, folder, engine, device_key=growth_rows.NO_KEY, phones=1, runners=None, **settings):
        """`device_key`: the public key that all devices of filled accounts have. In a folder that was left by another, or is a copy of one, its servers
        go on; its phones do not, since they know another address."""
        self.runners = runners or {}
        super().__init__(binary, folder, **{"OSTIARY_LOG_LEVEL": "error", **engine.settings, **settings})
        self.engine, self.device_key = engine, device_key
        self.accounts = self.sessions = self.audit_bytes = 0
        self.await_ready()
        self.server = self.rest("GET", "/servers/")[1]["servers"][0]["serverid"]
        self.phones = []
        self.enrol(phones)
        if self.phones:
            self.log_in(self.phones[0])
        self.halt()
        self.identifier = self.bytes_of("SELECT {} FROM server")

    def bytes_of(self, query):
        return bytes.fromhex(str(self.engine.value("serve", query.format(HEX[self.engine.name].format("id")))).rjust(32, "0"))

    # Running

    @property
    def addresses(self):
        return {"second-factor": self.environment["OSTIARY_SECOND_FACTOR_URL"], "serve": f"http://127.0.0.1:{self.admin}"}

    def pid(self, command):
        return self.processes[command].pid

    def start_timed(self, command):
        """Seconds until it is ready, and of the processor."""
        begun = time.monotonic()
        self.start(command)
        process = self.processes[command]
        while not is_ready(self.addresses[command] + "/ready"):
            if process.poll() is not None:
                raise SystemExit(f"growth: {command} ended: {(self.folder / f'{command}.log').read_text()[-2000:]}")
            time.sleep(0.002)
        return time.monotonic() - begun, growth_engines.processor_seconds(process.pid)

    def await_ready(self):
        end = time.monotonic() + 120
        while True:
            with contextlib.suppress(urllib.error.URLError, ConnectionError):
                if self.answers():
                    return
            if time.monotonic() > end:
                raise SystemExit(f"growth: the servers did not become ready: {(self.folder / 'serve.log').read_text()[-2000:]}")
            time.sleep(0.05)

    def run(self):
        for command in ("second-factor", "serve"):
            self.start(command)
        self.await_ready()

    def end(self, command, in_order=True):
        process = self.processes.pop(command)
        (process.terminate if in_order else process.kill)()
        process.wait(timeout=60)

    def halt(self):
        for command in ("serve", "second-factor"):
            if command in self.processes:
                self.end(command)

    # Filling, while no server runs

    def fill_accounts(self, count):
        """Up to `count` of them, both databases at once; `audit_bytes` is what their lines of the audit trail took."""
        words, first = self.engine.words, self.accounts + 1
        if first > count:
            return
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            beside = pool.submit(self.engine.execute, "second-factor", list(growth_rows.insertions(
                words, growth_rows.accounts_of_second_factor(words, self.identifier, self.device_key), first, count)))
            self.engine.execute("serve", [
                *growth_rows.insertions(words, growth_rows.accounts_of_serve(words, self.identifier, self.device_key), first, count),
                growth_rows.counted(words, self.identifier, count - self.accounts)], settles=False)
            before = self.engine.bytes("serve")
            self.engine.execute("serve", growth_rows.insertions(words, growth_rows.audit_lines(words, self.identifier), first, count))
            self.audit_bytes = self.engine.bytes("serve") - before
            beside.result()
        self.accounts = count

    def compare_rows(self):
        """Real rows beside the first filled ones: what is null, of which type, and how long if it is bytes, must be the same in both."""
        self.fill_accounts(1)
        self.fill_sessions(1)
        name = {kind: self.engine.words.blob(growth_rows.name(kind, 1)) for kind in ("account", "instance", "session")}
        for server, table, filled in [
            ("serve", "account", f"id = {name['account']}"), ("serve", "instance", f"id = {name['instance']}"),
            ("serve", "instance_epoch", f"instance = {name['instance']}"), ("serve", "session", f"id = {name['session']}"),
            ("serve", "nonce", f"session = {name['session']}"), ("second-factor", "instance", f"id = {name['instance']}"),
        ]:
            ours = self.engine.row(server, f"SELECT * FROM {table} WHERE {filled}")
            # Of two sessions that of the login: the other is of the enrolment, where no code was scanned.
            order = "ORDER BY binding IS NULL" if table == "session" else ""
            real = self.engine.row(server, f"SELECT * FROM {table} WHERE NOT ({filled}) {order} LIMIT 1")
            for column, value in real.items():
                if shape(value) != shape(ours[column]):
                    raise SystemExit(f"growth: rows are no longer like real ones: {table}.{column} is {shape(value)}, not {shape(ours[column])}")

    def fill_sessions(self, count, until=None, anew=False):
        """Up to `count` of them, or so many afresh."""
        words, statements = self.engine.words, []
        if anew:
            self.sessions, statements = 0, words.without_sessions()
        if count > self.sessions:
            rows = growth_rows.live_sessions(words, self.identifier, self.accounts, until)
            statements += growth_rows.insertions(words, rows, self.sessions + 1, count)
        if statements:
            self.engine.execute("serve", statements)
        self.sessions = count

    # Asking

    @property
    def admin_address(self):
        return "127.0.0.1", self.admin

    def get(self, path, nonce=None):
        """The bytes of a call of a backend."""
        headers = [("X-apikey", self.key), *([("X-nonce", nonce)] if nonce else [])]
        return growth_http.request("GET", path, headers)

    def get_session(self, number):
        return self.get(f"/servers/{self.server}/sessions/", growth_rows.nonce(number))

    def code(self, kind, nonce, query="", admin=None):
        """The picture that a backend gets for a phone: "login" or "enrol"."""
        status, code = http("GET", f"http://127.0.0.1:{admin or self.admin}/servers/{self.server}/sessions/qr/{kind}{query}",
                            headers={"X-apikey": self.key, "X-nonce": nonce})
        if status != 200:
            raise SystemExit(f"growth: no {kind} code: {status} {code[:300]!r}")
        return code

    def enrol(self, count):
        """As many phones, while both servers run. None has the name of another of this folder, whoever enrolled it."""
        self.phones += [self.enrolled(f"phone-{secrets.token_hex(4)}") for _ in range(len(self.phones), count)]

    def enrolled(self, name):
        phone, nonce = Phone(self.binary, self.folder, name), secrets.token_urlsafe(24)
        file = self.folder / f"{name}.code"
        file.write_bytes(self.code("enrol", nonce, f"?name=Ada&userid={name}"))
        process = phone.begin("enrol", file)
        shown = Phone.event(process, "enrolConfirmation")["code"]
        self.rest("POST", f"/servers/{self.server}/sessions/enrol/confirm", nonce, {"code": shown})
        process.communicate(timeout=60)
        if process.returncode:
            raise SystemExit(f"growth: {name} could not enrol")
        return phone

    def log_in(self, phone, admin=None):
        """One login with PIN, by a phone as a process of its own; the backend asks at the port `admin`. The nonce that the backend goes on asking with."""
        file, nonce = phone.home.with_suffix(".code"), secrets.token_urlsafe(24)
        file.write_bytes(self.code("login", nonce, admin=admin))
        process = phone.begin("login", file, pins=(PIN,))
        output, _ = process.communicate(timeout=60)
        if process.returncode:
            raise SystemExit(f"growth: a phone could not log in: {output[-500:]}")
        return nonce


class Node:
    """One more `serve` on the same database, beside others."""

    def __init__(self, installation, number):
        self.ports = [ReservedPort(), ReservedPort()]
        self.public, self.admin = (port.number for port in self.ports)
        environment = {
            **installation.environment, "OSTIARY_LISTEN": f"127.0.0.1:{self.public}", "OSTIARY_ADMIN_LISTEN": f"127.0.0.1:{self.admin}",
            "OSTIARY_KEK_FILE": str(installation.folder / "serve/ostiary.kek")}
        self.log = installation.folder / f"node{number}.log"
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                [installation.binary, "serve", "--data", installation.folder / f"node{number}", "--end-with-parent"], env=environment,
                stdin=subprocess.PIPE, stdout=log, stderr=log)

    def await_ready(self):
        end = time.monotonic() + 60
        while not is_ready(f"http://127.0.0.1:{self.admin}/ready?for=logins"):
            if self.process.poll() is not None or time.monotonic() > end:
                raise SystemExit(f"growth: a node is not ready: {self.log.read_text()[-2000:]}")
            time.sleep(0.05)

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=60)


class Balancer:
    """Hands each connection to the next node, as a load balancer in front of phones does; its cost is not metered."""

    def __init__(self, port, nodes):
        self.nodes, self.next = nodes, 0
        self.socket = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.socket.accept()
                node = socket.create_connection(("127.0.0.1", self.nodes[self.next % len(self.nodes)].public))
                self.next += 1
                for source, target in ((client, node), (node, client)):
                    threading.Thread(target=self.copy, args=(source, target), daemon=True).start()

    @staticmethod
    def copy(source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def stop(self):
        # An accept that waits does not hear of a close.
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


def shape(value):
    return "null" if value is None else f"{len(value)} bytes" if isinstance(value, bytes) else type(value).__name__


def memory(process):
    """MiB that are resident, and that are this process's alone and written."""
    lines = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    found = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines[1:]}
    return found["Rss"], found["Private_Dirty"]
