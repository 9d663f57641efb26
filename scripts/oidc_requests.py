"""requests_oauth2client with each grant that it has, tried for scripts/oidc-test."""

import json
import time

from jwskate import Jwk
from requests import HTTPError
from requests_oauth2client import (
    AccessDenied, AuthorizationPending, AuthorizationResponseError, BackChannelAuthenticationPollingJob, DeviceAuthorizationPollingJob, DPoPKey,
    DPoPToken, ExpiredToken, InvalidGrant, InvalidTarget, InvalidUseDPoPNonceResponse, OAuth2Client, PrivateKeyJwt, SlowDown, UnauthorizedClient,
)
from requests_oauth2client.exceptions import EndpointError

from oidc_registry import ROOMS, TIMESHEETS
from trial import Phone, check, held, until

WEB_NONCE = "urn:ostiary:params:oauth:token-type:web-nonce"

# The eleven things that the library has a call for and the provider an address, and the sentence by which each is shown. It could also sign its requests
# (RFC 9101) and ask by `authorization_details` (RFC 9396), which the provider does not take. An exchange is shown by its refusals: a webNonce is nothing
# without the key that the phone named, and the library has none but its own. With the phone's key AppTokenJourneyTests.swift does it.
ELEVEN = {
    "discovery": "state and issuer of the answer are right",
    "a code with PKCE": "a code gives tokens, and it takes their ID token for good",
    "a request sent ahead": "a request is sent ahead, with a proof by a nonce that the server asked for",
    "DPoP": "the access token is bound to its key",
    "refresh": "it is refreshed with a proof by the same key",
    "userinfo": "userinfo answers who shows the key, and asks for a nonce first",
    "device code": "its own loop has the tokens, bound to a key",
    "CIBA": "its own loop has the tokens of a login on the phone",
    "introspection": "an opaque token is told by introspection",
    "revocation": "it is revoked",
    "token exchange": "a webNonce that is none is refused",
}


def client(keys, name=None, **options):
    """By discovery. `testing`: it would take no address without TLS."""
    names = ("device_authorization_endpoint", "backchannel_authentication_endpoint")
    options = {"id_token_signed_response_alg": "ES256", **{name: keys.metadata[name] for name in names}, **options}
    return OAuth2Client.from_discovery_endpoint(issuer=keys.issuer, client_id=name, testing=True, **options)


def refused(kind, what, sentence):
    try:
        what()
    except kind:
        return check(True, f"requests_oauth2client: {sentence}")
    check(False, f"requests_oauth2client: {sentence}")


def code_with_consent(keys, person, landing, secret):
    """A client that is not the operator's own, whose ID tokens are EdDSA and whose API has opaque tokens."""
    board = client(keys, "board", client_secret=secret, redirect_uri=landing.callback, id_token_signed_response_alg="EdDSA")
    asked = board.authorization_request(scope="openid book:rooms", audience=ROOMS)
    person.browser.open(asked.uri)
    until(lambda: person.browser.state == "consent", "who is logged in already is asked whether another client may")
    check("book rooms for you" in person.browser.run("return document.body.innerText"), "in the words of the API's file")
    person.say("no")
    back = person.comes_back(landing.callback, "a no is told to the client", "error")
    refused(AuthorizationResponseError, lambda: asked.validate_callback(back), "it raises that")
    asked = board.authorization_request(scope="openid book:rooms", audience=ROOMS)
    person.browser.open(asked.uri)
    until(lambda: person.browser.state == "consent", "the person is asked again")
    person.say("yes")
    answer = asked.validate_callback(person.comes_back(landing.callback, "a yes gives a code"))
    check(board.authorization_response_iss_parameter_supported and answer.code, "requests_oauth2client: state and issuer of the answer are right")
    token = board.authorization_code(answer, validate=True)
    check(token.id_token is not None, "requests_oauth2client: a code gives tokens, and it takes their ID token for good")
    keys.id_token(str(token.id_token), "EdDSA", "board", nonce=asked.nonce)
    facts = board.introspect_token(token)
    check("book:rooms" in facts["scope"].split() and ROOMS in facts["aud"], "requests_oauth2client: an opaque token is told by introspection")
    refused(InvalidGrant, lambda: board.authorization_code(answer), "a code that comes twice is refused")
    check(board.introspect_token(token) == {"active": False}, "and what it gave is over")


