"""What the token service and its backend must refuse: the negative list of scripts/token-service-test."""

import hashlib
import hmac
import time

from joserfc.jwk import ECKey
from resource_tokens import Tokens, forged, new_key
from token_service_programs import AUDIENCE, FORM, STOCK
from trial import check


def refuse_web_nonces(stage, web_nonce, elsewhere):
    service = stage.service
    answer = service.exchange()
    check(answer.status == 401 and answer["error"] is None and answer.challenge.startswith("WebNonce "), "no webNonce: the way is told, and no error")
    service.refuses("a webNonce of nobody", "nobodyLoggedIn", lambda: service.exchange("A" * 43))
    service.refuses("one of another authentication server", "nobodyLoggedIn", lambda: service.exchange(elsewhere))
    service.refuses("one that is none", "badCharacter", lambda: service.exchange("short"))
    for name in ("X-webNonce", "webNonce", "webnonce", "web_nonce"):
        answer = service.exchange(path=f"/token?{name}={web_nonce}")
        check(answer.status == 400 and answer["error"] == "invalid_request", f"a good one in the address, as {name}, is a bad request")
    answer = service.exchange(web_nonce, path=f"/token?webNonce={web_nonce}")
    check(answer.status == 400, "also beside the field")
    check(service.exchange(subject_token=web_nonce).status == 401, "a good one in the form is none")
    check(service.exchange(web_nonce, subject_token=web_nonce)["error"] == "invalid_request", "also beside the field")
    check(service.exchange(web_nonce, ("X-webNonce", web_nonce)).status == 400, "two fields are a bad request")
    answer = service.exchange(stage.person.nonce_of_website())
    check(answer.status == 403 and answer["error_description"] == "Forbidden", "the nonce of a website, by which somebody is logged in there, opens nothing")


def refuse_forms(stage, web_nonce):
    service = stage.service
    for error, sentence, changed in (
            ("unsupported_grant_type", "another grant", {"grant_type": "client_credentials"}), ("invalid_request", "no grant", {"grant_type": None}),
            ("invalid_target", "a backend that is not served", {"audience": AUDIENCE + "/"}), ("invalid_request", "no backend", {"audience": None}),
            ("invalid_scope", "what nobody is let do there", {"scope": "read:payslips read:stock"}), ("invalid_scope", "nothing at all", {"scope": " "}),
            ("invalid_request", "a token of another kind", {"requested_token_type": "urn:ietf:params:oauth:token-type:refresh_token"})):
        answer = service.exchange(web_nonce, **changed)
        check(answer.status == 400 and answer["error"] == error and answer.all("Cache-Control") == ["no-store"], f"{sentence}: {error}")
    twice = f"grant_type=a&grant_type=b&audience={AUDIENCE}".encode()
    check(service.post("/token", twice, ("X-webNonce", web_nonce))["error"] == "invalid_request", "a parameter twice is a bad request")
    check(service.exchange(web_nonce, scope="")["scope"] == "read:payslips make:payments", "one without a value is left out")
    status = service.ask("/token", FORM, ("X-webNonce", web_nonce), method="POST", body=b"a=" + b"x" * 8_000).status
    check(status == 413, "a form of 8 KB is not read")


def refuse_tokens(stage, token, of_stock, of_another):
    """The key is the service's own: what is wrong with each token is the one thing that is said."""
    backend, key = stage.backend, stage.signing
    tokens = Tokens(stage.service.base)
    made = lambda header=None, by=key, **changed: tokens.token(by, header, **{"aud": AUDIENCE, "scope": "read:payslips make:payments", **changed})
    claims = tokens.claims(aud=AUDIENCE, scope="read:payslips")
    check(backend.payslips(made()).status == 200, "a token that is as it should be, by the service's key, is taken by its signature")
    backend.refuses("where the service is asked it is not: it was never given out", "notActive", lambda: backend.pay(made()))
    for name in ("none", "None", "nOnE"):
        backend.refuses(f"a token without a signature, by the algorithm {name}", "algorithmUnknown",
                        lambda: backend.payslips(forged({"typ": "at+jwt", "alg": name, "kid": key.kid}, claims, lambda _: b"")))
    public = key.as_pem(private=False)
    backend.refuses("one by the public key as a shared secret", "algorithmUnknown", lambda: backend.payslips(forged(
        {"typ": "at+jwt", "alg": "HS256", "kid": key.kid}, claims, lambda text: hmac.new(public, text, hashlib.sha256).digest())))
    rsa, stranger = new_key("RS256", key.kid), new_key("ES256", key.kid)
    backend.refuses("one by an algorithm that the service does not use", "algorithmNotAllowed", lambda: backend.payslips(made(by=rsa)))
    backend.refuses("one by a stranger's key under the name of the service's", "signatureWrong", lambda: backend.payslips(made(by=stranger)))
    backend.refuses("one by a key that nobody published", "keyUnknown", lambda: backend.payslips(made(by=new_key("ES256", "stranger"))))
    head, body, signature = token.split(".")
    other = token.replace(body, forged({}, {**claims, "sub": "mallory"}, lambda _: b"").split(".")[1])
    backend.refuses("one whose claims were changed", "signatureWrong", lambda: backend.payslips(other))
    backend.refuses("one for another backend", "audienceWrong", lambda: backend.payslips(of_stock))
    backend.refuses("one of another token service, of the same person", "keyUnknown", lambda: backend.payslips(of_another))
    now = int(time.time())
    backend.refuses("one that is over", "expired", lambda: backend.payslips(made(iat=now - 400, exp=now - 60)))
    backend.refuses("one that is no access token", "typeWrong", lambda: backend.payslips(made(header={"typ": "JWT"})))
    backend.refuses("one of another issuer", "issuerWrong", lambda: backend.payslips(made(iss="https://login.example")))
    check(backend.ask(f"/payslips?access_token={token}").status == 400, "a good one in the address is a bad request")
    check(backend.ask("/payslips", ("X-webNonce", stage.web_nonce)).status == 401, "a webNonce is none: the backend has nobody to ask about it")
    answer = backend.pay(stage.service.token(stage.web_nonce, scope="read:payslips"))
    check(answer.status == 403 and 'scope="make:payments"' in answer.challenge, "who was given less may do less")


def refuse_questions(stage, token, of_stock):
    service = stage.service
    for sentence, client, secret in (("a wrong secret", "payroll", "wrong"), ("another backend's", "payroll", "s3cret: with a colon + a plus2"), ("a stranger", "x", "x")):
        answer = service.introspect(token, client, secret)
        check(answer.status == 401 and answer["error"] == "invalid_client" and answer.challenge.startswith("Basic "), f"{sentence} hears nothing of a token")
    check(service.post("/introspect", {"token": token}).status == 401, "nor does who shows no secret")
    for sentence, text in (("of another backend", of_stock), ("that nobody gave out", token + "A"), ("that is no token", "x")):
        answer = service.introspect(text)
        check(answer.status == 200 and answer.text == '{"active":false}', f"of a token {sentence} it is said that it is not good, and no more")


def service_key():
    """A key by the name that the token service finds for it."""
    key = ECKey.generate_key("P-256")
    return ECKey.import_key(key.as_pem(private=True), {"kid": key.thumbprint(), "use": "sig", "alg": "ES256"})
