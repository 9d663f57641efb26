"""Several pages in one browser, tried for scripts/page-test: each keeps to its own session, whatever the others do and whenever the server stops."""

import base64
import secrets

from page_steps import load_again, shows_code, type_code
from trial import check, until


def told(browser):
    """What the page in the current tab shows a code of: the session of a login, the whole link of an enrolment."""
    link = browser.run("return document.querySelector('[data-link]').href ?? ''").split("#")[-1]
    value = base64.urlsafe_b64decode(link + "=" * (-len(link) % 4))
    return value[6:22] if value[:2] == b"\x01\x02" else value


def open_page(servers, browser, kind, nonce=None):
    """A page in a new tab: its tab and nonce, and what it shows a code of."""
    nonce = nonce or secrets.token_urlsafe(24)
    tab = browser.new_tab()
    named = {"name": "carol@example.org", "userid": "carol"} if kind == "enrol" else {"returnurl": servers.origin + "/l?back"}
    browser.open(servers.page(kind, nonce, **named))
    until(lambda: browser.state == "waiting", f"a tab with a page to {kind} shows a code")
    return tab, nonce, told(browser)


def restart_below(servers, browser, tabs):
    """Kills the server and starts it again; then every tab has heard from the new one."""
    place = "document.querySelector('[data-server]').textContent"
    for tab in tabs:
        browser.enter(tab)
        browser.run(f"{place} = 'before'")
    servers.restart("serve")
    for tab in tabs:
        browser.enter(tab)
        until(lambda: browser.run(f"return {place}") == "Timesheets", "a tab is connected again", 120)


def keep_apart(servers, browser):
    """Both kinds, both orders, a restart of the server in between, and each page loaded again."""
    for kinds in (("login", "enrol"), ("enrol", "login"), ("login", "login"), ("enrol", "enrol")):
        words = " before ".join(kinds)
        pages = [open_page(servers, browser, kind) for kind in kinds]
        check(pages[0][2] != pages[1][2], f"{words}: two tabs, two codes")
        restart_below(servers, browser, [tab for tab, _, _ in pages])
        for kind, (tab, _, code) in zip(kinds, pages):
            browser.enter(tab)
            check((browser.kind, browser.state, told(browser)) == (kind, "waiting", code), f"{words}: after a restart of the server the {kind} page shows its own code")
            load_again(browser, "waiting", f"{words}: the {kind} page goes on after it is loaded again")
            check((browser.kind, told(browser)) == (kind, code), f"{words}: and is still itself")
        for tab, _, _ in pages:
            browser.close_tab(tab)


def log_in_beside(servers, browser, phone):
    """The tab whose code is scanned is the one that gets the login, and no other; also when the server was restarted in between."""
    first, second = open_page(servers, browser, "login"), open_page(servers, browser, "login")
    restart_below(servers, browser, [second[0], first[0]])
    process = phone.begin("login", browser.picture("two-logins", "[data-qr]"))
    until(lambda: "returncode=" in browser.address, "the first tab goes back with a code")
    check(servers.hand_in(first[1], browser.address).get("userid") == "alice", "who scans the code of the first tab is logged in at the site of the first tab")
    check(process.wait(timeout=60) == 0, "the phone has logged in")
    check(not servers.session(second[1])["loggedin"], "and not at the site of the second")
    for tab in (first[0], second[0]):
        browser.close_tab(tab)


def enrol_beside(servers, browser, phone):
    """The right code of an enrolment is right although a login page was opened in another tab."""
    enrol = open_page(servers, browser, "enrol")
    process = phone.begin("enrol", browser.picture("enrol-beside-login", "[data-qr]"))
    code = phone.event(process, "enrolConfirmation")["code"]
    login = open_page(servers, browser, "login")
    browser.enter(enrol[0])
    until(lambda: browser.state == "code", "the enrol page beside it asks for the code of the phone")
    type_code(browser, code)
    check(process.wait(timeout=60) == 0, "the phone is enrolled")
    browser.enter(login[0])
    check(browser.state == "waiting" and told(browser) == login[2], "the login page shows its own code")
    for tab in (enrol[0], login[0]):
        browser.close_tab(tab)


def without_name(servers, browser):
    """A page without its name shows nobody's state, and says how to go on."""
    tab, _, _ = open_page(servers, browser, "login")
    named = browser.address
    check("#page=" in named, "what stays in the address is the name of the page")
    for kind in ("login", "enrol"):
        browser.open(f"{servers.origin}/{kind}")
        until(lambda: browser.state == "closed", f"a bare /{kind} shows no page of this browser, and says where to begin")
    browser.open(named)
    until(lambda: browser.state == "waiting", "the named page is still there")
    browser.forget_cookies()
    load_again(browser, "over", "without its cookie the page says that it is over")
    browser.picture("page-over")
    browser.close_tab(tab)


def unreachable(servers, browser):
    """A ticket that nobody could take stays in the address, and is taken when the server is back."""
    tab, _, _ = open_page(servers, browser, "login")
    ticket = servers.page("login", secrets.token_urlsafe(24)).split("#")[1]
    servers.end("serve")
    browser.run(f"location.hash = '{ticket}'")
    until(lambda: browser.run("return !document.querySelector('[data-offline]').hidden"), "a page that cannot reach the server says so")
    check(browser.state != "closed" and browser.address.endswith(ticket), "and does not blame the link")
    check(not browser.run("return document.querySelector('[data-qr]').checkVisibility()"), "nor shows the code of the page before, which is another link's")
    servers.start("serve")
    until(servers.answers, "the server is back")
    until(lambda: shows_code(browser), "and the link opens its page then")
    browser.close_tab(tab)


