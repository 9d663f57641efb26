"""What the API of Examples/Timesheets refuses to whoever it has let in: for scripts/timesheets."""

import json

from trial import check

ENTRY = {"reference": "by hand 1", "date": "2026-11-23", "project": "Harbour", "hours": 7.5}


def entry(reference, **changes):
    return {**ENTRY, "reference": reference, **changes}


def without(name):
    return {member: value for member, value in entry("incomplete").items() if member != name}


def refuses_entries(api, token):
    """`token` gives one that is good now: one lives for half a minute, and a busy machine takes longer for all of these."""
    before = json.loads(api.bearer(token()).text)
    for sentence, body, field in (
            ("without a date", without("date"), "date"), ("without a reference", without("reference"), "reference"),
            ("with hours that are a text", entry("a", hours="7.5"), "hours"), ("with hours that are nothing", entry("a", hours=None), "hours"),
            ("with a project that is a number", entry("a", project=7), "project"), ("of negative hours", entry("a", hours=-1), "hours"),
            ("of no hours", entry("a", hours=0), "hours"), ("of more than a day", entry("a", hours=24.25), "hours"),
            ("of six minutes", entry("a", hours=0.1), "hours"),
            ("of the 30th of February", entry("a", date="2026-02-30"), "date"), ("of the 29th in a common year", entry("a", date="2027-02-29"), "date"),
            ("of a day that is written otherwise", entry("a", date="24.11.2026"), "date"), ("of a date with a time", entry("a", date="2026-11-24T00:00"), "date"),
            ("without a project", entry("a", project=" "), "project"),
            ("of a project that nobody sees", entry("a", project="\u3164\u2800"), "project"), ("of a project of 101 characters", entry("a", project="x" * 101), "project"),
            ("of one character with 101 accents", entry("a", project="e" + "\u0301" * 101), "project"),
            ("of a project on two lines", entry("a", project="a\nb"), "project"), ("of a reference of 65", entry("x" * 65), "reference")):
        answer = api.bearer(token(), method="POST", body=body)
        told = (answer.status, answer["error"], answer["field"])
        check(told == (400, "invalid_entry", field), f"an entry {sentence} is 400, and the answer names {field} ({answer})")
    endless = api.bearer(token(), method="POST", body=json.dumps(entry("a", hours=0)).replace(": 0}", ": 1e999}").encode())
    check((endless.status, endless["error"]) == (400, "invalid_json"), "nor is one of more hours than a number can be")
    for sentence, body in (("no JSON", b"{"), ("nothing", b""), ("a list", []), ("a text", "entry")):
        answer = api.bearer(token(), method="POST", body=body)
        check((answer.status, answer["error"]) == (400, "invalid_json"), f"{sentence} is 400 ({answer})")
    answer = api.bearer(token(), method="POST", body=entry("a", project="x" * 5_000))
    check((answer.status, answer["error"]) == (413, "body_too_large"), f"a body that is too long is 413 ({answer})")
    check(json.loads(api.bearer(token()).text) == before, "and none of them was kept")


def refuses_uploads(api, token):
    """The same for the machine that uploads."""
    for method, path in (("GET", "/timesheets"), ("POST", "/timesheets"), ("GET", "/approvals"), ("PUT", "/timesheets/1/approval")):
        status = api.bearer(token(), path, method=method, body=ENTRY if method == "POST" else None).status
        check(status == 403, f"its token is for uploads only: {method} {path} is 403")
    row = {**entry("row"), "employee": "bob"}
    for sentence, body, error, number in (
            ("of no entries", {"entries": []}, "invalid_row_count", None), ("of 1001 entries", {"entries": [row] * 1_001}, "invalid_row_count", None),
            ("without entries", {}, "invalid_json", None), ("of entries that are none", {"entries": [7]}, "invalid_json", None),
            ("of nobody's", {"entries": [row, entry("row 2")]}, "invalid_entry", 2),
            ("of an employee without a name", {"entries": [{**row, "employee": ""}]}, "invalid_entry", 1)):
        answer = api.bearer(token(), "/timesheets/upload", method="POST", body=body)
        check((answer.status, answer["error"], answer["row"]) == (400, error, number), f"an upload {sentence} is 400 ({answer})")
    full = [{**entry(f"full {n}", date="2026-12-02", hours=24), "employee": "bob"} for n in range(2)]
    answer = api.bearer(token(), "/timesheets/upload", method="POST", body={"entries": full})
    check((answer.status, answer["error"], answer["row"]) == (409, "day_full", 2), "one that fills a day twice is 409, and told where")
    answer = api.bearer(token(), "/timesheets/upload", method="POST", body={"entries": full[:1] * 2})
    check((answer.status, answer["added"], answer["known"]) == (200, 1, 1), "the first one of it was not kept then; sent twice in one upload it is there once")
    answer = api.bearer(token(), "/timesheets/upload", method="POST", body={"entries": [{**row, "project": "x" * 4_200_000}]})
    check(answer.status == 413, "one that is longer than a thousand entries can be is 413")
