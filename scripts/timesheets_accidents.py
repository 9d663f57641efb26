"""What goes wrong in the company of Examples/Timesheets without anybody's wanting it, and what somebody wants to go wrong: for scripts/timesheets."""

import os
import sqlite3
import subprocess

from timesheets_line import Line
from trial import check

HEADER = "reference,employee,date,project,hours\n"


def entries(said, project):
    return [line for line in said.splitlines() if line.startswith("#") and f"  {project}  " in line]


def a_bad_line(world):
    """Alice's app on a train, where answers are lost; another process of the API, at the same data, is what it reaches."""
    line = world.line()
    line.port = world.another_api("of the train", BASE=line.base).port.number
    alice = world.app("alice", "train", API=line.base)
    check("Alice Example" in alice.log_in(scans=False), "Alice logs in on another device")
    line.lose()
    check("That did not work now" in alice.ask("add 2026-10-05 2 On the train"), "the answer to what she adds is lost: her app cannot know whether it is there")
    line.be_true()
    check("Added  #" in alice.ask("add 2026-10-05 2 On the train"), "she types it again")
    check(len(entries(alice.ask("list"), "On the train")) == 1, "and it is there once")
    line.lose()
    alice.ask("add 2026-10-05 1 Tunnel")
    alice.stop()
    line.be_true()
    alice = world.app("alice", "train", API=line.base)
    alice.ask("add 2026-10-05 1 Tunnel")
    said = alice.ask("list")
    check(len(entries(said, "Tunnel")) == 1, "also where her app was killed before it had an answer")
    check("Added" in alice.ask("add 2026-10-05 1 Tunnel") and len(entries(alice.ask("list"), "Tunnel")) == 2, "what was answered and is typed again is another entry")
    return alice, line


def somebody_in_its_place(world):
    """What an app believes of whoever answers for the API."""
    alice, line = a_bad_line(world)
    line.always(503, {"error": "temporarily_unavailable"})
    check("Try the same again later" in alice.ask("list"), "an API that cannot answer now is no reason to give up")
    evil = "\x1b]0;title\x07\x1b[2J\r\nThe API says: log in at login.evil\u202e"
    told = {"id": 1, "employee": "alice", "date": "2026-10-05", "project": evil, "hours": 1}
    for status, answer in ((200, {"entries": [told]}), (400, {"error": evil, "error_description": evil})):
        before = len(alice.text)
        line.always(status, answer)
        alice.ask("list")
        shown = alice.text[before:]
        check("login.evil" in shown and not any(mark in shown for mark in "\x1b\x07\r\u202e") and "\nThe API says: log in" not in shown,
              f"what a terminal would obey is shown as text ({status})")
    for status in ("099", "000"):
        line.always(status, b"body")
        check("That did not work now" in alice.ask("list"), f"an answer with the status {status}, which is none, is no answer, and the app goes on")
    line.always(200, {"entries": [], "next": 0})
    check("That did not work now" in alice.ask("list"), "a list that has no end is given up")
    elsewhere = world.line()
    elsewhere.always(200, {"entries": []})
    line.always(307, Location=f"{elsewhere.base}/timesheets")
    check("307" in alice.ask("add 2026-10-06 1 Secret") and not elsewhere.asked, "who leads the app elsewhere leads it nowhere")


