import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Pages: the code of a phone without a connection", .timeLimit(.minutes(10)))
struct TypedCodePageTests {
    private func premises(_ flags: [String] = ["ENABLE_OTP"]) async throws -> (PagesFixture, Account) {
        let premises = try await PagesFixture()
        try await premises.update { $0.flags = flags }
        let account = try await premises.addAccount()
        return (premises, account)
    }

    private func type(_ code: String, _ browser: PageClient, _ cookie: String) async throws -> (status: HTTPResponse.Status, object: JSONObject) {
        let answer = try await browser.post("/pages/otp", #"{"code":"\#(code)"}"#, cookie: cookie)
        return (answer.status, JSONObject(answer.body))
    }

    private func wrong(_ code: String) -> String { code.dropLast() + (code.hasSuffix("0") ? "1" : "0") }

    @Test("The right code brings the browser back with the return code, which logs in; getSession says that it was by code")
    func logsIn() async throws {
        let (premises, account) = try await premises()
        let back = try await premises.asBrowser { (browser) async throws -> String in
            let cookie = try await browser.open()
            #expect(try await browser.state(cookie).bool("typed") == true)
            let answer = try await type(try await premises.offlineCode(of: account), browser, cookie)
            #expect(answer.status == .ok && answer.object.text("outcome") == "done" && answer.object.names == ["outcome"])
            let state = try await browser.state(cookie)
            #expect(state.text("state") == "returning" && state.bool("typed") == nil)
            return try #require(state.text("returnurl"))
        }
        let code = try #require(back.split(separator: "returncode=").last)
        try await premises.asBackend { (backend) async throws in
            let answer = try await backend.json(.post, backend.path("/sessions/return"), body: #"{"returncode":"\#(code)"}"#)
            #expect(answer.status == 200 && answer.object.bool("otplogin") == true && answer.object.bool("returned") == true)
        }
    }

    @Test("S2-07 a page says that a code may be typed only where its server takes them, its login asks for no more, and there are tries left")
    func offered() async throws {
        let cases: [([String], FactorDemand, Bool)] = [
            ([], .policy, false), (["ENABLE_OTP"], .policy, true), (["ENABLE_OTP"], .always, false), (["ENABLE_OTP"], .fresh(.max), false),
        ]
        for (flags, demand, isOffered) in cases {
            let (premises, _) = try await premises(flags)
            try await premises.asBrowser { (browser) async throws in
                let cookie = try await browser.open()
                let session = try await premises.session()
                var asked = session.request
                asked.demand = demand
                var changed = session
                changed.request = asked
                let kept = changed
                try await premises.store.write { rows in try rows.save(kept) }
                let state = try await browser.state(cookie)
                #expect(state.bool("typed") == (isOffered ? true : nil) && state.number("left") == (isOffered ? 3 : nil), "\(flags) \(demand)")
                if !isOffered {
                    let refused = try await type("2XPP7Q R5BDD0", browser, cookie)
                    #expect(refused.status == (flags.isEmpty ? .notFound : .conflict))
                }
            }
        }
    }

    @Test("Three wrong codes are told as that, with the tries that are left, and nothing is offered or looked at after them; a new code has its own")
    func wrong() async throws {
        let (premises, account) = try await premises()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open()
            let code = try await premises.offlineCode(of: account)
            for left in [2, 1, 0] {
                let answer = try await type(wrong(code), browser, cookie)
                #expect(answer.status == .ok && answer.object.text("outcome") == "wrong" && answer.object.number("left") == left)
            }
            #expect(try await browser.state(cookie).bool("typed") == nil)
            let spent = try await type(code, browser, cookie)
            #expect(spent.object.text("outcome") == "wrong" && spent.object.number("left") == 0)
            #expect(try await browser.post("/pages/renew", "{}", cookie: cookie).status == .ok)
            #expect(try await type(try await premises.offlineCode(of: account), browser, cookie).object.text("outcome") == "done")
        }
    }

    @Test("How many tries are left is told with the page: loaded again, in each tab of it, also when none is; a new code has all of them")
    func tellsTriesLeft() async throws {
        let (premises, account) = try await premises()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open()
            let code = try await premises.offlineCode(of: account)
            let tab = try await PageScreen(premises, cookie: cookie)
            #expect(try await tab.until("waiting").number("left") == 3)
            #expect(try await type("2XPP7Q", browser, cookie).status == .badRequest)
            #expect(try await browser.state(cookie).number("left") == 3)
            for left in [2, 1, 0] {
                #expect(try await type(wrong(code), browser, cookie).status == .ok)
                let (told, again) = (try await tab.until("waiting"), try await browser.state(cookie))
                for state in [told, again] {
                    #expect(state.number("left") == left && state.bool("typed") == (left == 0 ? nil : true))
                }
            }
            #expect(try await browser.post("/pages/renew", "{}", cookie: cookie).status == .ok)
            #expect(try await tab.until("waiting").number("left") == 3)
            let asking = try await browser.state(cookie)
            #expect(asking.number("left") == 3 && asking.bool("typed") == true)
            try await premises.claim(account)
            #expect(try await browser.state(cookie).number("left") == 3)
            #expect(try await type(try await premises.offlineCode(of: account), browser, cookie).object.text("outcome") == "done")
            #expect(try await browser.state(cookie).number("left") == nil)
        }
    }

