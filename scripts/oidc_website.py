"""A small website that logs people in through OpenID Connect, for scripts/oidc-demo: Flask and Authlib as their manuals have them, nothing of Ostiary."""

import secrets
import threading

from authlib.integrations.base_client import OAuthError
from authlib.integrations.flask_client import OAuth
from flask import Flask, redirect, render_template_string, session
from requests import RequestException
from werkzeug.serving import WSGIRequestHandler, make_server

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Harbour</title>
<style>body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 3rem auto; padding: 0 1rem } button { font: inherit; padding: .5rem 1rem }
td { padding-right: 1.5rem; vertical-align: top } form { display: inline }</style>
<h1>Harbour</h1>
{% if news %}<p role="status">{{ news }}</p>{% endif %}
{% if claims %}
<p>Hello, <b>{{ claims.name }}</b>. Your ID token says:</p>
<table>{% for name in ("sub", "email", "acr", "amr", "auth_time") %}<tr><td>{{ name }}<td>{{ claims[name] }}{% endfor %}</table>
<form method="post" action="/logout"><button>Log out</button></form>
{% else %}
<p>Nobody is logged in.</p>
<form method="post" action="/login"><button>Log in with Ostiary</button></form>
<form method="post" action="/phone"><button>Add a phone</button></form>
{% endif %}"""


class QuietHandler(WSGIRequestHandler):
    def log_request(self, *_):
        pass


class Website:
    """The website at a port of this machine. It is given its provider when that knows the port."""

    def __init__(self):
        self.app = Flask("harbour")
        self.app.config.update(
            SECRET_KEY=secrets.token_bytes(32), TRUSTED_HOSTS=["127.0.0.1"], SESSION_COOKIE_NAME="harbour", SESSION_COOKIE_SAMESITE="Lax")
        self.logins = {}
        self.server = make_server("127.0.0.1", 0, self.app, threaded=True, request_handler=QuietHandler)
        self.origin = f"http://127.0.0.1:{self.server.server_port}"

    def begin(self, issuer, client_id, client_secret, add_phone):
        """`add_phone` gives the address of a page at which a phone is enrolled."""
        self.provider = OAuth(self.app).register(
            "ostiary", client_id=client_id, client_secret=client_secret, server_metadata_url=issuer + "/.well-known/openid-configuration",
            client_kwargs={"scope": "openid profile email", "code_challenge_method": "S256"})
        self.app.add_url_rule("/", view_func=self.home)
        self.app.add_url_rule("/phone", view_func=lambda: redirect(add_phone(), 303), endpoint="phone", methods=["POST"])
        self.app.add_url_rule("/login", view_func=lambda: self.provider.authorize_redirect(self.origin + "/cb"), endpoint="login", methods=["POST"])
        self.app.add_url_rule("/cb", view_func=self.back)
        self.app.add_url_rule("/logout", view_func=self.log_out, methods=["POST"])
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def home(self):
        token = self.logins.get(session.get("login"))
        news = session.pop("news", None)
        if token and not self.goes_on(token):
            self.forget()
            token, news = None, "That login is over: it was ended on the phone or elsewhere, or its token is too old."
        return render_template_string(PAGE, claims=token and token["userinfo"], news=news)

    def goes_on(self, token):
        """Asked each time: an access token ends with the login that it hangs on."""
        try:
            return self.provider.userinfo(token=token)["sub"] == token["userinfo"]["sub"]
        except (OAuthError, RequestException):
            return False

    def back(self):
        try:
            token = self.provider.authorize_access_token()
        except OAuthError as refusal:
            session["news"] = f"Nobody was logged in: {refusal.description or refusal.error}"
            return redirect("/")
        session["login"] = secrets.token_urlsafe(24)
        self.logins[session["login"]] = token
        return redirect("/")

    def log_out(self):
        token = self.forget()
        if not token:
            return redirect("/", 303)
        return self.provider.logout_redirect(self.origin + "/", id_token_hint=token["id_token"])

    def forget(self):
        return self.logins.pop(session.pop("login", None), None)

    def stop(self):
        self.server.shutdown()
