"""Authlib as a website and as a machine, tried for scripts/oidc-test: every address comes from discovery."""

from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT

from oidc_registry import METERS, TIMESHEETS
from trial import check


def code(keys, person, landing, secret):
    """A code with PKCE by a client with a secret; the session with its tokens, and what the ID token says."""
    session = OAuth2Session(
        "shop", secret, scope="openid profile email offline_access read:timesheets", redirect_uri=landing.callback, code_challenge_method="S256",
        token_endpoint=keys.metadata["token_endpoint"])
    verifier, nonce = generate_token(48), generate_token()
    address, state = session.create_authorization_url(
        keys.metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce, audience=TIMESHEETS)
    person.browser.open(address)
    person.scan()
    back = person.comes_back(landing.callback, "a client of the operator's own has its code without a question")
    try:
        session.fetch_token(authorization_response=back, state="another", code_verifier=verifier)
        check(False, "Authlib: an answer with another state is not taken")
    except Exception as error:
        check("state" in str(error).lower(), "Authlib: an answer with another state is not taken")
    token = session.fetch_token(authorization_response=back, state=state, code_verifier=verifier)
    check(token["token_type"] == "Bearer" and {"access_token", "refresh_token", "id_token"} <= token.keys(), "Authlib: a code gives all three tokens")
    claims = keys.id_token(token["id_token"], "ES256", "shop", nonce=nonce, name="Alice Example", email="alice@example.org", email_verified=True)
    keys.refuses(token["id_token"], "ES256", "shop")
    check(keys.access_token(token["access_token"], "ES256", TIMESHEETS, "shop")["sub"] == claims["sub"], "and is about the same person")
    return session, claims


def another_verifier(keys, person, landing, secret):
    session = OAuth2Session(
        "shop", secret, redirect_uri=landing.callback, scope="openid", code_challenge_method="S256",
        token_endpoint=keys.metadata["token_endpoint"])
    address, state = session.create_authorization_url(keys.metadata["authorization_endpoint"], code_verifier=generate_token(48))
    person.browser.open(address)
    back = person.comes_back(landing.callback, "who is logged in gets the next code at once")
    try:
        session.fetch_token(authorization_response=back, state=state, code_verifier=generate_token(48))
        check(False, "Authlib: with another verifier the code is refused")
    except OAuthError as error:
        check(error.error == "invalid_grant", "Authlib: with another verifier the code is refused")


def ask(keys, session, token, hint=None):
    return session.introspect_token(keys.metadata["introspection_endpoint"], token=token, token_type_hint=hint).json()


def after_the_code(keys, session, claims):
    told = session.get(keys.metadata["userinfo_endpoint"]).json()
    check(told["sub"] == claims["sub"] and told["email"] == "alice@example.org", "Authlib: userinfo tells of the same person")
    first = dict(session.token)
    facts = ask(keys, session, first["access_token"])
    check(facts["active"] and facts["sub"] == claims["sub"] and facts["client_id"] == "shop", "Authlib: introspection tells of an access token")
    check(ask(keys, session, first["refresh_token"], "refresh_token")["active"], "and of a refresh token")
    second = session.refresh_token()
    check(second["access_token"] != first["access_token"], "Authlib: a refresh token gives another access token")
    fresh = keys.read(second["id_token"], "ES256", "shop").claims if "id_token" in second else claims
    check(fresh["sub"] == claims["sub"], "of the same person")
    session.revoke_token(keys.metadata["revocation_endpoint"], token=second["access_token"], token_type_hint="access_token").raise_for_status()
    check(ask(keys, session, second["access_token"]) == {"active": False}, "Authlib: an access token that was revoked is over")
    check(ask(keys, session, second["refresh_token"])["active"], "and its refresh token is not")
    session.revoke_token(keys.metadata["revocation_endpoint"], token=second["refresh_token"], token_type_hint="refresh_token").raise_for_status()
    check(ask(keys, session, first["access_token"]) == {"active": False}, "Authlib: a refresh token that was revoked takes all along")
    try:
        session.refresh_token(refresh_token=second["refresh_token"])
        check(False, "and gives nothing more")
    except OAuthError as error:
        check(error.error == "invalid_grant", "and gives nothing more")


def machines(keys, secret, key):
    session = OAuth2Session("batch", secret, token_endpoint=keys.metadata["token_endpoint"])
    token = session.fetch_token(grant_type="client_credentials", audience=TIMESHEETS)
    check("refresh_token" not in token and token["scope"] == "batch:upload", "Authlib: a machine with a secret has a token for itself")
    keys.access_token(token["access_token"], "ES256", TIMESHEETS, "batch")
    try:
        OAuth2Session("batch", secret + "x", token_endpoint=keys.metadata["token_endpoint"]).fetch_token(grant_type="client_credentials", audience=TIMESHEETS)
        check(False, "Authlib: with another secret it has none")
    except OAuthError as error:
        check(error.error == "invalid_client", "Authlib: with another secret it has none")
    session = OAuth2Session("meters", key, token_endpoint_auth_method="private_key_jwt", token_endpoint=keys.metadata["token_endpoint"])
    # It names the token endpoint where it is told nothing; here the audience of an assertion is the issuer.
    session.register_client_auth_method(PrivateKeyJWT(keys.issuer, alg="ES256", headers={"kid": key.kid}))
    token = session.fetch_token(grant_type="client_credentials")
    keys.access_token(token["access_token"], "RS256", METERS, "meters")
    check(token["scope"] == "read:meters", "Authlib: a machine with a key has a token for the one API that it has")


def with_authlib(keys, person, landing, secrets, key):
    """The ID token, for the logout at the end."""
    session, claims = code(keys, person, landing, secrets["shop"])
    id_token = session.token["id_token"]
    another_verifier(keys, person, landing, secrets["shop"])
    after_the_code(keys, session, claims)
    machines(keys, secrets["batch"], key)
    return id_token
