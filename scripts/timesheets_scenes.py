"""What happens in the company of Examples/Timesheets, scene by scene: for scripts/timesheets."""

import concurrent.futures

from oidc_registry import admin
from resource_api import BAD_TOKEN
from timesheets_programs import machine_token, stray_visit
from timesheets_refusals import ENTRY, entry, refuses_entries, refuses_uploads
from trial import check, until


def lines(said):
    """The entries that the app shows."""
    return [line for line in said.splitlines() if line.startswith("#")]


def an_employee(world):
    alice = world.app("alice")
    check((alice.who, alice.menu) == ("Nobody is logged in", ["login", "quit"]), "the app offers a login, and nothing else")
    check("Nobody is logged in" in alice.ask("list"), "and who asks for entries all the same is told to log in")
    address = alice.open_browser("login")
    check("code_challenge_method=S256" in address and "code_challenge=" in address, "S3-17, S3-18 Alice's app sends her browser to the provider, by PKCE")
    check(stray_visit(address, "code=stolen&state=guessed") == 200, "another page that comes to the app's port reads a page")
    alice.person.scan()
    alice.person.goes_on()
    said = alice.prompt()
    told = ("Alice Example", "alice@example.com", "https://example.com/alice.png")
    check(all(word in said for word in told), "S3-42 Alice is logged in, and her app shows the verified profile")
    check("create:timesheets read:timesheets" in said and "approve" not in said, "she asked for all scopes, and was given what an employee may")
    check("bound    to this device" in said and "until it is ended" in said, "her token is bound to her device, and her login lasts")
    check(not any("appro" in item for item in alice.menu) and "list" in alice.menu, "S3-43 her menu shows no approvals, because that scope was not granted")
    check(alice.ask("list") == "There are no entries", "she has no entries")
    said = alice.ask("add 2026-11-24 7.5 Harbour crane")
    check("#1  2026-11-24  7.5 h  Harbour crane  alice  not approved yet" in said, "S3-01, S3-04 she adds one, which the API tells as it keeps it: hers")
    check(lines(alice.ask("list")) == ["#1  2026-11-24  7.5 h  Harbour crane  alice  not approved yet"], "S3-03 and her list has it")
    check("403 insufficient_scope" in alice.ask("approvals"), "what the menu does not show can be typed: the API says 403 to the list of approvals")
    check("403 insufficient_scope" in alice.ask("approve 1"), "S3-12 and 403 to an approval, because an employee may not approve")
    check("400 invalid_entry, hours" in alice.ask("add 2026-11-24 -3 Harbour"), "what the API does not take, the app tells in its words")


def by_hand(world):
    """Without the app: every request that somebody can make who holds a token."""
    alice, api = world.members["alice"], world.api
    granted = alice.take_token()
    check(granted["subject"] == "alice" and "approve:timesheets" not in granted["scope"], "Alice takes a token by hand, in the browser that knows her")
    token = alice.token
    for fields, sentence in (((), "no token"), ((("Authorization", "Bearer made.up.token"),), "one that is none")):
        answer = api.ask("/timesheets", *fields)
        check(answer.status == 401 and answer["error_description"] == BAD_TOKEN, f"the API says “{BAD_TOKEN}” to {sentence}")
    check(api.bearer(token, "/timesheets/1/approval", method="PUT").status == 403, "her token approves nothing, whoever makes the request")
    check(api.bearer(token, "/timesheets/upload", method="POST", body={"entries": [{**ENTRY, "employee": "bob"}]}).status == 403, "and uploads nothing")
    refuses_entries(api, lambda: alice.token)
    # One lives for half a minute.
    token = alice.token
    claimed = entry("claimed", employee="mary", sub="mary", approvedBy="alice", id=1)
    answer = api.bearer(token, method="POST", body=claimed)
    told = (answer.status, answer["employee"], answer["approvedBy"])
    check(told == (201, "alice", None), "S3-13, S3-14 an entry is that of the token's subject, whatever its body claims")
    check(answer["id"] != 1, "and of another number than its body claims")
    again = api.bearer(token, method="POST", body=claimed)
    check(again.status == 200 and again["id"] == answer["id"], "sent again under its reference it is told again, and not added")
    told = api.bearer(token, method="POST", body=entry("claimed", hours=1))
    check((told.status, told["error"]) == (409, "reference_taken"), "another one under that reference is refused")
    check(api.bearer(token, method="POST", body=entry("long day", date="2026-11-25", hours=24)).status == 201, "a day has 24 hours")
    told = api.bearer(token, method="POST", body=entry("longer day", date="2026-11-25", hours=0.25))
    check((told.status, told["error"]) == (409, "day_full"), "and not a quarter more")
    told = api.bearer(token, "/timesheets?after=x")
    check((told.status, told["error"]) == (400, "invalid_page"), "a page behind no number is none")


