"""Nodes of several programs on one database, behind a balancer that remembers nobody, and a light load that no living one may refuse.

scripts/upgrade-test exchanges them."""

import asyncio
import collections
import contextlib
import json
import os
import secrets
import subprocess
import threading
import time
import urllib.error

from trial import ReservedPort, http

HOST = "127.0.0.1"
# Whatever urllib tells of a connection that was refused, cut, or not answered.
CUT = (urllib.error.URLError, OSError)


class Failed(SystemExit):
    """What did not hold ends the run."""


def must(condition, sentence):
    if not condition:
        raise Failed(f"FAILED  {sentence}")


def wait(what, sentence, seconds=60):
    """Until `what()` is true. The seconds only end what hangs."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(*CUT):
            if what():
                return
        time.sleep(0.05)
    must(False, f"{sentence} (not within {seconds} s)")


class Process:
    """One server, whose program changes: it keeps its folder, its settings and its ports."""

    def __init__(self, name, command, folder, environment, health):
        self.name, self.command, self.data, self.environment, self.health = name, command, folder / name, environment, health
        self.log, self.program, self.process = folder / f"{name}.log", None, None
        self.data.mkdir(mode=0o700)

    def identity(self, program):
        made = subprocess.run([program.ostiary, self.command, "--data", self.data, "--print-identity"], env=self.environment, capture_output=True, text=True)
        must(made.returncode == 0, f"{self.command} says its identity: {made.stderr[-1000:]}")
        return made.stdout.strip().split()[-1]

    def start(self, program):
        self.program = program
        with open(self.log, "a") as log:
            self.process = subprocess.Popen([program.ostiary, self.command, "--data", self.data, "--end-with-parent"], env=self.environment,
                                            stdin=subprocess.PIPE, stdout=log, stderr=log)

    def is_ready(self):
        must(self.process.poll() is None, f"{self} runs; it ended with {self.process.poll()}")
        return http("GET", self.health)[0] == 200

    def wait(self):
        wait(self.is_ready, f"{self} is ready")

    def end(self):
        self.process.terminate()
        must(self.process.wait(timeout=30) == 0, f"{self} stops in good order; it ended with {self.process.returncode}")

    def kill(self):
        self.process.kill()
        self.process.wait(timeout=30)

    def __str__(self):
        return f"{self.name} ({self.program})"


class Node(Process):
    """One `serve`."""

    def __init__(self, name, folder, settings, key):
        self.ports = [ReservedPort(), ReservedPort()]
        self.public, self.admin = (port.number for port in self.ports)
        # `asking` is held while the load asks it.
        self.key, self.is_living, self.asking = key, False, threading.Lock()
        environment = {**settings, "OSTIARY_LISTEN": f"{HOST}:{self.public}", "OSTIARY_ADMIN_LISTEN": f"{HOST}:{self.admin}"}
        super().__init__(name, "serve", folder, environment, f"http://{HOST}:{self.admin}/ready?for=logins")

    def call(self, method, path, nonce=None, body=None):
        """Status and bytes."""
        return http(method, f"http://{HOST}:{self.admin}{path}", body, {"X-apikey": self.key, **({"X-nonce": nonce} if nonce else {})})

    def rest(self, method, path, nonce=None, body=None):
        status, answer = self.call(method, path, nonce, body)
        must(status == 200, f"{self} answers {method} {path} with 200, not with {status} {answer[:300]}")
        return json.loads(answer or b"{}")


class Balancer:
    """Passes connections on to one living node after the other, as bytes."""

    def __init__(self):
        self.port, self.targets, self.begun, self.open = ReservedPort(), [], 0, collections.Counter()
        self.number = self.port.number
        threading.Thread(target=lambda: asyncio.run(self.serve()), daemon=True).start()

    async def serve(self):
        async with await asyncio.start_server(self.lead, HOST, self.number, reuse_address=True) as server:
            await server.serve_forever()

    async def lead(self, reader, writer):
        targets = self.targets
        if not targets:
            return writer.close()
        self.begun += 1
        target = targets[self.begun % len(targets)]
        self.open[target] += 1
        try:
            there, back = await asyncio.open_connection(HOST, target)
            await asyncio.gather(self.copy(reader, back), self.copy(there, writer))
        except OSError:
            writer.close()
        finally:
            self.open[target] -= 1

    @staticmethod
    async def copy(reader, writer):
        try:
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()


class Load:
    """Asks every living node over and over, and through the balancer: who is at the door, and for a code for somebody new. Nothing of it may fail."""

    REST = 0.1

    def __init__(self, nodes, balancer, server, nonce, key):
        self.nodes, self.balancer, self.server, self.nonce, self.key = nodes, balancer, server, nonce, key
        self.asked, self.longest, self.failures = 0, 0.0, []
        self.lock, self.is_over = threading.Lock(), False
        self.threads = [threading.Thread(target=self.run, args=[place], daemon=True) for place in (*nodes, balancer)]
        for thread in self.threads:
            thread.start()

    def run(self, place):
        while not self.is_over:
            with self.turn(place) as is_asked:
                if is_asked:
                    self.ask(place)
            time.sleep(self.REST)

    @contextlib.contextmanager
    def turn(self, place):
        """One that is taken out meanwhile waits for the end of what it is asked."""
        if place is self.balancer:
            yield bool(place.targets)
            return
        with place.asking:
            yield place.is_living

    def ask(self, place):
        number = place.number if place is self.balancer else place.admin
        headers = {"X-apikey": self.key, "X-nonce": self.nonce}
        path = f"http://{HOST}:{number}/servers/{self.server}/sessions/"
        self.try_one(place, "getSession", path, headers, lambda status, answer: status == 200 and json.loads(answer)["loggedin"])
        if self.asked % 4 == 0:
            fresh = {**headers, "X-nonce": secrets.token_urlsafe(24)}
            self.try_one(place, "a code", path + "qr/login", fresh, lambda status, answer: status == 200 and answer)

    def try_one(self, place, what, url, headers, is_right):
        begun = time.monotonic()
        try:
            status, answer = http("GET", url, headers=headers)
            found = None if is_right(status, answer) else f"{status} {answer[:200]}"
        except CUT as error:
            found = repr(error)
        took = time.monotonic() - begun
        with self.lock:
            self.asked += 1
            self.longest = max(self.longest, took)
            if found:
                self.failures.append(f"{time.strftime('%H:%M:%S')} {what} at {'the balancer' if place is self.balancer else place}: {found}")

    def stop(self):
        self.is_over = True
        for thread in self.threads:
            thread.join(timeout=60)


def clean_environment():
    """A variable that begins like a setting and is none is refused."""
    return {name: value for name, value in os.environ.items() if not name.startswith("OSTIARY_")}
