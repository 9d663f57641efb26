"""The person of scripts/oidc-test and scripts/oidc-demo: a real browser, and `ostiary phone` that scans what it shows."""

from local_server import LocalServer, landing
from page_steps import enrol_page, type_code
from trial import Phone, check, until

SECTION = "document.querySelector('section:not([hidden])')"


class Landing(LocalServer):
    """The address that browsers are sent back to."""

    def __init__(self):
        super().__init__(landing("Back"))
        self.origin = f"http://127.0.0.1:{self.server_port}"
        self.callback, self.bye = self.origin + "/cb", self.origin + "/bye"
        self.serve()


class Person:
    def __init__(self, browser, phone):
        self.browser, self.phone = browser, phone

    def enrol(self, servers, user):
        enrol_page(servers, self.browser, user)
        self.scan_enrolment()

    def scan_enrolment(self):
        """Scans the code of the enrol page that the browser shows, and types what the phone shows."""
        process = self.phone.begin("enrol", self.browser.picture("oidc-enrol", "[data-qr]"))
        code = Phone.event(process, "enrolConfirmation")["code"]
        until(lambda: self.browser.state == "code", "the page asks for the code that the phone shows")
        type_code(self.browser, code)
        check(process.wait(timeout=60) == 0, "the phone is enrolled")

    def scan(self, *options):
        """Scans the code of the login page that the browser shows."""
        until(lambda: self.browser.state == "waiting", "the browser shows a login page")
        process = self.phone.begin("login", *options, self.browser.picture("oidc-login", "[data-qr]"))
        check(process.wait(timeout=60) == 0, "the phone scans it and logs in")

    def say(self, word):
        self.browser.run(f"{SECTION}.querySelector('[data-answer={word}]').click()")

    def comes_back(self, address, sentence, bringing="code"):
        """The whole of the address that the browser came back to."""
        until(lambda: self.browser.address.startswith(f"{address}?{bringing}="), sentence)
        return self.browser.address