def pushed_with_proofs(keys, person, landing, key):
    """As FAPI 2.0 has it: a request sent ahead, a client with a key, tokens that are bound to another, and a server that asks for nonces."""
    auth = PrivateKeyJwt("bank", Jwk(key.as_dict(private=True)), alg="ES256", aud=keys.issuer)
    bank = client(keys, auth=auth, redirect_uri=landing.callback, dpop_bound_access_tokens=True)
    asked = bank.authorization_request(scope="openid offline_access read:timesheets", audience=TIMESHEETS, acr_values="mfa")
    person.browser.open(asked.uri)
    back = person.comes_back(landing.callback, "a request that was not sent ahead is refused", "error")
    refused(AuthorizationResponseError, lambda: asked.validate_callback(back), "it raises that, too")
    pushed = bank.pushed_authorization_request(asked)
    check(pushed.request_uri.startswith("urn:"), "requests_oauth2client: a request is sent ahead, with a proof by a nonce that the server asked for")
    person.browser.open(pushed.uri)
    answer = asked.validate_callback(person.comes_back(landing.callback, "a browser begins with it, and nobody logs in again"))
    # It cannot make anew what it has validated where that is bound to a key; joserfc looks at the ID token below.
    token = bank.authorization_code(answer, validate=False)
    claims = keys.access_token(token.access_token, "ES256", TIMESHEETS, "bank")
    check(token.token_type == "DPoP" and claims["cnf"]["jkt"] == token.dpop_key.dpop_jkt, "requests_oauth2client: the access token is bound to its key")
    keys.id_token(str(token.id_token), "ES256", "bank", nonce=asked.nonce, acr="mfa")
    second = bank.refresh_token(token)
    check(second.dpop_key is token.dpop_key and second.access_token != token.access_token, "requests_oauth2client: it is refreshed with a proof by the same key")
    third = bank.refresh_token(second.refresh_token)
    check(third.dpop_key.dpop_jkt != token.dpop_key.dpop_jkt, "or, because the client shows who it is, by another (RFC 9449 §5)")
    check(bank.revoke_refresh_token(second) is True, "requests_oauth2client: it is revoked")
    refused(InvalidGrant, lambda: bank.refresh_token(second), "a refresh token that was revoked gives nothing")


def by_foreign_key(bank, token):
    """What userinfo says to whoever has the token and another key. The library takes each 401 for one that asks for a nonce."""
    try:
        bank.userinfo(DPoPToken(token.access_token, _dpop_key=DPoPKey.generate()))
    except (HTTPError, InvalidUseDPoPNonceResponse) as refusal:
        return refusal.response.json().get("error")
    return None


def userinfo_with_proofs(keys, person, landing, key):
    auth = PrivateKeyJwt("bank", Jwk(key.as_dict(private=True)), alg="ES256", aud=keys.issuer)
    bank = client(keys, auth=auth, redirect_uri=landing.callback, dpop_bound_access_tokens=True)
    asked = bank.authorization_request(scope="openid profile")
    person.browser.open(bank.pushed_authorization_request(asked).uri)
    answer = asked.validate_callback(person.comes_back(landing.callback, "another code comes, for no API"))
    token = bank.authorization_code(answer, validate=False)
    check(bank.userinfo(token)["name"] == "Alice Example", "requests_oauth2client: userinfo answers who shows the key, and asks for a nonce first")
    refused(HTTPError, lambda: bank.userinfo(token.access_token), "and not who shows the token alone")
    check(by_foreign_key(bank, token) == "invalid_token", "requests_oauth2client: nor who shows it with a foreign DPoP key")


def device(keys, person):
    screen = client(keys, "screen")
    begun = screen.authorize_device(scope="openid offline_access read:timesheets", audience=TIMESHEETS)
    check(begun.interval == 5, "requests_oauth2client: a device has a code")
    refused(AuthorizationPending, lambda: screen.device_code(begun), "before somebody says yes it waits")
    refused(SlowDown, lambda: screen.device_code(begun), "who asks too often is told so")
    person.browser.open(begun.verification_uri_complete)
    until(lambda: person.browser.run("return document.querySelector('#code')?.value") == begun.user_code, "its link fills the code in")
    person.browser.click("form .button")
    until(lambda: person.browser.state == "device", "the person is asked")
    person.say("yes")
    until(lambda: person.browser.state == "allowed", "and says yes")
    token = DeviceAuthorizationPollingJob(screen, begun, interval=10, dpop=True)()
    check(token is not None and token.token_type == "DPoP", "requests_oauth2client: its own loop has the tokens, bound to a key")
    keys.id_token(str(token.id_token), "ES256", "screen")
    another = {"grant_type": "refresh_token", "refresh_token": token.refresh_token}
    refused(EndpointError, lambda: screen.token_request(another, dpop=True), "a public client's refresh token is nothing with a foreign DPoP key")
    second = screen.refresh_token(token)
    check(second.access_token != token.access_token, "requests_oauth2client: and with its own it is good")
    refused(InvalidGrant, lambda: screen.device_code(begun), "a device code is good once")