def a_manager(world):
    world.browser.forget_cookies()
    mary, api = world.app("mary"), world.api
    said = mary.log_in()
    check("Mary Major" in said and "approve:timesheets" in said, "Mary logs in, who is a manager")
    check({"approvals", "approve NUMBER"} <= set(mary.menu), "and her menu shows the approvals, by the scope that she was granted")
    check(lines(mary.ask("list")) == [], "Alice's entries are not in her list")
    own = mary.ask("add 2026-11-24 8 Office").split()[1]
    waiting = lines(mary.ask("approvals"))
    check(len(waiting) == 3 and all("  alice  " in line for line in waiting), "Alice's entries wait for her, and not her own")
    check("403 own_entry" in mary.ask(f"approve {own.lstrip('#')}"), "nobody approves an entry of their own")
    check("404 unknown_entry" in mary.ask("approve 999999"), "an entry that there is not is 404")
    check("approved by mary" in mary.ask("approve 1"), "she approves Alice's first one")
    check("approved by mary" in world.apps["alice"].ask("list"), "which Alice sees")
    check("approved by mary" in mary.ask("approve 1"), "approved again by her it stays as it is")
    check(len(lines(mary.ask("approvals"))) == 2, "and it waits no more")
    mary.person.take_token()
    token = mary.person.token
    for id, sentence in (("x", "letters"), ("-1", "less than any"), ("9" * 30, "more than a number can be"), ("1%2F2", "a part of an address")):
        check(api.bearer(token, f"/timesheets/{id}/approval", method="PUT").status == 404, f"a number that is {sentence} is 404")


def two_managers(world):
    world.browser.forget_cookies()
    mary, max_, api = world.members["mary"], world.members["max"], world.api
    world.app("max").log_in()
    max_.take_token()
    tokens = {"mary": mary.token, "max": max_.token}
    told = api.bearer(tokens["max"], "/timesheets/1/approval", method="PUT")
    check((told.status, told["error"]) == (409, "approved_already"), "what Mary approved, Max does not: 409")
    waiting = [each["id"] for each in api.bearer(tokens["max"], "/approvals")["entries"] if each["employee"] == "alice"]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        asked = [(name, pool.submit(api.bearer, tokens[name], f"/timesheets/{waiting[0]}/approval", method="PUT")) for name in ("mary", "max") * 4]
        answers = [(name, asking.result()) for name, asking in asked]
    winners = [name for name, answer in answers if answer.status == 201]
    check(len(winners) == 1, f"two managers approve one entry eight times at once: it is approved once ({[answer.status for _, answer in answers]})")
    others = [(name in winners, answer.status) for name, answer in answers if answer.status != 201]
    check(sorted(others) == [(False, 409)] * 4 + [(True, 200)] * 3, f"the other one hears of it, and the winner the same again ({others})")
    listed = {each["id"]: each for each in api.bearer(world.members["alice"].token)["entries"]}
    check(listed[waiting[0]]["approvedBy"] == winners[0], "and it is the winner whose name stands there")


def a_machine(world):
    api, file = world.api, world.folder / "night.csv"
    example = (world.example / "night.csv").read_text()
    file.write_text(example)
    count = len(example.splitlines()) - 1
    check(world.cron(file) == (0, f"{count} added, 0 known before"), "at night a machine uploads what the punch clock wrote, by a token of its own")
    check(world.cron(file) == (0, f"0 added, {count} known before"), "the same file again adds nothing")
    check("Quay, north" in world.apps["alice"].ask("list"), "Alice sees what was uploaded for her")
    header = example.splitlines()[0]
    file.write_text(f"{header}\nbad-1,alice,2026-12-01,Harbour,8\nbad-2,alice,2026-12-01,Harbour,-8\n")
    code, said = world.cron(file)
    check(code == 1 and "entry 2" in said and "hours" in said, f"of a file with a wrong line the machine is told which ({said})")
    check("2026-12-01" not in world.apps["alice"].ask("list"), "and nothing of it was kept")
    file.write_text(f"{header}\n" + "".join(f"many-{n},alice,2027-01-{1 + n // 96:02},Night watch,0.25\n" for n in range(1_001)))
    check(world.cron(file) == (0, "1001 added, 0 known before"), "a file of 1001 lines goes up in two parts")
    check(len([line for line in lines(world.apps["alice"].ask("list")) if "Night watch" in line]) == 1_001, "and Alice's app reads her list part by part")
    a_full_day(world, file, header)
    code, said = world.cron(file, CLIENT_SECRET_FILE=world.secret_file("wrong", "a wrong secret"))
    check(code == 1 and "401" in said and "invalid_client" in said, f"without its secret the machine is nobody ({said})")
    refuses_uploads(api, lambda: machine_token(world.servers.origin, world.secrets["timesheets-cron"]))