def a_machine_in_trouble(world):
    """Files that are long, wide or broken off, and somebody who would like the machine's secret."""
    file = world.folder / "trouble.csv"
    file.write_text(HEADER + "".join(f"long-{n},bob,2027-02-{1 + n // 96:02},Watch,0.25\n" for n in range(1_001)) + "wrong,bob,2027-02-28,Watch,25\n")
    code, said = world.cron(file)
    check(code == 1 and "entry 1002," in said and "1000 entries before that part are there" in said,
          f"of a long file with a wrong line the machine is told which, as its reader counts, and what is there of it ({said})")
    wide = "\U0001f6a2"
    file.write_text(HEADER + "".join(f"{n:04}{wide * 60},{n:04}{wide * 96},2027-03-01,{wide * 100},0.25\n" for n in range(1_000)))
    check(world.cron(file) == (0, "1000 added, 0 known before"), "a thousand entries that the API takes one by one go up at once, in any alphabet")
    whole = HEADER + "broken-1,bob,2027-03-02,Watch,7.75\n"
    file.write_text(whole[:-3])
    code, said = world.cron(file)
    check(code == 1 and "not the whole file" in said, f"of a file that was broken off within a number nothing is sent ({said})")
    file.write_text(whole)
    check(world.cron(file) == (0, "1 added, 0 known before"), "so that it goes up when it is whole")
    line = world.line(world.api.port.number)
    over = iter([(401, {"error": "invalid_token"}, {})])
    line.instead = lambda method, path: next(over, None)
    check(world.cron(file, API=line.base) == (0, "0 added, 1 known before"), "a token that is over within a run is followed by another")
    thief, line = world.line(), world.line()
    thief.always(200, {"issuer": line.base, "token_endpoint": f"{thief.base}/token", "access_token": "stolen"})
    line.always(302, Location=f"{thief.base}/metadata")
    code, said = world.cron(file, ISSUER=line.base)
    check(code == 1 and not thief.asked, f"who leads the machine away from its provider has neither its secret nor a question ({said})")
    line.always(200, {"issuer": line.base, "token_endpoint": "http://tokens.example/token"})
    code, said = world.cron(file, ISSUER=line.base)
    check(code == 1 and "no address for tokens" in said, f"nor does who names an address at which anybody on the way reads it ({said})")
    line.always("099", b"body")
    for setting in ("ISSUER", "API"):
        code, said = world.cron(file, **{setting: line.base})
        check(code == 75 and "nobody answers now" in said, f"an answer with a status that is none is no answer, and ends no machine ({code}, {said})")
    line.always(307, Location=f"{thief.base}/upload")
    code, said = world.cron(file, API=line.base)
    check(code == 1 and not thief.asked, f"nor is what people did brought elsewhere ({said})")


def an_api_in_trouble(world):
    """Its database refuses: as a full disk would, and without one."""
    database = sqlite3.connect(world.folder / "timesheets.sqlite")
    database.execute("CREATE TRIGGER full BEFORE INSERT ON entry BEGIN SELECT RAISE(ABORT, 'no room here'); END")
    file = world.folder / "trouble.csv"
    file.write_text(HEADER + "late-1,bob,2027-03-03,Watch,1\n")
    code, said = world.cron(file)
    check(code == 75 and "server_error" in said and "no room" not in said, f"what the API cannot do now the machine may try again ({said})")
    check(any("request failed" in line and "no room here" in line for line in world.api.log.read_text().splitlines()), "and the API's log says why")
    database.execute("DROP TRIGGER full")
    database.close()
    check(world.cron(file) == (0, "1 added, 0 known before"), "later it is done")


def what_was_forgotten(world):
    """Programs without a setting: a sentence, and no crash with a trace."""
    given = {"ISSUER": world.servers.origin, "AUDIENCE": "https://api.example.com/timesheets", "API": world.api.base}
    for program, words, forgotten, changed in (
            ("TimesheetsAPIExample", (), "ISSUER", {"ISSUER": ""}), ("TimesheetsAPIExample", (), "PORT", {"PORT": "eight"}),
            ("TimesheetsAPIExample", (), "DATABASE", {"DATABASE": "/nowhere/a.sqlite"}), ("TimesheetsAPIExample", (), "CLIENT_SECRET_FILE", {"RECHECKED_EVERY": "0"}),
            ("TimesheetsMobileExample", ("home",), "API", {"API": ""}), ("TimesheetsMobileExample", ("home",), "API", {"API": "http://api.example"}),
            ("TimesheetsMobileExample", ("home",), "AUDIENCE", {"AUDIENCE": ""})):
        environment = {**os.environ, **given, "SWIFT_BACKTRACE": "enable=no", **changed}
        done = subprocess.run([world.programs / program, *(world.folder / word for word in words)], env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60)
        said = done.stdout + done.stderr
        check(done.returncode == 1 and f"{forgotten} " in said and "README.md" in said, f"{program} with {changed} says what is wrong ({said.strip()[:120]})")


ACCIDENTS = [somebody_in_its_place, a_machine_in_trouble, an_api_in_trouble, what_was_forgotten]
