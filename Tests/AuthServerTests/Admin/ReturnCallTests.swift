import Authentication
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("REST: return")
struct ReturnCallTests {
    private static let other = "another-nonce-of-the-backend"

    private func handIn(_ code: String, nonce: String = PagesFixture.nonce, _ backend: AdminClient) async throws -> TestResponse {
        try await backend.send(.post, backend.path("/sessions/return"), nonce: nonce, body: #"{"returncode":"\#(code)"}"#)
    }

    /// All of an answer but the id that names its request in the log.
    private func sentence(_ response: TestResponse) -> [String?] {
        let object = JSONObject(response.body)
        return ["\(response.status.code)", object.text("error"), object.text("message"), object.names.sorted().joined(separator: " ")]
    }

    @Test("While the browser is awaited getSession says exactly that nobody is logged in, the state and the hsid")
    func returning() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBrowser { (browser) async throws in _ = try await browser.open() }
        _ = try await premises.approve(account)
        let hsid = try #require(try await premises.session().stream?.text)
        try await premises.asBackend { (backend) async throws in
            let response = try await backend.send(.get, backend.path("/sessions/"))
            #expect(String(buffer: response.body) == #"{"loggedin":false,"state":"returning","hsid":"\#(hsid)"}"#)
        }
    }

    @Test("The code with the nonce of its browser is answered with who is logged in, and getSession says the same from then on")
    func handsIn() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount(userID: "alice")
        try await premises.asBrowser { (browser) async throws in _ = try await browser.open() }
        let code = try await premises.approve(account)
        try await premises.asBackend { (backend) async throws in
            let answer = try await handIn(code.text, backend)
            #expect(answer.status == .ok)
            let object = JSONObject(answer.body)
            #expect(object.bool("loggedin") == true && object.bool("returned") == true)
            #expect(object.text("userid") == "alice" && object.text("state") == "loggedin" && object.text("binding") == "qrDynamic")
            #expect(try await backend.send(.get, backend.path("/sessions/")).body == answer.body)
            // The address was loaded again.
            #expect(try await handIn(code.text, backend).body == answer.body)
        }
    }

    @Test("Every code that is not for this nonce is answered alike, byte for byte: unknown, another's, too late, spent")
    func wrong() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        @Sendable func page() async throws -> ReturnCode {
            try await premises.asBrowser { (browser) async throws in _ = try await browser.open() }
            return try await premises.approve(account)
        }
        try await premises.asBackend { (backend) async throws in
            let unknown = try await handIn("AAAAAAAAAAAAAAAAAAAAAA", backend)
            let foreign = try await page()
            let anothers = try await handIn(foreign.text, nonce: Self.other, backend)
            let afterwards = try await handIn(foreign.text, backend)
            let late = try await page()
            premises.clock.advance(121)
            let tooLate = try await handIn(late.text, backend)
            let spent = try await page()
            #expect(try await handIn(spent.text, backend).status == .ok)
            let spentElsewhere = try await handIn(spent.text, nonce: Self.other, backend)
            #expect(JSONObject(unknown.body).text("error") == "return_code_wrong" && unknown.status == .forbidden)
            for answer in [anothers, afterwards, tooLate, spentElsewhere] { #expect(sentence(answer) == sentence(unknown)) }
        }
    }

    @Test(
        "What is no code is 400 and names the field, and does nothing",
        arguments: [
            "{}", #"{"returncode":7}"#, #"{"returncode":null}"#, #"{"returncode":""}"#, #"{"returncode":"AAAAAAAAAAAAAAAAAAAAA"}"#,
            #"{"returncode":"AAAAAAAAAAAAAAAAAAAAAAA"}"#, #"{"returncode":"AAAAAAAAAAAAAAAAAAAAAB"}"#, #"{"returncode":"AAAAAAAAAAAAAAAAAAAA=="}"#,
        ])
    func malformed(body: String) async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBrowser { (browser) async throws in _ = try await browser.open() }
        let code = try await premises.approve(account)
        try await premises.asBackend { (backend) async throws in
            let (status, answer) = try await backend.json(.post, backend.path("/sessions/return"), body: body)
            #expect(status == 400)
            #expect(answer.text("message")?.hasPrefix("returncode ") == true)
            #expect(try await handIn(code.text, backend).status == .ok)
        }
    }

    @Test(
        "A login page is opened only with an address that the browser can bring its code to", arguments: [nil, "https://shop.example/?returncode=x"])
    func needsReturnURL(address: String?) async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            let body = #"{"kind":"login"\#(address.map { #","returnurl":"\#($0)""# } ?? "")}"#
            let (status, answer) = try await backend.json(.post, backend.path("/sessions/page"), body: body)
            #expect(status == 400)
            #expect(answer.text("message")?.hasPrefix("returnurl ") == true)
        }
    }

    @Test("A server that does not exist has no way back")
    func unknownServer() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            let uri = "/servers/AAAAAAAAAAAAAAAAAAAAAA/sessions/return"
            let (status, answer) = try await backend.json(.post, uri, body: #"{"returncode":"AAAAAAAAAAAAAAAAAAAAAA"}"#)
            #expect(status == 404 && answer.text("error") == "server_unknown")
        }
    }
}
