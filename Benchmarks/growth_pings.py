"""Pings as phones send them (docs/protocol/presence.md): each sealed to the server's prekey and signed by the key of its device.

All devices have one key here and all requests one ephemeral key of the phone. The server looks for neither: it opens, verifies and answers each as any
other.
"""

import hashlib
import hmac
import struct

import growth_http
import growth_rows

try:
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, x25519
    from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
    MISSING = None
except ImportError:
    MISSING = "growth: pings need Python's cryptography (Debian: python3-cryptography)"

SUITE = b"\x01\x01"
# X25519 with HKDF-SHA256, and the same with ChaCha20-Poly1305 (RFC 9180 §7).
KEM = b"KEM" + struct.pack(">H", 0x0020)
HPKE = b"HPKE" + struct.pack(">HHH", 0x0020, 0x0001, 0x0003)


def extract(salt, material):
    return hmac.digest(salt or bytes(32), material, "sha256")


def expand(key, info, length):
    block = made = b""
    for counter in range(1, -(-length // 32) + 1):
        block = hmac.digest(key, block + info + bytes([counter]), "sha256")
        made += block
    return made[:length]


def labelled_extract(suite, salt, label, material):
    return extract(salt, b"HPKE-v1" + suite + label + material)


def labelled_expand(suite, key, label, info, length):
    return expand(key, struct.pack(">H", length) + b"HPKE-v1" + suite + label + info, length)


class Context:
    """The key schedule of HPKE in base mode, at its first message."""

    def __init__(self, secret, enc, recipient, info):
        shared = labelled_expand(KEM, labelled_extract(KEM, b"", b"eae_prk", secret), b"shared_secret", enc + recipient, 32)
        schedule = b"\0" + labelled_extract(HPKE, b"", b"psk_id_hash", b"") + labelled_extract(HPKE, b"", b"info_hash", info)
        secret = labelled_extract(HPKE, shared, b"secret", b"")
        self.key = labelled_expand(HPKE, secret, b"key", schedule, 32)
        self.nonce = labelled_expand(HPKE, secret, b"base_nonce", schedule, 12)
        self.exporter = labelled_expand(HPKE, secret, b"exp", schedule, 32)

    def export(self, label):
        return labelled_expand(HPKE, self.exporter, b"sec", label, 32)


class Device:
    """The key that all accounts have."""

    def __init__(self, file):
        """The key that is in the file, where it is there; otherwise it is made."""
        if not file.exists():
            file.write_bytes(ec.generate_private_key(ec.SECP256R1()).private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        self.key = serialization.load_pem_private_key(file.read_bytes(), None)
        self.public = self.key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)

    def sign(self, label, message):
        found = self.key.sign(b"AP1/" + label + b"\0" + hashlib.sha256(message).digest(), ec.ECDSA(hashes.SHA256()))
        return b"".join(number.to_bytes(32, "big") for number in decode_dss_signature(found))


class Bundle:
    """What is needed of a server's bundle: the tag and the newest prekey."""

    ROOT, CERTIFICATE, PREKEY = 50, 124, 122

    def __init__(self, content):
        at = 4
        self.tag = hashlib.sha256(b"AP1/root\0" + content[at:at + self.ROOT]).digest()[:4]
        at += self.ROOT
        for _ in ("name", "url"):
            at += 1 + content[at]
        at += 2 + 8
        at += 1 + content[at] * self.CERTIFICATE
        if not content[at]:
            raise SystemExit("growth: a bundle without a prekey")
        self.prekey, self.public = content[at + 1:at + 5], content[at + 9:at + 41]


class Pings:
    """Makes pings of sessions at one server."""

    def __init__(self, device, bundle):
        self.device, self.bundle = device, bundle
        self.header = b"\x01\x01" + SUITE + bundle.tag + bundle.prekey
        self.prekey = x25519.X25519PublicKey.from_public_bytes(bundle.public)
        self.phone = x25519.X25519PrivateKey.generate()
        self.phone_public = self.phone.public_key().public_bytes_raw()

    def sealed(self, session, moment):
        """The request, and what its answer is opened with."""
        body = b"\x01\x40" + SUITE + session + b"\0" + b"\0\0"
        fresh = self.phone_public + struct.pack(">Q", moment)
        message = fresh + body + self.device.sign(b"dev-ping", fresh + body)
        ephemeral = x25519.X25519PrivateKey.generate()
        enc = ephemeral.public_key().public_bytes_raw()
        context = Context(ephemeral.exchange(self.prekey), enc, self.bundle.public, b"AP1/chan\0" + self.header)
        return self.header + enc + ChaCha20Poly1305(context.key).encrypt(context.nonce, message, b""), context

    def request(self, number, moment):
        """A whole request for the session of that number."""
        sealed, _ = self.sealed(growth_rows.name("session", number), moment)
        return growth_http.request("POST", "/ap1", [("Content-Type", "application/octet-stream")], sealed)

    def opened(self, answer, request, context):
        """Status and body of an answer."""
        enc, sealed = answer[4:36], answer[36:]
        hashed = hashlib.sha256(request).digest()
        secret = self.phone.exchange(x25519.X25519PublicKey.from_public_bytes(enc))
        inner = Context(secret, enc, self.phone_public, b"AP1/resp\0" + hashed).export(b"AP1/resp")
        made = expand(extract(context.export(b"AP1/req"), inner), b"AP1/s2c\0" + hashed + enc, 44)
        content = ChaCha20Poly1305(made[:32]).decrypt(made[32:], sealed, answer[:4])
        status, _, length = struct.unpack(">HQH", content[:12])
        return status, content[12:12 + length]
