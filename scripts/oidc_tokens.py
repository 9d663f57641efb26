"""What joserfc says of tokens and keys, for scripts/oidc-test: it fetched the keys by itself and knows nothing of who signed."""

import base64
import hashlib
import warnings

import requests
from joserfc import jwt
from joserfc.errors import JoseError, SecurityWarning
from joserfc.jwk import KeySet

from trial import check


# It warns of EdDSA because RFC 9864 has a name for Ed25519 alone; which is what it verifies here.
warnings.simplefilter("ignore", SecurityWarning)


class Keys:
    """The published keys of an issuer."""

    def __init__(self, issuer):
        self.metadata = requests.get(issuer + "/.well-known/openid-configuration", timeout=30).json()
        check(self.metadata["issuer"] == issuer, "discovery names the issuer that was asked")
        published = requests.get(self.metadata["jwks_uri"], timeout=30).json()
        check(not any("d" in key for key in published["keys"]), "no published key is a private one")
        self.set = KeySet.import_key_set(published)
        self.issuer = issuer

    def read(self, text, algorithm, audience):
        """The claims of a token that holds for that audience, by that algorithm only."""
        token = jwt.decode(text, self.set, algorithms=[algorithm])
        rules = {"iss": {"essential": True, "value": self.issuer}, "aud": {"essential": True, "value": audience}, "exp": {"essential": True}}
        jwt.JWTClaimsRegistry(**rules).validate(token.claims)
        return token

    def id_token(self, text, algorithm, client, **told):
        token = self.read(text, algorithm, client)
        check(told.items() <= token.claims.items(), f"joserfc: the ID token of {client} is signed by {algorithm}, and tells what was asked for")
        check("at+jwt" not in str(token.header.get("typ")), "and is no access token by its type")
        return token.claims

    def access_token(self, text, algorithm, api, client):
        token = self.read(text, algorithm, api)
        # RFC 9068 §2.2.
        required = {"iss", "exp", "aud", "sub", "client_id", "iat", "jti"}
        check(token.header["typ"] == "at+jwt" and required <= token.claims.keys() and token.claims["client_id"] == client,
              f"joserfc: the access token of {client} is a JWT of RFC 9068, signed by {algorithm}")
        return token.claims

    def refuses(self, text, algorithm, audience):
        head, body, signature = text.split(".")
        other = base64.urlsafe_b64encode(hashlib.sha512(signature.encode()).digest()).decode().rstrip("=")
        try:
            self.read(f"{head}.{body}.{other}", algorithm, audience)
        except JoseError:
            return check(True, "joserfc: with another signature it holds no more")
        check(False, "joserfc: with another signature it holds no more")
