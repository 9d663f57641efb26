#!/usr/bin/env python3
"""Machines of a test, each with a network of its own: network namespaces, joined by a bridge in one more, where the kernel loses what it is told to lose.

  node_networks.py MEMBER...   makes them, tells of each `member NAME ADDRESS PLACE`, where PLACE is a file for `nsenter --net=`, and then `ready`

Then it does what standard input says, a line at a time, and answers `ok` or `no: why`:

  lead MEMBER FROM TO   passes connections on that come at FROM: each a port of that member, ADDRESS:PORT seen from it, or the path of a Unix socket
  lose ONE OTHER        what ONE sends to OTHER gets lost, and not what OTHER sends
  keep ONE OTHER        again not
  reach ONE OTHER       `no: lost` where what ONE sends to OTHER does not arrive
  unplug MEMBER         its cable, at the bridge
  plug MEMBER

Nothing of it has a name in the system, and nothing of the host is touched: when standard input ends or this process does, however that comes about, all is gone
as soon as nobody lives in there. The addresses are of 127.77.0.0/24, which a member may send to others (`route_localnet`): our servers ask by plain HTTP and without
TLS what is on the same machine, and to them it is.

Needs the right to make network namespaces, a real root's or one's own in a user namespace (`unshare --user --map-root-user`), and `ip`.
"""
import asyncio
import contextlib
import ctypes
import os
import socket
import subprocess
import sys

NEW_NETWORK = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)
NOBODY = "02:00:00:00:00:00"


def checked(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def enter(network):
    checked(LIBC.setns(network, NEW_NETWORK))


def new_network():
    """A descriptor of a network that this process is in from now on."""
    checked(LIBC.unshare(NEW_NETWORK))
    return os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)


class Members:
    """The bridge's network, in which this process lives, and those of the members."""

    def __init__(self, names):
        self.networks, self.addresses = {}, {}
        for number, name in enumerate(names):
            self.networks[name] = new_network()
            self.addresses[name] = f"127.77.0.{11 + number}"
        self.hub = new_network()
        self.run(self.hub, "ip link add bridge type bridge", "ip link set bridge up")
        for number, name in enumerate(names):
            self.join(name, f"port{number}")

    def join(self, name, port):
        """The member's end goes to it from its own side: this process, which stays at the bridge, is what the other end is sent to."""
        self.run(
            self.networks[name],
            # Of 127.0.0.0/8 only this one is its own.
            "ip address add 127.0.0.1/32 dev lo", "ip link set lo up", "ip address del 127.0.0.1/8 dev lo",
            f"ip link add cable type veth peer name {port} netns {os.getpid()}",
            f"ip address add {self.addresses[name]}/24 dev cable", "ip link set cable up")
        with self.inside(name), open("/proc/sys/net/ipv4/conf/cable/route_localnet", "w") as setting:
            setting.write("1")
        self.run(self.hub, f"ip link set {port} master bridge up")

    def run(self, network, *commands):
        for command in commands:
            done = subprocess.run(command.split(), capture_output=True, text=True, preexec_fn=lambda: enter(network))
            if done.returncode != 0:
                raise OSError(f"{command}: {done.stderr.strip()}")

    def port(self, name):
        return f"port{list(self.networks).index(name)}"

    @contextlib.contextmanager
    def inside(self, name):
        """A socket belongs to the network in which it was made, wherever its process goes."""
        enter(self.networks[name])
        try:
            yield
        finally:
            enter(self.hub)

    def socket(self, name, place):
        """A socket of that member's, and the place as an address of it."""
        if place.startswith("/"):
            return socket.socket(socket.AF_UNIX), place
        address, _, port = place.rpartition(":")
        with self.inside(name):
            made = socket.socket(socket.AF_INET)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made, (address or self.addresses[name], int(port))

    def datagrams(self, name):
        """A socket for what needs no connection, and so is heard of in one direction."""
        with self.inside(name):
            made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.setblocking(False)
        made.bind((self.addresses[name], 0))
        return made

    # What one sends goes to a card that nobody has; what the other sends is not touched.
    def lose(self, one, other):
        self.run(self.networks[one], f"ip neighbour replace {self.addresses[other]} lladdr {NOBODY} dev cable nud permanent")

    def keep(self, one, other):
        self.run(self.networks[one], f"ip neighbour del {self.addresses[other]} dev cable")

    def unplug(self, name):
        self.run(self.hub, f"ip link set {self.port(name)} down")

    def plug(self, name):
        self.run(self.hub, f"ip link set {self.port(name)} up")


async def passed(source, sink):
    """Hands on what one side says, and its end, however it came about."""
    try:
        while data := await source.read(65_536):
            sink.write(data)
            await sink.drain()
    except OSError:
        pass
    sink.close()


async def lead(members, name, place, target):
    async def serve(reader, writer):
        made, address = members.socket(name, target)
        made.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(made, address)
            there = await asyncio.open_connection(sock=made)
        except OSError:
            made.close()
            writer.close()
            return
        await asyncio.gather(passed(reader, there[1]), passed(there[0], writer))

    made, address = members.socket(name, place)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind(address)
    start = asyncio.start_unix_server if place.startswith("/") else asyncio.start_server
    return await start(serve, sock=made)


async def reach(members, one, other):
    """Says something three times, and waits for a fifth of a second: the way is as long as from one buffer to the next."""
    with contextlib.closing(members.datagrams(one)) as here, contextlib.closing(members.datagrams(other)) as there:
        try:
            for _ in range(3):
                here.sendto(b"?", there.getsockname())
            await asyncio.wait_for(asyncio.get_running_loop().sock_recv(there, 1), 0.2)
        except (OSError, asyncio.TimeoutError):
            raise OSError("lost") from None


async def main(names):
    members = Members(names)
    for name, network in members.networks.items():
        print("member", name, members.addresses[name], f"/proc/{os.getpid()}/fd/{network}", flush=True)
    print("ready", flush=True)
    leads = []
    commands = {"lose": members.lose, "keep": members.keep, "unplug": members.unplug, "plug": members.plug}
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        word, *rest = line.split()
        try:
            if word == "lead":
                leads.append(await lead(members, *rest))
            elif word == "reach":
                await reach(members, *rest)
            else:
                commands[word](*rest)
            print("ok", flush=True)
        except (OSError, KeyError, TypeError, ValueError) as trouble:
            print("no:", trouble, flush=True)
    # Whoever is being led still would keep the loop.
    os._exit(0)


if __name__ == "__main__":
    # Where `ip` is, which is not on everybody's path.
    os.environ["PATH"] = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    asyncio.run(main(sys.argv[1:]))
