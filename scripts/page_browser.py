"""One real browser, by WebDriver, for the scripts that try pages. Needs chromium and chromium-driver (Debian packages)."""

import base64
import contextlib
import json
import re
import subprocess
import threading

from trial import NotYet, check, http, until

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
# Keys that are no character, as WebDriver has them.
BACKSPACE, TAB, ENTER, SHIFT = "\ue003", "\ue004", "\ue007", "\ue008"
# A page's minutes pass when `passMinute` is told to; any other time that it waits is what it is.
MINUTES = """{
  const [wait, forget, minutes] = [window.setTimeout, window.clearTimeout, new Map()];
  window.setTimeout = (what, after, ...rest) => {
    const timer = wait(what, after, ...rest);
    if (after === 60000) minutes.set(timer, () => what(...rest));
    return timer;
  };
  window.clearTimeout = (timer) => { forget(timer); minutes.delete(timer); };
  window.passMinute = () => {
    const over = [...minutes];
    for (const [timer] of over) window.clearTimeout(timer);
    for (const [, what] of over) what();
    return over.length;
  };
}"""


class Unanswered(NotYet):
    """The browser has no answer: what it was asked about is not there, perhaps because it goes from one page to another at that moment."""


class Browser:
    """One headless Chromium, by WebDriver."""

    def __init__(self, pictures):
        self.pictures = pictures
        # It takes any free port and says which.
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        port = next(found[1] for line in self.driver.stdout if (found := re.search(r"successfully on port (\d+)", line)))
        threading.Thread(target=self.driver.stdout.read, daemon=True).start()
        self.base = f"http://127.0.0.1:{port}"
        until(lambda: http("GET", self.base + "/status")[0] == 200, "a browser starts")
        arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1000,900", "--force-prefers-reduced-motion",
            # A website's name that leads to this machine.
            "--host-resolver-rules=MAP evil.example 127.0.0.1",
            # What a person would choose who is asked which window to share: the one with a login page.
            "--auto-select-tab-capture-source-by-title=Log in",
        ]
        wishes = {
            "browserName": "chrome", "goog:chromeOptions": {"args": arguments}, "goog:loggingPrefs": {"browser": "ALL"},
            # In milliseconds: axe takes half a minute and more on a machine that is busy.
            "timeouts": {"script": 150_000},
        }
        self.base += "/session"
        self.base += "/" + self.call("POST", "", {"capabilities": {"alwaysMatch": wishes}})["sessionId"]

    def call(self, method, path, body=None):
        status, answer = http(method, self.base + path, body if body is not None else ({} if method == "POST" else None), timeout=180)
        value = json.loads(answer)["value"]
        if status != 200:
            raise Unanswered(f"FAILED  browser: {value.get('message', value)}")
        return value

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def back(self):
        """By the browser's own button."""
        self.call("POST", "/back")

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def run_later(self, script, *arguments):
        """A script that answers through the last of its arguments."""
        return self.call("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def watch_minutes(self):
        """In the pages that this tab opens from here on: `pass_minute` is for them."""
        self.devtools("Page.addScriptToEvaluateOnNewDocument", source=MINUTES)

    def pass_minute(self):
        """What the page does after a minute it does now, however long the machine took until here."""
        check(self.run("return window.passMinute()") > 0, "the page waits for a minute, which passes")

    def new_tab(self):
        """Opens a tab and goes there."""
        tab = self.call("POST", "/window/new", {"type": "tab"})["handle"]
        self.enter(tab)
        return tab

    def new_window(self):
        """Opens a window beside this one and goes there; both can be seen at once."""
        window = self.call("POST", "/window/new", {"type": "window"})["handle"]
        self.enter(window)
        return window

    @property
    def window(self):
        return self.call("GET", "/window")

    def enter(self, tab):
        self.call("POST", "/window", {"handle": tab})

    def close_tab(self, tab):
        """Closes a tab and goes to the one that is left."""
        self.enter(tab)
        self.enter(self.call("DELETE", "/window")[0])

    def cookies(self):
        """What the browser sends to the site that it shows."""
        return "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in self.call("GET", "/cookie"))

    def forget_cookies(self):
        self.call("DELETE", "/cookie")

    @property
    def heading(self):
        return self.run("return document.querySelector('section[data-state]:not([hidden]) h1').textContent")

    @property
    def kind(self):
        return self.run("return document.body.dataset.kind")

    @property
    def address(self):
        return self.call("GET", "/url")

    @property
    def state(self):
        return self.run("return document.querySelector('section[data-state]:not([hidden])')?.dataset.state ?? null")

    def element(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def type(self, selector, text):
        element = self.element(selector)
        self.call("POST", f"/element/{element}/clear")
        self.call("POST", f"/element/{element}/value", {"text": text})

    def click(self, selector):
        self.call("POST", f"/element/{self.element(selector)}/click")

    def keys(self, *keys, held=None):
        """Keys one after the other, wherever the focus is; `held` stays down meanwhile."""
        steps = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        if held:
            steps = [{"type": "keyDown", "value": held}, *steps, {"type": "keyUp", "value": held}]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": steps}]})

    def picture(self, name, selector=None):
        path = self.pictures / f"{name}.png"
        place = f"/element/{self.element(selector)}/screenshot" if selector else "/screenshot"
        path.write_bytes(base64.b64decode(self.call("GET", place)))
        return path

    def complaints(self):
        """What it complained of, each with its time in seconds since 1970."""
        entries = self.call("POST", "/se/log", {"type": "browser"})
        return [(entry["timestamp"] / 1000, entry["message"]) for entry in entries if entry["level"] in ("SEVERE", "WARNING")]

    def close(self):
        with contextlib.suppress(Exception):
            self.call("DELETE", "")
        self.driver.terminate()
        self.driver.wait(timeout=10)
