import Authentication
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Links opened in a browser")
struct PageLinkTests {
    @Test("The link of an enrolment is drawn as the code of itself, which an app takes from a screen")
    func drawsEnrolment() async throws {
        let premises = try await PagesFixture()
        let link = try await premises.link("enrol?name=Alice")
        try await premises.asBrowser { (browser) async throws in
            let answer = JSONObject(try await browser.showLink(try #require(link.split(separator: "#").last)).body)
            #expect(answer.text("server") == "Timesheets")
            #expect(answer.object("code")?.text("bytes") == Base64URL.encode(Array(link.utf8)))
        }
    }

    @Test("A login that is to be tapped is drawn as no code, because an app that scanned it would be refused")
    func drawsNoLogin() async throws {
        let premises = try await PagesFixture()
        let link = try await premises.link("login")
        guard case .login(let tapped) = try Link(text: link) else { throw WireError.badType }
        let session = try await premises.session()
        let keys = premises.keyring.keys
        let rule = LinkRule(
            serverTag: keys.root.tag, linkSecret: keys.derivation.linkSecret(of: session.id), staticAge: 90, refusesUnboundLinks: false)
        #expect(throws: Refusal.linkNotAllowed) { try rule.binding(of: tapped, via: .scan, at: premises.clock.now) }
        try await premises.asBrowser { (browser) async throws in
            let response = try await browser.showLink(try #require(link.split(separator: "#").last))
            #expect(response.status == .ok)
            #expect(JSONObject(response.body).text("server") == "Timesheets")
            #expect(JSONObject(response.body).names == ["server"])
        }
    }

    @Test("A link whose enrolment is made up, whose secret or origin is another, or that was replaced or is too old, is broken and drawn as nothing")
    func refusesMadeUp() async throws {
        let premises = try await PagesFixture()
        let text = try await premises.link("enrol?name=Alice")
        guard case .enrol(let real) = try Link(text: text) else { throw WireError.badType }
        let random = SystemRandomSource()
        let id = EnrolmentID(using: random)
        try await premises.asBrowser { (browser) async throws in
            for made in [
                EnrolLink(rootHash: real.rootHash, enrolID: id, enrolSecret: real.enrolSecret, url: real.url),
                EnrolLink(rootHash: real.rootHash, enrolID: real.enrolID, enrolSecret: random.bytes(16), url: real.url),
                EnrolLink(rootHash: real.rootHash, enrolID: real.enrolID, enrolSecret: real.enrolSecret, url: "https://login.example.evil"),
                EnrolLink(rootHash: random.bytes(32), enrolID: real.enrolID, enrolSecret: real.enrolSecret, url: real.url),
            ] {
                let answer = try await browser.showLink(Substring(Base64URL.encode(made.encoded)))
                #expect(answer.status == .badRequest && JSONObject(answer.body).text("error") == "link_not_valid")
            }
            let fragment = try #require(text.split(separator: "#").last)
            #expect(try await browser.showLink(fragment).status == .ok)
            _ = try await premises.link("enrol?name=Alice")
            #expect(try await browser.showLink(fragment).status == .badRequest)
        }
        let second = try #require(try await premises.link("enrol?name=Alice").split(separator: "#").last)
        premises.clock.advance(601)
        try await premises.asBrowser { (browser) async throws in #expect(try await browser.showLink(second).status == .badRequest) }
    }

    @Test("A login link that this server did not make is broken, too")
    func refusesMadeUpLogin() async throws {
        let premises = try await PagesFixture()
        guard case .login(let real) = try Link(text: try await premises.link("login")) else { throw WireError.badType }
        let made = LoginLink(
            serverTag: real.value.serverTag, sessionID: real.value.sessionID, issuedAt: real.value.issuedAt, frame: 0, binding: real.value.binding,
            qrSecret: SystemRandomSource().bytes(32))
        try await premises.asBrowser { (browser) async throws in
            #expect(try await browser.showLink(Substring(Base64URL.encode(real.bytes))).status == .ok)
            #expect(try await browser.showLink(Substring(Base64URL.encode(made.encoded))).status == .badRequest)
        }
    }

    @Test("Nothing else is drawn")
    func refusesOthers() async throws {
        let premises = try await PagesFixture()
        let foreign = try await PagesFixture()
        let fragment = try #require(try await foreign.link("login").split(separator: "#").last)
        try await premises.asBrowser { (browser) async throws in
            for link: Substring in [fragment, "", "AAAA", "not base64!", fragment.dropLast(2), Substring(String(repeating: "A", count: 600))] {
                #expect(try await browser.showLink(link).status == .badRequest)
            }
        }
    }
}

extension PagesFixture {
    func link(_ call: String) async throws -> String {
        try await asBackend { (backend) async throws in String(buffer: try await backend.send(.get, backend.path("/sessions/link/\(call)")).body) }
    }
}

extension PageClient {
    func showLink(_ fragment: Substring) async throws -> TestResponse {
        try await post("/pages/link", #"{"link":"\#(fragment)"}"#, cookie: nil)
    }
}
