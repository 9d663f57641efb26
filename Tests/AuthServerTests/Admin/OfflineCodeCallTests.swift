import Authentication
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

extension PagesFixture {
    /// What the phone of an account shows for the session of a nonce, `later` seconds after now.
    func offlineCode(
        of account: Account, nonce: String = PagesFixture.nonce, later: UInt64 = 0, _ length: OfflineCodeLength = .six
    ) async throws -> String {
        OfflineCode(
            reference: account.otpReference, key: SecretBytes(try account.otpKey.bytes()),
            session: OfflineSession(serverTag: keyring.keys.root.tag, id: try await session(nonce).id),
            interval: OfflineCode.interval(at: clock.now + later), length: length
        ).exposed
    }
}

@Suite("REST: otpLogin")
struct OfflineCodeCallTests {
    /// A session whose code a backend drew, at a server that takes offline codes.
    private func premises(_ flags: [String] = ["ENABLE_OTP"]) async throws -> (PagesFixture, Account) {
        let premises = try await PagesFixture()
        try await premises.update { $0.flags = flags }
        let account = try await premises.addAccount()
        try await premises.asBackend { (backend) async throws in
            #expect(try await backend.send(.get, backend.path("/sessions/qr/login")).status == .ok)
        }
        return (premises, account)
    }

