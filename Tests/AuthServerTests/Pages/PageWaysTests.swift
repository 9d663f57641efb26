import Authentication
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Pages always know a way on")
struct PageWaysTests {
    @Test("A page is told where a person goes who does not go on, when the site has said so", arguments: [PageKind.login, .enrol])
    func cancels(kind: PageKind) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let plain = try await browser.state(try await browser.open(kind, nonce: "the-nonce-of-another-page"))
            #expect(plain.text("cancelurl") == nil && !plain.names.contains("cancelurl"))
            let cookie = try await browser.open(kind, cancelURL: "https://shop.example/cart?a=b")
            let told = try await browser.state(cookie)
            #expect(told.text("cancelurl") == "https://shop.example/cart?a=b")
            #expect(told.text("returnurl") == "https://shop.example/welcome")
        }
    }

    @Test(
        "An address that a browser may not be sent to, or that brings a code, is 400 and names its field",
        arguments: ["http://shop.example/", "//shop.example", "javascript:alert(1)", "", "https://shop.example/?returncode=x"])
    func refuses(address: String) async throws {
        let premises = try await PagesFixture()
        let body = #"{"kind":"enrol","name":"Alice","cancelurl":"\#(address)"}"#
        let (status, answer) = try await premises.asBackend { (backend) async throws in
            try await backend.json(.post, backend.path("/sessions/page"), nonce: PagesFixture.nonce, body: body)
        }
        #expect(status == 400 && answer.text("field") == "cancelurl")
    }

    @Test("A code that ran out is renewed by the page that it was of, and by nobody else: two windows would take it from each other in turn")
    func renews() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBrowser { (browser) async throws in
            let older = try await browser.open()
            let newer = try await browser.open()
            #expect(try await browser.state(older).bool("renews") == nil)
            premises.clock.advance(301)
            let (left, own) = (try await browser.state(older), try await browser.state(newer))
            #expect(left.text("state") == "expired" && left.bool("renews") == nil)
            #expect(own.text("state") == "expired" && own.bool("renews") == true)
            // What somebody ended is not begun anew without being asked.
            #expect(try await browser.post("/pages/renew", "{}", cookie: newer).status == .ok)
            try await premises.deny(account, notMe: false)
            #expect(try await browser.state(newer).bool("renews") == nil)
        }
    }

    @Test("The code of an enrolment is renewed by its page, too, and not after somebody refused it")
    func renewsEnrolment() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open(.enrol)
            #expect(try await browser.state(cookie).bool("renews") == nil)
            premises.clock.advance(601)
            let told = try await browser.state(cookie)
            #expect(told.text("state") == "expired" && told.bool("renews") == true)
            #expect(try await browser.post("/pages/renew", "{}", cookie: cookie).status == .ok)
            _ = try await premises.claimEnrolment()
            try await premises.declineEnrolment()
            #expect(try await browser.state(cookie).bool("renews") == nil)
        }
    }

    @Test(
        "Where the app is to be had is told by what a browser can open: store numbers, names of packages, https addresses, and nothing else",
        arguments: [
            ("id6443212345", "com.example.app", "https://app.example/get"), ("6443212345", "https://store.example/a", "example://"),
        ])
    func tellsApp(ios: String, android: String, other: String) async throws {
        let premises = try await PagesFixture()
        try await premises.update { update in
            (update.appName, update.appIOS, update.appAndroid, update.appURL) = ("Keys", ios, android, other)
        }
        try await premises.asBrowser { (browser) async throws in
            let app = try #require(try await browser.state(try await browser.open()).object("app"))
            #expect(app.text("name") == "Keys")
            #expect(app.text("ios") == "https://apps.apple.com/app/id6443212345")
            #expect(app.text("android") == (android.hasPrefix("https") ? android : "https://play.google.com/store/apps/details?id=com.example.app"))
            #expect(app.text("other") == (other.hasPrefix("https") ? other : nil))
        }
    }

    @Test(
        "What no browser should open is no place of an app",
        arguments: ["javascript:alert(1)", "com.example", "http://app.example", "12", "com..example", "https://a b", "id", "com.example.app&x=1"])
    func tellsNoApp(text: String) async throws {
        let premises = try await PagesFixture()
        try await premises.update { update in (update.appName, update.appIOS, update.appURL) = ("Keys", text, text) }
        try await premises.asBrowser { (browser) async throws in
            #expect(try await browser.state(try await browser.open()).object("app") == nil)
        }
    }

    @Test("The link page is told, too, where the app is to be had")
    func linkTellsApp() async throws {
        let premises = try await PagesFixture()
        try await premises.update { update in (update.appAndroid, update.color) = ("com.example.app", "#1f5f66") }
        let link = try await premises.link("login")
        try await premises.asBrowser { (browser) async throws in
            let answer = JSONObject(try await browser.showLink(try #require(link.split(separator: "#").last)).body)
            #expect(answer.object("app")?.text("android") == "https://play.google.com/store/apps/details?id=com.example.app")
            #expect(answer.object("app")?.names == ["android"] && answer.text("color") == "#1f5f66")
        }
    }

    @Test("The colours of the virtual server are told, and none where the pages keep their own")
    func tellsColors() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open()
            #expect(try await browser.state(cookie).names.isDisjoint(with: ["color", "colordark"]))
            try await premises.update { update in (update.color, update.colorDark) = ("#1F5F66", "#8fd0d3") }
            let told = try await browser.state(cookie)
            #expect(told.text("color") == "#1f5f66" && told.text("colordark") == "#8fd0d3")
        }
    }
}