# No stream gets through, and what is said of a page's state is held until `window.late` is told to go on.
HELD_STATES = """
    window.late = [];
    window.EventSource = class extends EventTarget {
      static CLOSED = 2;
      readyState = 2;
      constructor() { super(); setTimeout(() => this.dispatchEvent(new Event("error"))); }
      close() {}
    };
    const real = window.fetch;
    window.fetch = async (address, options) => {
      const answer = await real(address, options);
      if (!String(address).startsWith("/pages/state")) return answer;
      const said = await answer.json();
      return { ok: true, status: 200, json: () => new Promise((tell) => window.late.push(() => tell(said))) };
    };
    dispatchEvent(new Event("hashchange"));
"""


def late_answer(servers, browser):
    """What a tab was told of one link is not shown when it has gone to another meanwhile."""
    tab, _, before = open_page(servers, browser, "login")
    ticket = servers.page("login", secrets.token_urlsafe(24)).split("#")[1]
    browser.run(HELD_STATES)
    until(lambda: browser.run("return window.late.length") == 1, "a page that has no stream asks")
    browser.run(f"location.hash = '{ticket}'")
    until(lambda: browser.run("return window.late.length") == 2, "and the tab has gone to another link before it was told")
    browser.run("window.late[0]()")
    check(browser.state == "opening", "what is told of the former then is not shown")
    until(lambda: browser.run("window.late.at(-1)(); return !document.querySelector('[data-state=waiting]').hidden"), "the other link shows its page")
    check(told(browser) != before, "with its own code")
    browser.close_tab(tab)


def one_site_twice(servers, browser):
    """The same button of one site in two tabs: the newer page goes on, the older says so and shows no code that no phone can use."""
    for kind in ("enrol", "login"):
        older = open_page(servers, browser, kind)
        newer = open_page(servers, browser, kind, older[1])
        browser.enter(older[0])
        until(lambda: browser.state == "otherpage", f"the older {kind} page of a site says that it goes on in another window")
        check(not browser.run("return document.querySelector('[data-qr]').checkVisibility()"), "and shows no code")
        browser.picture(f"{kind}-other-page")
        load_again(browser, "otherpage", "also when it is loaded again")
        browser.enter(newer[0])
        check(browser.state == "waiting" and told(browser) == newer[2], f"the newer {kind} page shows its code")
        for tab in (older[0], newer[0]):
            browser.close_tab(tab)


def back_button(servers, browser, phone):
    """Back to a page is to its own state; behind a login there is no page that is over."""
    tab, nonce = browser.new_tab(), secrets.token_urlsafe(24)
    before, after = f"{servers.origin}/before", f"{servers.origin}/after"
    browser.open(before)
    browser.open(servers.page("login", nonce))
    until(lambda: browser.state == "waiting", "a login page shows a code")
    code, drawn = told(browser), "return document.querySelector('[data-qr] path')?.getAttribute('d')"
    browser.open(after)
    browser.back()
    until(lambda: browser.state == "waiting" and told(browser) == code, "who comes back to it by the back button sees the same code")
    first = browser.run(drawn)
    until(lambda: browser.run(drawn) not in (None, first), "which moves on")
    process = phone.begin("login", browser.picture("login-after-back", "[data-qr]"))
    until(lambda: "returncode=" in browser.address, "and logs in")
    check(servers.hand_in(nonce, browser.address).get("userid") == "alice", "at its site")
    check(process.wait(timeout=60) == 0, "the phone has logged in")
    browser.back()
    until(lambda: browser.address == before, "from there the back button leads to before the login page, which is over")
    browser.close_tab(tab)


def many_tabs(servers, browser):
    """More tabs than a browser opens connections to one server."""
    pages = [open_page(servers, browser, "login") for _ in range(8)]
    for tab, _, code in pages:
        browser.enter(tab)
        until(lambda: browser.state == "waiting" and told(browser) == code, "each of eight tabs shows its own code")
    pages.append(open_page(servers, browser, "login"))
    browser.enter(pages[0][0])
    load_again(browser, "over", "with a ninth page the browser gives up the one that was opened first, which says so")
    for tab, _, _ in pages:
        browser.close_tab(tab)


def begin_often(servers, browser):
    """Who asks for new codes again and again is told to wait."""
    tab, _, _ = open_page(servers, browser, "enrol")
    renew = "fetch(`/pages/renew?page=${location.hash.slice(6)}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' })"
    browser.run(f"return (async () => {{ for (let i = 0; i < 5; i++) await {renew}; }})()")
    check(browser.state == "waiting", "a page that began anew five times still waits for a phone")
    browser.run("document.querySelector('section[data-state=expired] [data-act]').click()")
    until(lambda: "Wait" in browser.run("return document.querySelector('[data-said]').textContent"), "who asks for new codes very often is told how long to wait")
    browser.picture("too-often")
    browser.close_tab(tab)


def several_pages(servers, browser, phone, other_phone):
    keep_apart(servers, browser)
    log_in_beside(servers, browser, phone)
    enrol_beside(servers, browser, other_phone)
    back_button(servers, browser, phone)
    one_site_twice(servers, browser)
    many_tabs(servers, browser)
    begin_often(servers, browser)
    late_answer(servers, browser)
    unreachable(servers, browser)
    without_name(servers, browser)