    private func type(_ text: String, _ backend: AdminClient) async throws -> TestResponse {
        try await backend.send(.post, backend.path("/sessions/otp"), body: #"{"otp":"\#(text)"}"#)
    }

    private func wrong(_ code: String) -> String { code.dropLast() + (code.hasSuffix("0") ? "1" : "0") }

    @Test("S2-03, S2-04, S2-06 it answers a LoginStatus with otplogin, and getSession answers the same from then on")
    func logsIn() async throws {
        let (premises, account) = try await premises()
        let code = try await premises.offlineCode(of: account)
        try await premises.asBackend { (backend) async throws in
            let answer = try await type(code.lowercased(), backend)
            #expect(answer.status == .ok)
            let object = JSONObject(answer.body)
            #expect(object.bool("loggedin") == true && object.bool("otplogin") == true && object.text("userid") == "alice")
            #expect(object.texts("amr") == ["otp"] && object.text("acr") == "sf" && object.text("binding") == "otp")
            #expect(object.texts("secondfactor") == [] && object.number("authtime") == nil)
            #expect(try await backend.send(.get, backend.path("/sessions/")).body == answer.body)
            #expect(JSONObject(try await type(code, backend).body).text("error") == "otp_not_awaited")
        }
    }

    @Test("S2-05 otplogin is false while a phone is awaited, and of a login on the phone")
    func notByCode() async throws {
        let (premises, account) = try await premises()
        try await premises.asBackend { (backend) async throws in
            #expect(try await backend.json(.get, backend.path("/sessions/")).object.bool("otplogin") == false)
            try await premises.logIn(account)
            #expect(try await backend.json(.get, backend.path("/sessions/")).object.bool("otplogin") == false)
        }
    }

    @Test("S2-07, S2-08 without ENABLE_OTP there is no such call; getServer says whether it is on, and updateServer switches it on and off")
    func switched() async throws {
        let (premises, account) = try await premises([])
        let code = try await premises.offlineCode(of: account)
        try await premises.asBackend { (backend) async throws in
            #expect(try await backend.json(.get, backend.path("/")).object.texts("serverFlags") == [])
            let refused = try await type(code, backend)
            #expect(refused.status == .notFound && JSONObject(refused.body).text("error") == "otp_not_offered")
            let on = try await backend.json(.put, backend.path("/"), body: #"{"serverFlags":["ENABLE_OTP"]}"#)
            #expect(on.status == 200 && on.object.texts("serverFlags") == ["ENABLE_OTP"])
            #expect(try await backend.json(.get, backend.path("/")).object.texts("serverFlags") == ["ENABLE_OTP"])
            let off = try await backend.json(.put, backend.path("/"), body: #"{"serverFlags":[]}"#)
            #expect(off.status == 200)
            #expect(try await type(code, backend).status == .notFound)
            _ = try await backend.json(.put, backend.path("/"), body: #"{"serverFlags":["ENABLE_OTP"]}"#)
            #expect(try await type(code, backend).status == .ok)
        }
    }

    @Test("S2-23 with LONG_OTP it is the eight characters, and the six are none")
    func long() async throws {
        let (premises, account) = try await premises(["ENABLE_OTP", "LONG_OTP"])
        let (six, eight) = (try await premises.offlineCode(of: account), try await premises.offlineCode(of: account, .eight))
        try await premises.asBackend { (backend) async throws in
            let answer = try await type(six, backend)
            #expect(answer.status == .badRequest && JSONObject(answer.body).text("field") == "otp")
            #expect(try await type(eight, backend).status == .ok)
        }
    }

    @Test("Whatever is wrong with a code it is answered alike but for the tries that are left; then it is used up, and says so")
    func wrong() async throws {
        let (premises, account) = try await premises()
        let code = try await premises.offlineCode(of: account)
        let other = try await premises.offlineCode(of: account, later: 240)
        let nobodys: String = (code.hasPrefix("0") ? "1" : "0") + code.dropFirst()
        try await premises.asBackend { (backend) async throws in
            for (text, left) in [(other, 2), (nobodys, 1), (wrong(code), 0)] {
                let answer = try await type(text, backend)
                let object = JSONObject(answer.body)
                #expect(answer.status == .forbidden && object.text("error") == "otp_wrong" && object.number("left") == left)
                #expect(object.names == ["error", "message", "requestId", "left"])
            }
            let spent = try await type(code, backend)
            #expect(spent.status == .conflict && JSONObject(spent.body).text("error") == "otp_used_up")
        }
    }

    @Test("Too many of one account are 429 with the seconds to wait")
    func tooMany() async throws {
        let (premises, account) = try await premises()
        let now = premises.clock.now
        try await premises.store.write { rows in
            try rows.save(
                OfflineTries(
                    server: account.server, reference: account.otpReference, moments: [Instant](repeating: now, count: OfflineTries.burst)))
        }
        let code = try await premises.offlineCode(of: account)
        try await premises.asBackend { (backend) async throws in
            let answer = try await type(code, backend)
            #expect(answer.status == .tooManyRequests && JSONObject(answer.body).text("error") == "otp_too_often")
            #expect(answer.headers[.retryAfter] == "240")
        }
    }

    @Test("What is no code, or no body of this call, is 400, names its field, and counts nothing", arguments: ["", "2XPP7Q", "2XPP7Q R5BDDU"])
    func malformed(text: String) async throws {
        let (premises, _) = try await premises()
        try await premises.asBackend { (backend) async throws in
            let answer = try await type(text, backend)
            #expect(answer.status == .badRequest && JSONObject(answer.body).text("field") == "otp")
            let other = try await backend.send(.post, backend.path("/sessions/otp"), body: #"{"code":"2XPP7Q R5BDD0"}"#)
            #expect(other.status == .badRequest && JSONObject(other.body).text("error") == "unknown_field")
            #expect(try await premises.session().codesTried == 0)
        }
    }

    @Test("Handed in for the session of a login page it logs nobody in: the page brings its browser back")
    func ofPage() async throws {
        let premises = try await PagesFixture()
        try await premises.update { $0.flags = ["ENABLE_OTP"] }
        let account = try await premises.addAccount()
        let cookie = try await premises.asBrowser { (browser) async throws in try await browser.open() }
        let code = try await premises.offlineCode(of: account)
        let hsid = try #require(try await premises.session().stream?.text)
        try await premises.asBackend { (backend) async throws in
            let answer = try await type(code, backend)
            #expect(String(buffer: answer.body) == #"{"loggedin":false,"state":"returning","hsid":"\#(hsid)"}"#)
        }
        try await premises.asBrowser { (browser) async throws in
            #expect(try await browser.state(cookie).text("returnurl")?.contains("returncode=") == true)
        }
    }
}
