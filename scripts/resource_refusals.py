"""What an API must refuse, by the names that the field has for it (RFC 8725, RFC 9068, RFC 9700): the negative list of scripts/resource-test."""

import hashlib
import hmac
import http.client
import json
import time

from resource_api import BAD_TOKEN
from resource_tokens import AUDIENCE, by_rsa, forged, new_key, proof
from trial import check


def without_signature(api, tokens, rsa):
    claims = tokens.claims()
    for name in ("none", "None", "nOnE"):
        header = {"typ": "at+jwt", "alg": name, "kid": rsa.kid}
        api.refuses(f"rs_alg_none: a token without a signature, by the algorithm {name}", "algorithmUnknown",
                    lambda: api.bearer(forged(header, claims, lambda _: b"")))
    pem = rsa.as_pem(private=False)
    header = {"typ": "at+jwt", "alg": "HS256", "kid": rsa.kid}
    api.refuses("rs_alg_confusion_HS256_with_pubkey: one by the public key as a shared secret", "algorithmUnknown",
                lambda: api.bearer(forged(header, claims, lambda text: hmac.new(pem, text, hashlib.sha256).digest())))


def by_other_keys(api, provider, tokens, key, rsa):
    stranger = new_key("ES256", key.kid)
    api.refuses("a token by a stranger's key under the provider's name for its own", "signatureWrong", lambda: api.bearer(tokens.token(stranger)))
    api.refuses("one whose name is that of a key of another algorithm", "keyUnknown",
                lambda: api.bearer(tokens.token(key, header={"kid": rsa.kid})))
    for name in ("../../../dev/null", "' OR 1=1 --", "http://127.0.0.1/keys"):
        api.refuses(f"rs_kid_path_injection: {name}", "keyUnknown", lambda: api.bearer(tokens.token(key, header={"kid": name})))
    before = list(provider.asked)
    api.refuses("rs_jwk_in_header_ignored: a token that brings its key along", "signatureWrong",
                lambda: api.bearer(tokens.token(stranger, header={"jwk": stranger.as_dict(private=False)})))
    api.refuses("rs_jku_ignored: one that says where its key is", "signatureWrong",
                lambda: api.bearer(tokens.token(stranger, header={"jku": provider.issuer + "/planted"})))
    check("/planted" not in provider.asked and provider.asked.count("/keys") == before.count("/keys"), "   nobody was asked for that key")


def of_other_kinds(api, tokens, key):
    api.refuses("rs_typ_JWT_refused_strict: a token of no kind", "typeWrong", lambda: api.bearer(tokens.token(key, header={"typ": "JWT"})))
    api.refuses("rs_id_token_refused: an ID token, though it were for this API", "typeWrong",
                lambda: api.bearer(tokens.token(key, header={"typ": "JWT"}, nonce="n", at_hash="h", scope=None)))
    api.refuses("a logout token", "typeWrong", lambda: api.bearer(tokens.token(key, header={"typ": "logout+jwt"}, events={})))
    api.refuses("a token that does not say its kind", "typeMissing", lambda: api.bearer(tokens.token(key, header={"typ": None})))


def for_others(api, tokens, key):
    api.refuses("rs_aud_wrong: a token for another API", "audienceWrong", lambda: api.bearer(tokens.token(key, aud="https://elsewhere.example")))
    api.refuses("one for an API whose name begins like this one's", "audienceWrong", lambda: api.bearer(tokens.token(key, aud=AUDIENCE + "/")))
    check(api.bearer(tokens.token(key, aud=["https://elsewhere.example", AUDIENCE])).status == 200, "rs_aud_array_ok: one for this API and another is taken")
    api.refuses("rs_iss_trailing_slash: another issuer by one slash", "issuerWrong", lambda: api.bearer(tokens.token(key, iss=tokens.issuer + "/")))
    api.refuses("a token of another provider", "issuerWrong", lambda: api.bearer(tokens.token(key, iss="https://login.example")))


def at_other_times(api, tokens, key):
    now = int(time.time())
    api.refuses("rs_exp_past_leeway: a token that ended a minute ago", "expired", lambda: api.bearer(tokens.token(key, iat=now - 400, exp=now - 60)))
    api.refuses("rs_nbf_future: one that begins in a minute", "notYetValid", lambda: api.bearer(tokens.token(key, nbf=now + 60)))
    api.refuses("rs_iat_future: one that will be made in a minute", "issuedLater", lambda: api.bearer(tokens.token(key, iat=now + 60)))
    now = int(time.time())
    check(api.bearer(tokens.token(key, exp=now - 3)).status == 200, "clocks may differ: a token that ended three seconds ago is taken")
    check(api.bearer(tokens.token(key, iat=now + 8, nbf=now + 8)).status == 200, "and one that was made eight seconds ahead")