def a_full_day(world, file, header):
    """One line that the API does not take beside what it has holds up no other, however often the file is sent."""
    many = file.read_text()
    others = "full-1,alice,2026-12-03,Harbour,24\nfull-3,bob,2026-12-03,Quay,8\n"
    file.write_text(f"{header}\n{others}full-2,alice,2026-12-03,Harbour,1\nfull-4,carol,2026-12-03,Quay,8\n")
    for counted in ("3 added, 0 known before", "0 added, 3 known before"):
        code, said = world.cron(file)
        check(code == 65 and counted in said and "entry 3, full-2: day_full" in said and said.count("entry") == 1,
              f"a line of somebody whose day is full is told, and all others are there: {counted} ({code}, {said})")
    file.write_text(f"{header}\n{others}full-2,alice,2026-12-04,Harbour,1\nfull-4,carol,2026-12-03,Quay,7\n")
    code, said = world.cron(file)
    check(code == 65 and "1 added, 2 known before" in said and "entry 4, full-4: reference_taken" in said,
          f"the line is mended and goes up; one that was changed since is told, and stays what it was ({code}, {said})")
    file.write_text(f"{many}full-5,alice,2026-12-03,Harbour,1\n")
    code, said = world.cron(file)
    check(code == 65 and "0 added, 1001 known before" in said and "entry 1002, full-5: day_full" in said,
          f"a line of the second part is told by its number in the file ({code}, {said})")
    file.write_text(f"{header}\n" + "".join(f"late-{n},alice,2026-12-03,Harbour,1\n" for n in range(150)))
    code, said = world.cron(file)
    check(code == 1 and "100 entries were refused" in said and "entry 100, late-99: day_full" in said and "late-100" not in said,
          f"of a file of such lines the first hundred are told, and then somebody has to look at it ({code})")
    file.write_text(many)


def what_stays(world):
    """The API is killed and comes back."""
    before = world.apps["alice"].ask("list")
    world.api.stop()
    check("That did not work now" in world.apps["alice"].ask("list"), "while the API is away the app says so, and goes on")
    world.api.start()
    check(world.apps["alice"].ask("list") == before, "an API that was killed has everything when it is back")


def a_token_that_is_over(world):
    mary, api = world.apps["mary"], world.api
    check(lines(mary.ask("list")), "Mary's app has a token of half a minute")
    younger = mary.person.token
    check(api.bearer(younger).status == 200, "and so has she by hand: a younger one")
    until(lambda: api.bearer(younger).status == 401, "which the API takes no more after that time")
    check(lines(mary.ask("list")), "S3-47 the app's own is over too, and it goes on by a new one without asking her")
    check(mary.ask("renew") == "There is a new token" and lines(mary.ask("list")), "S3-45 a renewal that she asks for gives another, as often as she likes")


def a_revocation(world):
    mary = world.apps["mary"]
    said = admin(world.servers, "grants", "end-all", "--user", "mary", "--client", "timesheets-mobile")
    check("grants ended" in said, "an operator ends what Mary gave to the app")
    check("Log in again: login" in mary.ask("renew"), "the next renewal fails, and the app says: log in again")
    check(mary.menu == ["login", "quit"], "nobody is logged in there any more")
    alice, grants = world.apps["alice"], lambda: admin(world.servers, "grants", "list", "--user", "alice", "--client", "timesheets-mobile").splitlines()
    before = grants()
    check("every token of this app is over" in alice.ask("revoke") and alice.menu == ["login", "quit"], "Alice ends her own login in the app")
    check(len(before) - len(grants()) == 1, "S3-46 and the provider knows: her refresh token is revoked")
    check("Nobody is logged in" in alice.ask("list"), "after which the app reads nothing")


def a_logout(world):
    alice, browser = world.apps["alice"], world.browser
    browser.forget_cookies()
    check("Alice Example" in alice.log_in(), "Alice logs in again")
    alice.ask("revoke")
    check("Alice Example" in alice.log_in(scans=False), "after a revocation the browser still knows her: no phone is asked")
    alice.open_browser("logout")
    check(alice.prompt() == "Logged out here and in the browser", "she logs out in the browser as well")
    check("Alice Example" in alice.log_in(), "and the next login begins at the phone")


def the_phone_ends_it(world):
    alice = world.app("alice", "borrowed", LASTING="no")
    said = alice.log_in(scans=False)
    check("as long as the login on the phone" in said and "renew" not in alice.menu, "at a computer that others use, Alice logs in without offline_access")
    check(lines(alice.ask("list")), "and reads her entries there")
    check(alice.person.ends_all(), "she ends all logins on her phone")
    check("Log in again: login" in alice.ask("list"), "that one is over at once: the API takes its token no more, and the app says: log in again")
    check(lines(world.apps["alice"].ask("list")), "what she let last goes on: it hangs on her phone's account, and not on this login")
    browser = world.browser
    alice.open_browser("login")
    until(lambda: browser.state == "waiting", "and the browser knows nobody any more")
    alice.person.scan()
    alice.person.goes_on()
    check("Alice Example" in alice.prompt(), "so that the next login begins at the phone")


SCENES = [an_employee, by_hand, a_manager, two_managers, a_machine, what_stays, a_token_that_is_over, a_revocation, a_logout, the_phone_ends_it]