def on_the_phone(keys, person, secret, subject_token):
    """CIBA to its three ends: yes, no, and nobody answers."""
    till = client(keys, "till", client_secret=secret)
    begun = till.backchannel_authentication_request(scope="openid", login_hint="alice", binding_message="W4-11")
    check(len(begun.number) == 3 and begun.number.isdigit(), "requests_oauth2client: its answer has a number for the client's screen")
    other = str(100 + (int(begun.number) - 99) % 900)
    check(person.phone.begin("wait", "--number", other).wait(timeout=60) != 0, "the phone fetches it, and another number logs nobody in")
    refused(AuthorizationPending, lambda: till.ciba(begun), "and the client waits")
    process = person.phone.begin("wait", "--number", begun.number)
    shown = Phone.event(process, "confirmLogin")
    check("W4-11" in json.dumps(shown) and begun.number not in json.dumps(shown), "the phone shows who asks and the message, and not the number")
    check(process.wait(timeout=60) == 0, "with the number and the PIN the person says yes")
    token = BackChannelAuthenticationPollingJob(till, begun, interval=5)()
    check(token is not None and token.id_token is not None, "requests_oauth2client: its own loop has the tokens of a login on the phone")
    keys.id_token(str(token.id_token), "ES256", "till")
    refused(InvalidGrant, lambda: till.ciba(begun), "an auth_req_id is good once")
    begun = till.backchannel_authentication_request(scope="openid", login_hint="alice", binding_message="W4-13")
    person.phone.begin("wait", "--deny").wait(timeout=60)
    refused(AccessDenied, lambda: till.ciba(begun), "a no on the phone is one for the client")
    begun = till.backchannel_authentication_request(scope="openid", login_hint="alice", binding_message="W4-12", requested_expiry=12)
    check(begun.interval == 5 and 0 < begun.expires_in <= 12, "requests_oauth2client: a person is asked on their phone")
    refused(AuthorizationPending, lambda: till.ciba(begun), "before they answer it waits")
    unknown = till.backchannel_authentication_request(scope="openid", login_hint="nobody")
    refused(AuthorizationPending, lambda: till.ciba(unknown), "somebody whom nobody knows is answered like one who does not answer")
    refused(EndpointError, lambda: till.backchannel_authentication_request(login_hint="alice", binding_message="\n"), "a message on two lines is refused")
    refused(EndpointError, lambda: till.backchannel_authentication_request(id_token_hint=subject_token), "an ID token of another client is no hint")
    time.sleep(max(0, begun.expires_in + 1))
    refused(ExpiredToken, BackChannelAuthenticationPollingJob(till, begun, interval=1), "when the time is over its own loop says so")


def the_rest(keys, secrets):
    batch = client(keys, "batch", client_secret=secrets["batch"])
    token = batch.client_credentials(audience=TIMESHEETS)
    check(batch.introspect_token(token)["client_id"] == "batch", "requests_oauth2client: a machine's token, by a secret in the body")
    check(batch.revoke_access_token(token) is True and batch.introspect_token(token) == {"active": False}, "requests_oauth2client: and it is revoked")
    refused(InvalidTarget, lambda: batch.client_credentials(audience="https://api.example/other"), "an API that it may not ask is refused")
    refused(UnauthorizedClient, lambda: batch.token_exchange(subject_token="x", subject_token_type=WEB_NONCE), "and a grant that it does not have")
    app = client(keys, "app")
    refused(InvalidGrant, lambda: app.token_exchange(subject_token="A" * 43, subject_token_type=WEB_NONCE, dpop=True), "a webNonce that is none is refused")


def with_requests(keys, person, landing, secrets, key, id_token):
    code_with_consent(keys, person, landing, secrets["board"])
    pushed_with_proofs(keys, person, landing, key)
    userinfo_with_proofs(keys, person, landing, key)
    device(keys, person)
    on_the_phone(keys, person, secrets["till"], id_token)
    the_rest(keys, secrets)
    missing = [subject for subject, sentence in ELEVEN.items() if f"requests_oauth2client: {sentence}" not in held]
    check(len(ELEVEN) == 11 and not missing, f"requests_oauth2client: eleven of eleven {missing or ''}".rstrip())