def in_other_forms(api, tokens, rsa):
    header = {"typ": "at+jwt", "alg": "RS256", "kid": rsa.kid}
    claims = tokens.claims()
    check(api.bearer(forged(header, claims, by_rsa(rsa))).status == 200, "a token that is made by hand, as it should be, is taken")
    twice = json.dumps(claims)[:-1].encode() + b', "sub": "mallory"}'
    api.refuses("rs_duplicate_json_keys: a claim that is there twice", "memberTwice", lambda: api.bearer(forged(header, twice, by_rsa(rsa))))
    api.refuses("rs_crit_header: an extension that has to be understood", "criticalExtension",
                lambda: api.bearer(forged({**header, "crit": ["exp"], "exp": 1}, claims, by_rsa(rsa))))
    for name in ("sub", "client_id", "jti", "iat", "exp", "aud", "iss"):
        api.refuses(f"a token without {name}", f'claimMissing("{name}")', lambda: api.bearer(tokens.token(rsa, **{name: None})))
    api.refuses("a token with an empty signature", "signatureEmpty", lambda: api.bearer(forged(header, claims, lambda _: b"")))
    api.refuses("one whose claims were changed after it was signed", "signatureWrong",
                lambda: api.bearer(forged(header, {**claims, "sub": "mallory"}, lambda _: by_rsa(rsa)(b"another text"))))
    try:
        status = api.bearer("a" * 1_000_000 + ".b.c").status
    except (http.client.HTTPException, OSError):
        status = None
    check(status is None or 400 <= status < 500, "rs_token_1MB: a token of a megabyte is not let in")
    check(api.bearer(tokens.token(rsa)).status == 200, "   and the API lives on")


def in_other_places(api, tokens, key):
    token = tokens.token(key)
    answer = api.ask()
    check(answer.status == 401 and answer["error"] is None and answer["error_description"] == BAD_TOKEN, f"S3-06 no token: {BAD_TOKEN}")
    schemes = [value.split(" ")[0] for value in answer.all("WWW-Authenticate")]
    check(schemes == ["Bearer", "DPoP"] and not any("error" in value for value in answer.all("WWW-Authenticate")),
          "rs_no_token_401_without_error_code: who tried nothing hears the ways, and of no error")
    answer = api.ask("/timesheets", ("Authorization", f"Bearer {token}"), ("Authorization", f"Bearer {token}"))
    check(answer.status == 400 and answer["error"] == "invalid_request", "rs_two_auth_headers: a token twice is a bad request")
    answer = api.ask(f"/timesheets?access_token={token}")
    check(answer.status == 400 and answer["error"] == "invalid_request", "a token in the address is a bad request, good or not")
    check(api.ask("/timesheets", ("Authorization", f"bearer {token}")).status == 200, "rs_bearer_lowercase_ok: the scheme may be in lower case")


def without_scope(api, tokens, key):
    for words, sentence in ((None, "rs_scope_missing_403_with_scope_param: no scope"), ("read:timesheetsX", "rs_scope_prefix_not_enough: a longer name"),
                            ("read", "a shorter one"), ("create:timesheets", "another one")):
        answer = api.bearer(tokens.token(key, scope=words))
        check(answer.status == 403 and answer["error"] == "insufficient_scope" and answer["error_description"] == "Forbidden"
              and 'error="insufficient_scope"' in answer.challenge and 'scope="read:timesheets"' in answer.challenge, f"{sentence} is 403, with what is needed")
    answer = api.bearer(tokens.token(key, scope="read:timesheets"), method="POST", body={"project": "Harbour", "hours": 7.5})
    check(answer.status == 403 and 'scope="create:timesheets"' in answer.challenge, "who may read may not write")


def with_wrong_proofs(api, tokens, key):
    device, other = new_key("ES256", "device"), new_key("ES256", "other")
    token, here = tokens.bound(key, device), api.address()
    good = lambda **changed: proof(device, token, "GET", here, **changed)
    answer = api.bearer(token)
    check(answer.status == 401 and answer["error"] == "invalid_token" and answer.challenge.startswith("DPoP "),
          "a token that is bound to a key opens nothing as a bearer token, and the challenge says so")
    used = good()
    answer = api.dpop(token, used, path="/me")
    check(answer.status == 401, "a proof for another address is refused, and not spent by it")
    check(api.dpop(token, used).status == 200, "with its proof a bound token is taken")
    for sentence, proofs in (
            ("a proof that was used before", [used]), ("no proof", []), ("two proofs", [good(), good()]),
            ("a proof for another method", [proof(device, token, "POST", here)]), ("one by another key", [proof(other, token, "GET", here)]),
            ("one for another token", [proof(device, token + "x", "GET", here)]), ("one of ten minutes ago", [good(iat=int(time.time()) - 600)]),
            ("one of ten minutes ahead", [good(iat=int(time.time()) + 600)]), ("one that says it is something else", [good(header={"typ": "JWT"})])):
        answer = api.dpop(token, *proofs)
        wanted = "invalid_token" if "another key" in sentence else "invalid_dpop_proof"
        check(answer.status == 401 and answer["error"] == wanted and answer["error_description"] == BAD_TOKEN and answer.challenge.startswith("DPoP "),
              f"{sentence} is refused")
    plain = tokens.token(key)
    check(api.dpop(plain, proof(device, plain, "GET", here)).status == 401, "a token that is bound to no key is none of that scheme")


def refuse_all(api, provider, tokens, key, rsa):
    without_signature(api, tokens, rsa)
    by_other_keys(api, provider, tokens, key, rsa)
    of_other_kinds(api, tokens, key)
    for_others(api, tokens, key)
    at_other_times(api, tokens, key)
    in_other_forms(api, tokens, rsa)
    in_other_places(api, tokens, key)
    without_scope(api, tokens, key)
    with_wrong_proofs(api, tokens, key)
