"""Tokens and proofs of possession for scripts/resource-test, made by joserfc; and some by hand that no library makes."""

import base64
import hashlib
import json
import secrets
import time
import warnings

from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.hashes import SHA256
from joserfc import jws, jwt
from joserfc.errors import SecurityWarning
from joserfc.jwk import ECKey, OKPKey, RSAKey

AUDIENCE = "https://api.example.com/timesheets"
# EdDSA is the name that RFC 8037 has for what is signed here, and joserfc warns of it because RFC 9864 has another.
warnings.simplefilter("ignore", SecurityWarning)


def encoded(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def new_key(algorithm, name):
    """A signing key with its name and use, as a provider publishes it."""
    options = {"kid": name, "use": "sig", "alg": algorithm}
    if algorithm == "ES256":
        return ECKey.generate_key("P-256", options)
    return OKPKey.generate_key("Ed25519", options) if algorithm == "EdDSA" else RSAKey.generate_key(2048, options)


class Tokens:
    """What a provider of that name would say of Alice, by a key of one's choice."""

    def __init__(self, issuer):
        self.issuer = issuer

    def claims(self, **changed):
        """`None` takes a claim away."""
        now = int(time.time())
        claims = {
            "iss": self.issuer, "sub": "alice", "aud": AUDIENCE, "client_id": "mobile", "iat": now, "exp": now + 300,
            "jti": secrets.token_urlsafe(8), "scope": "read:timesheets create:timesheets", "acr": "mfa", "amr": ["mfa", "pin"], "auth_time": now - 20,
            **changed}
        return {name: value for name, value in claims.items() if value is not None}

    def token(self, key, header=None, **changed):
        algorithm = key.get("alg")
        named = {"alg": algorithm, "typ": "at+jwt", "kid": key.kid, **(header or {})}
        named = {name: value for name, value in named.items() if value is not None}
        if "typ" not in named:
            # A JWT of the library says a kind in any case.
            return jws.serialize_compact(named, json.dumps(self.claims(**changed)).encode(), key, algorithms=[named["alg"]])
        return jwt.encode(named, self.claims(**changed), key, algorithms=[named["alg"]])

    def bound(self, key, device, **changed):
        """One that opens nothing without a proof by the device's key (RFC 9449 §6.1)."""
        return self.token(key, cnf={"jkt": device.thumbprint()}, **changed)


def forged(header, payload, sign):
    """Any bytes in the places of a JWT; `sign` gives those of the signature."""
    head = header if isinstance(header, bytes) else json.dumps(header).encode()
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    text = f"{encoded(head)}.{encoded(body)}"
    return f"{text}.{encoded(sign(text.encode()))}"


def by_rsa(key):
    """Signs what no library would."""
    return lambda text: key.private_key.sign(text, padding.PKCS1v15(), SHA256())


def proof(device, token, method, address, header=None, **changed):
    """A proof of possession for one request (RFC 9449 §4.2)."""
    public = device.as_dict(private=False)
    named = {"typ": "dpop+jwt", "alg": "ES256", "jwk": {name: public[name] for name in ("kty", "crv", "x", "y")}, **(header or {})}
    claims = {
        "jti": secrets.token_urlsafe(12), "htm": method, "htu": address, "iat": int(time.time()),
        "ath": encoded(hashlib.sha256(token.encode()).digest()), **changed}
    return jwt.encode(named, claims, device, algorithms=["ES256"])