    @Test("The code is for the session that this page shows: an older page takes none for a newer one's, and no page of another browser does")
    func bound() async throws {
        let (premises, account) = try await premises()
        try await premises.asBrowser { (browser) async throws in
            let older = try await browser.open()
            let newer = try await browser.open()
            let code = try await premises.offlineCode(of: account)
            let refused = try await type(code, browser, older)
            #expect(refused.status == .conflict && refused.object.text("error") == "otp_not_awaited")
            #expect(try await premises.session().codesTried == 0)
            #expect(try await browser.post("/pages/otp", #"{"code":"\#(code)"}"#, cookie: nil).status == .unauthorized)
            #expect(try await browser.post("/pages/otp", #"{"code":"\#(code)"}"#, cookie: newer, origin: "https://evil.example").status == .forbidden)
            #expect(try await type(code, browser, newer).object.text("outcome") == "done")
        }
    }

    @Test("A code whose body trickles in is as old as it is when it has come: asked for in time and sent after it, it is wrong")
    func trickling() async throws {
        let (premises, account) = try await premises()
        premises.clock.advance(OfflineCode.step - premises.clock.now.seconds % OfflineCode.step)
        try await Application(responder: LateBodies(premises: premises)).test(.router) { (client) async throws in
            let browser = PageClient(client: client, premises: premises)
            let cookie = try await browser.open()
            let code = try await premises.offlineCode(of: account)
            premises.clock.advance(2 * OfflineCode.step - 1)
            let answer = try await type(code, browser, cookie)
            #expect(answer.object.text("outcome") == "wrong" && answer.object.number("left") == 2)
        }
    }

    @Test("What can be no code is 400 and costs no try; an enrol page takes none at all; after a logout there is no page")
    func refused() async throws {
        let (premises, account) = try await premises()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open()
            #expect(try await type("2XPP7Q", browser, cookie).status == .badRequest)
            #expect(try await premises.session().codesTried == 0)
            let code = try await premises.offlineCode(of: account)
            try await premises.logOut()
            #expect(try await type(code, browser, cookie).status == .unauthorized)
        }
        let (other, _) = try await self.premises()
        try await other.asBrowser { (browser) async throws in
            let cookie = try await browser.open(.enrol)
            #expect(try await type("2XPP7Q R5BDD0", browser, cookie).object.text("error") == "wrong_kind")
        }
    }

    @Test(
        "What stands beside the place to type is told in each language, in no page of whose server there are none", arguments: PageLanguage.allCases)
    func texts(language: PageLanguage) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let answer = try await browser.client.execute(uri: "/pages/typed.json?lang=\(language.rawValue)", method: .get)
            #expect(answer.status == .ok && answer.headers[.contentLanguage] == language.rawValue)
            let texts = JSONObject(answer.body)
            #expect(texts.names == Set(PageTexts.typedNames))
            for name in texts.names { #expect(texts.text(name)?.isEmpty == false) }
            // All that typed.js asks for by name is there.
            let script = String(decoding: try #require(PageAsset.scripts["typed"]).bytes, as: UTF8.self)
            for name in script.matches(of: /texts\.(\w+)/) { #expect(texts.names.contains(String(name.1)), "\(name.1)") }
            // What this call is refused with has words of its own; 401 is the end of the page.
            for status in [400, 404, 409, 429] { #expect(texts.names.contains("typed\(status)")) }
            let login = String(buffer: try await browser.get("/login?lang=\(language.rawValue)").body)
            #expect(!login.contains(PageSource.escaped(try #require(texts.text("typedH")))))
        }
    }

    @Test("What such a page loads besides has at most 5,000 bytes, in every language")
    func isSmall() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            for language in PageLanguage.allCases {
                let texts = try await browser.client.execute(uri: "/pages/typed.json?lang=\(language.rawValue)", method: .get).body.readableBytes
                let parts = [try #require(PageAsset.scripts["typed"]), try #require(PageAsset.styles["typed"])].map(\.bytes.count)
                #expect(parts.allSatisfy { $0 > 100 } && texts + parts.reduce(0, +) <= 5_000)
            }
        }
    }
}

/// Brings the body of a code that was typed a second after its head.
private struct LateBodies: HTTPResponder {
    let premises: PagesFixture

    func respond(to request: Request, context: ServiceRequestContext) async throws -> Response {
        guard request.uri.path == "/pages/otp" else { return try await premises.publicResponder.respond(to: request, context: context) }
        let late = RequestBody(asyncSequence: LateBody(body: request.body, clock: premises.clock))
        return try await premises.publicResponder.respond(to: Request(head: request.head, body: late), context: context)
    }
}

private struct LateBody: AsyncSequence, Sendable {
    let body: RequestBody
    let clock: TestClock

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: body.makeAsyncIterator(), clock: clock) }

    struct AsyncIterator: AsyncIteratorProtocol {
        var pieces: RequestBody.AsyncIterator
        let clock: TestClock

        mutating func next() async throws -> ByteBuffer? {
            clock.advance(1)
            return try await pieces.next()
        }
    }
}
