"""The applications of scripts/oidc-test, made as an operator makes them: from a YAML file, by `ostiary admin apply`."""

import json
import subprocess

from trial import check

TIMESHEETS, ROOMS, METERS = "https://api.example/timesheets", "https://api.example/rooms", "https://api.example/meters"
# Where the browser comes back to: the port is put in.
REGISTRY = """
apis:
  https://api.example/timesheets:
    name: Timesheets
    allow_offline_access: true
    scopes:
      read:timesheets: see your timesheets
      batch:upload: upload timesheets of everybody
  https://api.example/rooms:
    name: Rooms
    token_format: opaque
    scopes:
      book:rooms: book rooms for you
  https://api.example/meters:
    name: Meters
    signing_alg: RS256
    scopes:
      read:meters: read all meters
applications:
  shop:
    kind: web
    client_name: Shop
    first_party: true
    redirect_uris: [http://127.0.0.1:PORT/cb]
    post_logout_redirect_uris: [http://127.0.0.1:PORT/bye]
    apis:
      https://api.example/timesheets: [read:timesheets]
    serves: [https://api.example/timesheets]
  board:
    kind: web
    client_name: Board
    client_uri: https://board.example
    redirect_uris: [http://127.0.0.1:PORT/cb]
    id_token_signed_response_alg: EdDSA
    apis:
      https://api.example/rooms: [book:rooms]
    serves: [https://api.example/rooms]
  bank:
    kind: web
    client_name: Bank
    first_party: true
    redirect_uris: [http://127.0.0.1:PORT/cb]
    token_endpoint_auth_method: private_key_jwt
    jwks: KEYS
    dpop_bound_access_tokens: true
    require_pushed_authorization_requests: true
    assertions_by_rs256: false
    apis:
      https://api.example/timesheets: [read:timesheets]
  screen:
    kind: native
    client_name: Screen
    first_party: true
    grant_types: ["urn:ietf:params:oauth:grant-type:device_code", refresh_token]
    apis:
      https://api.example/timesheets: [read:timesheets]
  app:
    kind: native
    client_name: App
    first_party: true
    grant_types: ["urn:ietf:params:oauth:grant-type:token-exchange"]
  till:
    kind: web
    client_name: Till
    grant_types: ["urn:openid:params:grant-type:ciba"]
    backchannel_token_delivery_mode: poll
  batch:
    kind: machine
    client_name: Batch
    apis:
      https://api.example/timesheets: [batch:upload]
      https://api.example/meters: [read:meters]
    serves: [https://api.example/timesheets, https://api.example/meters]
  meters:
    kind: machine
    client_name: Meters
    token_endpoint_auth_method: private_key_jwt
    jwks: KEYS
    apis:
      https://api.example/meters: [read:meters]
users:
  alice:
    name: Alice Example
    email: alice@example.org
    email_verified: true
"""


def admin(servers, *words, text=None):
    """`ostiary admin` beside the running servers; what it printed."""
    done = subprocess.run([servers.binary, "admin", *words], env=servers.environment, input=text, capture_output=True, text=True, timeout=30)
    if done.returncode != 0:
        raise SystemExit(f"FAILED  ostiary admin {' '.join(words)}: {done.stderr or done.stdout}")
    return done.stdout


def apply(servers, port, keys):
    """Makes all of it, and gives the secrets by application."""
    text = REGISTRY.replace("PORT", str(port)).replace("KEYS", json.dumps(keys))
    said = json.loads(admin(servers, "apply", "--json", "-", text=text))
    check(set(said["secrets"]) == {"shop", "board", "till", "batch"}, "an operator applies a file, and is told the secrets of those who need one")
    check(json.loads(admin(servers, "apply", "--json", "-", text=text))["changes"] == [], "applied again it changes nothing")
    return said["secrets"]
