#!/usr/bin/env python3
"""Many connections that say something, or nothing, and then stay as they are: in a process of their own, so that no other one holds as many descriptors.

  crowd.py COUNT PORT ADDRESSES FILE reading|deaf

opens them one after the other to 127.0.0.1:PORT, from so many addresses of this machine in turn, 127.0.0.2 and those that follow. Each says what is in the file;
a deaf one takes nothing of what is answered. When all were opened, and whenever something changes after that, it prints how many the other side has left open, and
how many were answered with which status, the first that came first:

  open 20 503 17 200 3

When standard input ends all are closed.
"""
import errno
import os
import pathlib
import resource
import selectors
import socket
import sys
import time

BEGINNING, STATUS_END = b"HTTP/1.1 ", 12
# Changes are told together, in seconds.
SPAN = 0.05
DESCRIPTORS = 8_192


class Member:
    """One connection, with what it has still to say and the beginning of what it was answered."""

    def __init__(self, made, said):
        self.socket, self.left, self.heard, self.is_there, self.is_answered = made, memoryview(said), b"", False, False


class Crowd:
    def __init__(self, count, port, addresses, said, reads):
        self.count, self.port, self.addresses, self.said, self.reads = count, port, addresses, said, reads
        self.selector = selectors.DefaultSelector()
        self.begun, self.is_whole, self.open, self.statuses, self.is_news = 0, False, 0, {}, False

    def begin(self):
        """The next one, if there is to be another."""
        if self.begun == self.count:
            self.is_whole = self.is_news = True
            return
        made = socket.socket()
        made.setblocking(False)
        made.bind((f"127.0.0.{2 + self.begun % self.addresses}", 0))
        self.begun += 1
        trouble = made.connect_ex(("127.0.0.1", self.port))
        if trouble not in (0, errno.EINPROGRESS):
            raise OSError(trouble, os.strerror(trouble))
        self.selector.register(made, selectors.EVENT_WRITE, Member(made, self.said))

    def serve(self, member, events):
        if not member.is_there:
            trouble = member.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            # One that is turned away at once was open.
            if trouble not in (0, errno.ECONNRESET):
                raise OSError(trouble, os.strerror(trouble))
            member.is_there = True
            self.open += 1
            self.begin()
        # What was answered before the end is heard before what cannot be said any more is noticed.
        if events & selectors.EVENT_READ and not self.hear(member):
            return
        if member.left and not self.say(member):
            return
        wanted = (selectors.EVENT_READ if self.reads else 0) | (selectors.EVENT_WRITE if member.left else 0)
        if wanted:
            self.selector.modify(member.socket, wanted, member)
        else:
            self.selector.unregister(member.socket)

    def hear(self, member):
        try:
            data = member.socket.recv(65_536)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        if not data:
            return self.end(member)
        if not member.is_answered:
            member.heard = (member.heard + data)[:STATUS_END]
            if len(member.heard) == STATUS_END:
                self.note(member)
        return True

    def note(self, member):
        member.is_answered = True
        if member.heard.startswith(BEGINNING) and member.heard[len(BEGINNING):].isdigit():
            status = int(member.heard[len(BEGINNING):])
            self.statuses[status] = self.statuses.get(status, 0) + 1
            self.is_news = True

    def say(self, member):
        try:
            member.left = member.left[member.socket.send(member.left):]
        except BlockingIOError:
            pass
        except OSError:
            if not self.reads:
                return self.end(member)
            member.left = member.left[:0]
        return True

    def end(self, member):
        self.selector.unregister(member.socket)
        member.socket.close()
        self.open -= 1
        self.is_news = True
        return False

    def tell(self):
        words = ["open", self.open] + [word for pair in self.statuses.items() for word in pair]
        print(*words, flush=True)
        self.is_news = False

    def run(self):
        self.selector.register(sys.stdin, selectors.EVENT_READ)
        self.begin()
        told = 0
        while True:
            for key, events in self.selector.select(SPAN if self.is_whole and self.is_news else None):
                if key.data is None:
                    return
                self.serve(key.data, events)
            if self.is_whole and self.is_news and time.monotonic() - told >= SPAN:
                self.tell()
                told = time.monotonic()


def main(count, port, addresses, file, manner):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    Crowd(int(count), int(port), int(addresses), pathlib.Path(file).read_bytes(), manner == "reading").run()


if __name__ == "__main__":
    main(*sys.argv[1:])
