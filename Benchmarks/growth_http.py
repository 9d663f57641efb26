"""A client of HTTP/1.1 over kept connections: one thread, many requests under way, each timed. It only needs to be cheaper than what it asks."""

import collections
import heapq
import select
import socket
import time


class Stream:
    """Requests of one kind, and what became of them.

    `requests` are the bytes of each; `due` says when, in seconds after the beginning, each is to be sent, and is None where the next is sent as soon as a
    connection is free. A request that is due while all connections are busy waits, and that counts.
    """

    def __init__(self, targets, requests, connections=8, due=None, check=None):
        self.targets, self.requests, self.count = targets, iter(requests), connections
        self.due, self.check = due and iter(due), check
        self.free, self.open, self.latencies, self.begun, self.ended = collections.deque(), 0, [], None, None

    @property
    def per_second(self):
        return len(self.latencies) / (self.ended - self.begun)

    def percentile(self, share):
        """Seconds that `share` of the requests took at most."""
        found = sorted(self.latencies)
        return found[min(len(found) - 1, int(len(found) * share))]


class Connection:
    def __init__(self, stream, address, poll, table):
        self.stream, self.address, self.poll, self.table = stream, address, poll, table
        self.connect()

    def connect(self):
        self.socket = socket.create_connection(self.address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.table[self.socket.fileno()] = self
        self.poll.register(self.socket, select.EPOLLIN)
        self.buffer, self.since = b"", None

    def close(self):
        self.table.pop(self.socket.fileno())
        self.poll.unregister(self.socket)
        self.socket.close()

    def send(self, request, since):
        self.since = since
        self.socket.sendall(request)

    def receive(self, now):
        """Whether an answer is there as a whole."""
        data = self.socket.recv(65_536)
        if not data:
            if self.since is not None:
                raise SystemExit("growth: a server closed a connection on which it was asked")
            self.close()
            self.connect()
            return False
        self.buffer += data
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            return False
        head = self.buffer[:end].lower()
        length = head.find(b"content-length:")
        if length < 0:
            raise SystemExit(f"growth: an answer without its length: {head!r}")
        if len(self.buffer) < end + 4 + int(head[length + 15:].split(b"\r\n", 1)[0]):
            return False
        body = self.buffer[end + 4:]
        if head[9:12] != b"200":
            raise SystemExit(f"growth: {head[:60]!r} {body[:300]!r}")
        if self.stream.check and not self.stream.check(body):
            raise SystemExit(f"growth: another answer than was expected: {body[:300]!r}")
        self.stream.latencies.append(now - self.since)
        self.buffer, self.since = b"", None
        return True


def request(method, path, headers=(), body=b"", host="127.0.0.1"):
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", *(f"{name}: {value}" for name, value in headers)]
    if body or method == "POST":
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body


def run(*streams, until=None):
    """Sends all of all streams; `until()` ends those before their last request when it says so."""
    poll, table, waiting, begin = select.epoll(), {}, [], time.monotonic()
    for number, stream in enumerate(streams):
        stream.begun = stream.ended = begin
        for index in range(stream.count):
            stream.free.append(Connection(stream, stream.targets[index % len(stream.targets)], poll, table))
        push(waiting, stream, number, begin)
    begin = time.monotonic()
    for stream in streams:
        stream.begun = begin
    try:
        while waiting or any(stream.open for stream in streams):
            now = time.monotonic()
            if until and until():
                waiting.clear()
            held = []
            while waiting and waiting[0][0] <= now - begin:
                due, number, stream, following = heapq.heappop(waiting)
                if not stream.free:
                    held.append((due, number, stream, following))
                    continue
                stream.open += 1
                stream.free.popleft().send(following, begin + due if stream.due else now)
                push(waiting, stream, number, begin)
            soon = waiting[0][0] + begin - now if waiting else 0.1
            for item in held:
                heapq.heappush(waiting, item)
            # By itself it would wait for whole milliseconds.
            select.select([poll], [], [], max(0, min(soon, 0.1)))
            for descriptor, _ in poll.poll(0):
                connection, now = table[descriptor], time.monotonic()
                if connection.receive(now):
                    connection.stream.open -= 1
                    connection.stream.ended = now
                    connection.stream.free.append(connection)
    finally:
        for connection in list(table.values()):
            connection.close()
        poll.close()


def push(waiting, stream, number, begin):
    following = next(stream.requests, None)
    due = next(stream.due, None) if stream.due else 0
    if following is not None and due is not None:
        heapq.heappush(waiting, (due, number, stream, following))
