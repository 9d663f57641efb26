"""An OAuth provider for scripts/resource-test: Authlib's endpoints in Flask, on loopback, with rows in memory. It knows nothing of Ostiary."""

import os
import secrets
import threading
import time

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc6750 import BearerTokenGenerator
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7523 import JWTBearerClientAssertion
from authlib.oauth2.rfc7662 import IntrospectionEndpoint
from authlib.oauth2.rfc9068 import JWTBearerTokenGenerator
from flask import Flask, jsonify, request
from joserfc.jwk import KeySet
from werkzeug.serving import WSGIRequestHandler, make_server

from resource_tokens import AUDIENCE
from trial import ReservedPort

# Everything here is on this machine.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "true"
ASSERTION = "client_assertion_jwt"
SCOPES = "read:timesheets create:timesheets approve:timesheets"


class QuietHandler(WSGIRequestHandler):
    def log_request(self, *_):
        pass


class Client(ClientMixin):
    """One program that the provider knows, by a secret or by a key."""

    def __init__(self, client_id, secret=None, key=None):
        self.client_id, self.secret, self.key = client_id, secret, key

    def get_client_id(self):
        return self.client_id

    def get_allowed_scope(self, scope):
        return " ".join(word for word in (scope or "").split() if word in SCOPES.split())

    def check_client_secret(self, secret):
        return self.secret is not None and secrets.compare_digest(self.secret, secret)

    def check_endpoint_auth_method(self, method, endpoint):
        return method == (ASSERTION if self.key else "client_secret_basic")

    def check_grant_type(self, grant_type):
        return grant_type == "client_credentials"


class Row(TokenMixin):
    """An opaque token that was given out."""

    def __init__(self, client_id, scope, seconds, told=None):
        self.client_id, self.scope, self.end, self.told, self.revoked = client_id, scope, time.time() + seconds, told or {}, False

    def check_client(self, client):
        return client.client_id == self.client_id

    def is_expired(self):
        return time.time() >= self.end

    def is_revoked(self):
        return self.revoked


class Provider:
    """Answers at a port of its own, which stays its own while it is away."""

    def __init__(self, key):
        self.port = ReservedPort()
        self.issuer = f"http://127.0.0.1:{self.port.number}"
        # What is published, and what signs.
        self.keys, self.signing = [key], key
        self.clients, self.rows, self.assertions = {}, {}, set()
        # What was asked, by path; and how long introspection thinks.
        self.asked, self.pause = [], 0
        self.app = Flask("provider")
        self.oauth = AuthorizationServer(self.app, query_client=self.clients.get, save_token=self.save)
        self.oauth.register_token_generator("client_credentials", self.make_token)
        self.oauth.register_client_auth_method(ASSERTION, Assertion(self))
        self.oauth.register_grant(grants.ClientCredentialsGrant)
        for endpoint in (Introspection, Revocation):
            self.oauth.register_endpoint(endpoint(server=self.oauth))
            endpoint.provider = self
        self.add_routes()
        self.server = None
        self.start()

    def add_routes(self):
        @self.app.before_request
        def note():
            self.asked.append(request.path)

        @self.app.get("/.well-known/openid-configuration")
        def metadata():
            return jsonify(
                issuer=self.issuer, jwks_uri=self.issuer + "/keys", token_endpoint=self.issuer + "/token",
                introspection_endpoint=self.issuer + "/introspect", revocation_endpoint=self.issuer + "/revoke")

        @self.app.get("/keys")
        def keys():
            return jsonify(keys=[key.as_dict(private=False) for key in self.keys])

        self.app.post("/token", endpoint="token")(self.oauth.create_token_response)
        self.app.post("/revoke", endpoint="revoke")(lambda: self.oauth.create_endpoint_response("revocation"))

        @self.app.post("/introspect")
        def introspect():
            time.sleep(self.pause)
            return self.oauth.create_endpoint_response("introspection")

    def start(self):
        self.server = make_server("127.0.0.1", self.port.number, self.app, threaded=True, request_handler=QuietHandler)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def stop(self):
        """Whoever calls is refused from now on."""
        self.server.shutdown()
        self.server.server_close()

    def count(self, path):
        return self.asked.count(path)

    def add_client(self, client_id, secret=None, key=None):
        self.clients[client_id] = Client(client_id, secret, key)

    def make_token(self, grant_type, client, user=None, scope=None, expires_in=None, include_refresh_token=False):
        """JWTs for the client of that name, opaque tokens for all others."""
        generator = SignedTokens(self) if client.client_id == "jwt-client" else BearerTokenGenerator(lambda **_: secrets.token_urlsafe(24))
        return generator(grant_type, client, user, scope, expires_in or 300, False)

    def save(self, token, oauth_request):
        self.rows[token["access_token"]] = Row(oauth_request.client.client_id, token.get("scope", ""), token["expires_in"])

    def opaque_token(self, scope="read:timesheets", seconds=300, **told):
        """One that a person's app has; `told` is what introspection says of it otherwise."""
        text = secrets.token_urlsafe(24)
        self.rows[text] = Row("mobile", scope, seconds, {"sub": "alice", "client_id": "mobile", **told})
        return text


class SignedTokens(JWTBearerTokenGenerator):
    """Authlib's JWTs of RFC 9068."""

    def __init__(self, provider):
        super().__init__(provider.issuer, alg=provider.signing.get("alg"))
        self.provider = provider

    def get_jwks(self):
        return KeySet([self.provider.signing])

    def get_audiences(self, client, user, scope):
        return [AUDIENCE, "https://elsewhere.example"]


class Assertion(JWTBearerClientAssertion):
    """A client shows itself by a key (RFC 7523), each assertion once; it is for the issuer."""

    CLIENT_AUTH_METHOD = ASSERTION

    def __init__(self, provider):
        super().__init__()
        self.provider = provider

    def get_audiences(self):
        return [self.provider.issuer]

    def validate_jti(self, claims, jti):
        is_new = jti not in self.provider.assertions
        self.provider.assertions.add(jti)
        return is_new

    def resolve_client_public_key(self, client):
        return client.key


class Introspection(IntrospectionEndpoint):
    CLIENT_AUTH_METHODS = ["client_secret_basic", ASSERTION]

    def check_permission(self, token, client, oauth_request):
        return client.client_id.startswith("timesheets-api")

    def query_token(self, text, hint):
        return self.provider.rows.get(text)

    def introspect_token(self, row):
        told = {
            "active": True, "token_type": "Bearer", "iss": self.provider.issuer, "aud": AUDIENCE, "client_id": row.client_id, "sub": row.client_id,
            "scope": row.scope, "exp": int(row.end), **row.told}
        return {name: value for name, value in told.items() if value is not None}


class Revocation(RevocationEndpoint):
    def query_token(self, text, hint):
        return self.provider.rows.get(text)

    def revoke_token(self, row, oauth_request):
        row.revoked = True
