"""Rows of accounts and of live sessions, as large as those that an enrolment and a login leave, by the thousand and on both engines.

What is found by an index differs from row to row as it does in life; what is only kept is the same in each, which costs a database no less: neither
engine packs rows of this size. Nobody can log in with such an account, since its keys are none; but each has the same device key, so who holds its other
half can ping for all of their sessions.

Rows come one after the other, as people enrol; where each stands in an index is at random, as it is in life for identifiers, hashes, names of users and times
of a last login: no index is filled from left to right but those of numbers that are given out. Sessions are of people from everywhere in the table.
"""

import hashlib
import time

# A live session is good for as long as a harness can take.
A_DAY = 86_400
# What a cache of a PIN is good for, so that databases which are kept for another run do not lose all of them at once (growth_stock.py).
A_MONTH = 30 * A_DAY
# Multiples of the first meet every number below the second, a prime, once; they leap to and fro in it. Those of the third do so among accounts.
LEAP, PRIME, STEP = 1_327_217_885, 2**31 - 1, 48_271
NONCE_LABEL = b"AP1/nonce\0"
# Where nobody has to sign: an uncompressed point's length, and its first byte.
NO_KEY = b"\x04" + bytes(64)


def nonce(number):
    """The X-nonce of a session's backend."""
    return f"{number:032d}"


def name(kind, number):
    """Sixteen bytes that look random: the same on both engines."""
    return hashlib.md5(f"{kind}{number}".encode()).digest()


def scattered():
    """Of the row's number another, of which no two rows have the same: at random, and the same in each run."""
    return f"(CAST(n AS BIGINT) * {LEAP} % {PRIME})"


def somebody(accounts):
    """The number of an account for each row of up to as many, of which no two have the same: from the whole table, and not from its beginning."""
    step = STEP if accounts % STEP else 7_919
    return f"(1 + CAST(n AS BIGINT) * {step} % {accounts})"


def nonce_hash(number):
    return hashlib.sha256(NONCE_LABEL + nonce(number).encode()).digest()


class SQLiteWords:
    """How SQLite says what is said here; `n` counts the rows."""

    def blob(self, content):
        return f"x'{content.hex()}'"

    def name(self, kind, number="n"):
        return f"name('{kind}', {number})"

    def nonce_hash(self):
        return "nonce_hash(n)"

    def numbers(self, first, last):
        # A query that counts up, for the end of an INSERT.
        return (f"WITH RECURSIVE numbers (n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM numbers WHERE n < {last}) ", "FROM numbers")

    def without_sessions(self):
        return ["DELETE FROM nonce", "DELETE FROM session"]


class PostgreSQLWords:
    def blob(self, content):
        return f"'\\x{content.hex()}'::bytea"

    def name(self, kind, number="n"):
        return f"decode(md5('{kind}' || {number}), 'hex')"

    def nonce_hash(self):
        return f"sha256({self.blob(NONCE_LABEL)} || convert_to(lpad(n::text, 32, '0'), 'UTF8'))"

    def numbers(self, first, last):
        return "", f"FROM generate_series({first}, {last}) AS numbers (n)"

    def without_sessions(self):
        # Row by row it would look for grants of each.
        return ["TRUNCATE nonce, session CASCADE"]


def accounts_of_serve(words, server, device_key):
    """What the authentication server has of an account: table, column and expression. Columns that are not named are null."""
    now = int(time.time())
    server, wrapped, account, instance = words.blob(server), words.blob(bytes(65)), words.name("account"), words.name("instance")
    return [
        ("account", {
            "id": account, "server": server, "user_id": f"'user' || {scattered()}", "display_name": "'Person ' || n", "device": "'terminal on pocket'",
            "app": "'ostiary phone 0.1.0'", "device_key": words.blob(device_key), "instance": instance, "created_at": now - A_DAY,
            "otp_reference": "n", "otp_key": wrapped, "state": 1, "blocked": 0, "activated_at": now - A_DAY,
            "last_login": f"{now} - {scattered()} % {A_MONTH}", "activation_cache": 0}),
        ("instance", {
            "id": instance, "server": server, "last": 1, "relayed_attempt": words.name("attempt"), "relayed_number": 1,
            "receipt": words.blob(bytes(147)), "evaluated_attempt": words.name("attempt"), "evaluated_epoch": 1, "evaluated_made_at": now}),
        ("instance_epoch", {"instance": instance, "number": 1, "share": wrapped, "second_factor_key": words.blob(bytes(32))}),
        ("pin_cache", {
            "account": account, "hash": words.blob(bytes(32)), "expires_at": f"{now + A_MONTH} + {scattered()} % {A_DAY}", "single_use": 0,
            "methods": 1, "verified_at": now}),
    ]


def audit_lines(words, server):
    """What the audit trail has of an account that was enrolled and has logged in once."""
    line = {"server": words.blob(server), "account": words.name("account"), "at": int(time.time()) - A_DAY, "actor": "'phone'"}
    return [
        ("audit", {"kind": "'enrolmentStarted'", **line, "account": "NULL", "actor": "'api:main'"}),
        ("audit", {"kind": "'accountEnrolled'", **line}),
        ("audit", {"kind": "'accountActivated'", **line, "actor": "'api:main'"}),
        ("audit", {"kind": "'loginAccepted'", **line}),
    ]


def accounts_of_second_factor(words, server, device_key):
    now = int(time.time())
    return [("instance", {
        "id": words.name("instance"), "server_id": words.blob(server), "server_root": words.blob(bytes(32)), "device_keys": words.blob(device_key),
        "epoch": 1, "second_factor_key": words.blob(bytes(32)), "evaluation_key": words.blob(bytes(65)), "highest": 1, "proven": 1,
        "proven_by_pin": 1, "penalty_until": 0, "last_seen": now, "without_pin": 0, "last_pin": now, "last_reset": 0})]


def live_sessions(words, server, accounts, until=None):
    """A login by QR code of one of `accounts`, and where its nonce leads. `until`: when it ends unless its phone pings; else in a day."""
    now = int(time.time())
    server, deadline = words.blob(server), until or now + A_DAY
    return [
        ("session", {
            "id": words.name("session"), "server": server, "nonce_hash": words.nonce_hash(), "stream": words.name("stream"), "purpose": 1,
            "browser": words.blob(bytes(5)), "started_at": now - 3_600, "state": 2, "account": words.name("account", somebody(accounts)), "binding": 3,
            "not_me": 0, "decision": words.blob(bytes(32)), "logged_in_at": now - 3_590, "methods": 1, "verified_at": now - 3_590, "user_input": "''",
            "deadline": deadline, "last_ping": now - 60, "last_stamp": now - 60, "runs_out_at": deadline, "failed_tries": 0, "asked": 0,
            "codes_tried": 0, "offline": 0}),
        ("nonce", {"server": server, "hash": words.nonce_hash(), "kind": 1, "session": words.name("session"), "run": now - 3_600}),
    ]


def insertions(words, tables, first, last):
    """The statements that add rows `first` to `last` of each table."""
    head, tail = words.numbers(first, last)
    for table, values in tables:
        yield f"{head}INSERT INTO {table} ({', '.join(values)}) SELECT {', '.join(map(str, values.values()))} {tail}"


def counted(words, server, added):
    """The authentication server keeps how many accounts there are."""
    return (f"INSERT INTO account_count (server, accounts) VALUES ({words.blob(server)}, {added}) "
            f"ON CONFLICT (server) DO UPDATE SET accounts = account_count.accounts + {added}")
