import Authentication
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

/// What a backend says of a login, over both real servers: from the REST call to the phone's screen and back.
@Suite("REST: UserContext")
struct UserContextTests {
    private static let nonce = "0123456789abcdef0123456789abcdef"
    private static let png = TestPicture.png()

    /// A backend beside a phone with an account.
    private func run(
        _ body: @Sendable @escaping (ServersFixture, EnrolledPhone, Backend) async throws -> Void
    ) async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            try await Application(router: servers.service.adminRouter).test(.router) { client in
                try await body(servers, phone, Backend(client: client, path: "/servers/\(servers.server.text)/sessions"))
            }
        }
    }

    private struct Backend: Sendable {
        let client: any TestClientProtocol
        let path: String

        func send(_ method: HTTPRequest.Method, _ rest: String, _ body: String? = nil) async throws -> (status: Int, body: ByteBuffer) {
            var headers: HTTPFields = [:]
            headers[.apiKey] = ServersFixture.apiKey
            headers[.nonce] = UserContextTests.nonce
            return try await client.execute(uri: path + rest, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) }) {
                ($0.status.code, $0.body)
            }
        }

        /// The link that a phone would scan.
        func link(_ body: String? = nil, by method: HTTPRequest.Method = .post, query: String = "") async throws -> Encoded<LoginLink> {
            let answer = try await send(method, "/qr/login\(query)", body)
            try #require(answer.status == 200)
            return try Encoded(decoding: Array(buffer: answer.body))
        }

        func message(_ rest: String, _ body: String) async throws -> String {
            let answer = try await send(.post, rest, body)
            #expect(answer.status == 400)
            return JSONObject(answer.body).text("message") ?? ""
        }
    }

    @Test("S4-08, S4-10: announced texts reach the phone under their keys, by a GET with a body and by a POST", arguments: ["GET", "POST"])
    func announced(method: String) async throws {
        try await run { _, phone, backend in
            let body = """
                {"announceinfo":{"info":{"what":"Timesheets, November","amount":"128 h"},"ip":"198.51.100.7","useragent":"Firefox"},
                 "sessioninfo":{"info":{"cart":"42"},"ip":"203.0.113.9","useragent":"Mozilla/5.0"}}
                """
            let shown = try await phone.scan(try await backend.link(body, by: method == "GET" ? .get : .post))
            #expect(
                shown.screen.announceInfo == [Announcement(key: "amount", text: "128 h"), Announcement(key: "what", text: "Timesheets, November")])
            #expect(shown.screen.browser.label == "Firefox" && shown.screen.browser.city == "198.51.100.7")
            let status = JSONObject(try await backend.send(.get, "/").body)
            #expect(status.object("sessioninfo")?.object("info")?.text("cart") == "42")
            #expect(status.object("sessioninfo")?.text("useragent") == "Mozilla/5.0")
            try await shown.logInByPIN()
            #expect(JSONObject(try await backend.send(.get, "/").body).object("sessioninfo")?.text("ip") == "203.0.113.9")
        }
    }

    @Test("S4-09: an announced logo takes the place of the server's, is loaded by its hash, and goes with the session")
    func logo() async throws {
        try await run { servers, phone, backend in
            try await servers.update { $0.logo = Self.png + [9] }
            let ownScreen = try await phone.scan(try await backend.link()).screen
            let own = ownScreen.logoHash
            #expect(own != nil && !ownScreen.announcesLogo)
            #expect(own == SHA(Self.png + [9]))
            let logo = Data(Self.png).base64EncodedString()
            let shown = try await phone.scan(try await backend.link(#"{"announceinfo":{"logo":"\#(logo)"}}"#))
            let hash = try #require(shown.screen.logoHash)
            #expect(shown.screen.announcesLogo)
            #expect(hash == SHA(Self.png))
            let loaded = try await servers.get("/ap1/logo/\(Base64URL.encode(hash))")
            #expect(loaded.status == .ok && loaded.body == Self.png)
            servers.clock.advance(Retention.finishedSession + 1_000)
            try await servers.services.housekeeping.run(at: servers.now)
            try await servers.services.housekeeping.run(at: servers.now)
            #expect(try await servers.get("/ap1/logo/\(Base64URL.encode(hash))").status == .notFound)
        }
    }

    @Test("What is said later is shown to phones that look later, what is left out stays, and who saw the former words is asked again")
    func replaced() async throws {
        try await run { servers, phone, backend in
            let first = try await phone.scan(try await backend.link(#"{"announceinfo":{"info":{"n":"1"}}}"#))
            let second = try await phone.scan(try await backend.link(#"{"announceinfo":{"info":{"n":"2"}}}"#))
            let third = try await phone.scan(try await backend.link())
            #expect(first.screen.announceInfo == [Announcement(key: "n", text: "1")])
            #expect(second.screen.announceInfo == [Announcement(key: "n", text: "2")])
            #expect(third.screen.announceInfo == second.screen.announceInfo)
            #expect(third.screen.sessionID == first.screen.sessionID)
            #expect(await servers.refusal { try await first.logInByPIN() } == .changed)
            #expect(JSONObject(try await backend.send(.get, "/").body).text("state") == "open")
            try await second.logInByPIN()
            let status = JSONObject(try await backend.send(.get, "/").body)
            #expect(status.bool("loggedin") == true && status.object("announceinfo")?.object("info")?.text("n") == "2")
        }
    }

    @Test("getSession tells the approved words, as they were shown; while a phone decides and afterwards the site cannot change them")
    func approved() async throws {
        try await run { servers, phone, backend in
            let logo = Data(Self.png).base64EncodedString()
            let shown = try await phone.scan(
                try await backend.link(#"{"announceinfo":{"info":{"amount":"10 EUR"},"logo":"\#(logo)"},"sessioninfo":{"ip":"198.51.100.7"}}"#))
            let attempt = try shown.attempt()
            #expect(try await phone.phone.evaluate(attempt).status == .ok)
            let later = #"{"announceinfo":{"info":{"amount":"9000 EUR"}},"sessioninfo":{"info":{"order":"large"}}}"#
            for path in ["/qr/login", "/link/login"] {
                let answer = try await backend.send(.post, path, later)
                #expect(answer.status == 409 && JSONObject(answer.body).text("error") == "being_decided")
            }
            _ = try await shown.send(try shown.decision(attempt: attempt.id, method: .pin, proof: try phone.phone.prove(attempt)))
            #expect(try await backend.send(.post, "/qr/login", later).status == 409)
            let told = JSONObject(try await backend.send(.get, "/").body)
            let announced = try #require(told.object("announceinfo"))
            #expect(announced.object("info")?.text("amount") == "10 EUR" && announced.text("ip") == "198.51.100.7")
            #expect(announced.text("logohash") == Base64URL.encode(SHA(Self.png)))
            #expect(told.object("sessioninfo")?.object("info") == nil)
        }
    }

    /// Each was taken, and a phone showed nothing but the key.
    @Test(
        "An announced key or text that nobody sees is 400 with its name, and what was said before stays; what no phone shows may be empty",
        arguments: ["", " ", "\u{A0}", "\u{3000}\u{2003}", "\u{200B}\u{FEFF}\u{2060}", "\u{AD}", "\u{3164}", "\u{2800}"])
    func blank(_ blank: String) async throws {
        try await run { _, phone, backend in
            _ = try await backend.link(#"{"announceinfo":{"info":{"n":"1"}}}"#)
            let text = try await backend.send(.post, "/qr/login", #"{"announceinfo":{"info":{"as Bob":"\#(blank)"}}}"#)
            #expect(text.status == 400 && JSONObject(text.body).text("field") == "announceinfo.info.as Bob")
            let key = try await backend.send(.post, "/qr/login", #"{"announceinfo":{"info":{"\#(blank)":"as Bob"}}}"#)
            #expect(key.status == 400 && JSONObject(key.body).text("field") == "announceinfo.info")
            let shown = try await phone.scan(try await backend.link())
            #expect(shown.screen.announceInfo == [Announcement(key: "n", text: "1")])
            _ = try await backend.link(#"{"sessioninfo":{"info":{"cart":"\#(blank)"}}}"#)
            _ = try await backend.link(#"{"announceinfo":{"info":{"n":"\#(blank)1\#(blank)"}}}"#)
        }
    }

    @Test("S4-07: a login for one account is offered for that account and refused to another")
    func preselected() async throws {
        try await run { servers, phone, backend in
            let other = try await TestPhone(servers).enrol(try servers.nonce(), userID: "bob", name: "Bob")
            let link = try await backend.link(query: "?accountid=\(phone.account.text)")
            let shown = try await other.scan(link)
            #expect(shown.screen.selects(phone.account) == true)
            #expect(await servers.refusal { try await shown.logInByPIN() } == .sessionTaken)
            try await phone.scan(link).logInByPIN()
            #expect(try await backend.send(.get, "/qr/login?accountid=AAAAAAAAAAAAAAAAAAAAAA").status == 404)
            #expect(try await backend.send(.get, "/qr/login?accountid=nobody").status == 404)
            #expect(try await backend.send(.post, "/page", #"{"kind":"login","returnurl":"/","accountid":"AAAAAAAAAAAAAAAAAAAAAA"}"#).status == 404)
        }
    }

    @Test("What is wrong is refused with its name and begins nothing")
    func refused() async throws {
        try await run { _, _, backend in
            let long = String(repeating: "x", count: 1_025)
            let many = (0..<33).map { "\"k\($0)\":\"v\"" }.joined(separator: ",")
            let heavy = Data(TestPicture.png(width: 20_000)).base64EncodedString()
            let tooBig = Data(repeating: 0x89, count: 70_000).base64EncodedString()
            for half in ["announceinfo", "sessioninfo"] {
                let wrong: [(String, String)] = [
                    (#"{"info":{"k":"\#(long)"}}"#, "\(half).info.k"), (#"{"info":{"k":"a\u0007b"}}"#, "\(half).info.k"),
                    (#"{"info":{"k":"\u202Eb"}}"#, "\(half).info.k"), (#"{"info":{"k":"a\nb"}}"#, "\(half).info.k"),
                    (#"{"info":{"k\u200e":"v"}}"#, "\(half).info"), (#"{"useragent":"a\u2028b"}"#, "\(half).useragent"),
                    (#"{"info":{"":"v"}}"#, "\(half).info"),
                    (#"{"info":{"\#(long.prefix(65))":"v"}}"#, "\(half).info"), (#"{"info":{"a\nb":"v"}}"#, "\(half).info"),
                    (#"{"info":{\#(many)}}"#, "\(half).info"), (#"{"info":{"k":1}}"#, "\(half).info.k"), (#"{"info":[]}"#, "\(half).info"),
                    (#"{"ip":"\#(long)"}"#, "\(half).ip"), (#"{"ip":"a\nb"}"#, "\(half).ip"), (#"{"ip":7}"#, "\(half).ip"),
                    (#"{"ip":" "}"#, "\(half).ip"), (#"{"useragent":"\u200b\u00a0"}"#, "\(half).useragent"),
                    (#"{"useragent":"\#(long)"}"#, "\(half).useragent"), (#"{"logo":"not base64!"}"#, "\(half).logo"),
                    (#"{"logo":"AAAA"}"#, "\(half).logo"), (#"{"logo":"\#(heavy)"}"#, "\(half).logo"),
                    (#"{"logo":"\#(tooBig)"}"#, "\(half).logo"), ("7", half),
                ]
                for (body, field) in wrong {
                    #expect(try await backend.message("/qr/login", "{\"\(half)\":\(body)}").contains(field), "\(body.prefix(40))")
                    #expect(try await backend.message("/link/login", "{\"\(half)\":\(body)}").contains(field))
                    #expect(try await backend.message("/page", "{\"kind\":\"login\",\"returnurl\":\"/\",\"\(half)\":\(body)}").contains(field))
                }
            }
            for body in ["[]", "nonsense", "7"] { _ = try await backend.message("/qr/login", body) }
            #expect(JSONObject(try await backend.send(.get, "/").body).names == ["loggedin"])
            #expect(try await backend.send(.post, "/qr/login", String(repeating: " ", count: 300_000)).status == 413)
        }
    }

    @Test("As much as may be said, with a logo of 64 KiB, is shown whole")
    func largest() async throws {
        try await run { _, phone, backend in
            let text = String(repeating: "ß", count: 512)
            let members = (0..<32).map { "\"\(String(format: "%064d", $0))\":\"\(text)\"" }.joined(separator: ",")
            let logo = Self.png + [UInt8](repeating: 0, count: 65_536 - Self.png.count)
            let body = "{\"announceinfo\":{\"info\":{\(members)},\"logo\":\"\(Data(logo).base64EncodedString())\"}}"
            let shown = try await phone.scan(try await backend.link(body))
            #expect(shown.screen.announceInfo.count == 32 && shown.screen.announceInfo.allSatisfy { $0.text == text })
            #expect(shown.screen.logoHash == SHA(logo))
            try await shown.logInByPIN()
        }
    }

    @Test("A page takes its context along to the session that it begins")
    func page() async throws {
        try await run { servers, phone, backend in
            let body = """
                {"kind":"login","returnurl":"/","accountid":"\(phone.account.text)","announceinfo":{"info":{"what":"a page"},"logo":"\(Data(Self.png).base64EncodedString())"}}
                """
            let opened = JSONObject(try await backend.send(.post, "/page", body).body)
            let ticket = try #require(opened.text("url")?.split(separator: "#").last)
            try await Application(router: servers.service.publicRouter).test(.router) { browser in
                let headers: HTTPFields = [.origin: ServersFixture.origin, .contentType: "application/json"]
                let redeemed = try await browser.execute(
                    uri: "/pages/ticket", method: .post, headers: headers, body: ByteBuffer(string: #"{"ticket":"\#(ticket)"}"#))
                #expect(redeemed.status == .ok)
            }
            let (sessions, nonce) = (servers.services.sessions, try SessionNonce(Self.nonce))
            let session = try #require(try await sessions.progress(of: nonce, at: servers.server, now: servers.now))
            let shown = try await phone.scan(try await sessions.link(to: session, .moving, at: servers.now))
            #expect(shown.screen.announceInfo == [Announcement(key: "what", text: "a page")])
            #expect(shown.screen.logoHash == SHA(Self.png) && shown.screen.selects(phone.account) == true)
        }
    }

    @Test("S4-14: what the person sent along, and how the second factor was proved, is told by getSession")
    func facts() async throws {
        try await run { _, phone, backend in
            let shown = try await phone.scan(try await backend.link())
            for _ in 0..<2 { _ = try await phone.phone.evaluate(try shown.attempt()) }
            let attempt = try shown.attempt()
            _ = try await phone.phone.evaluate(attempt)
            let message = try Encoded(
                L5(
                    sessionID: shown.screen.sessionID, sessionHash: shown.sessionHash, accountID: phone.account, attemptID: attempt.id,
                    decision: .accept, method: .pin, secondFactorSignature: try phone.phone.prove(attempt), userInput: "desk 4\n\"north\"",
                    offer: shown.screen.offer),
                signedBy: phone.phone.sign)
            _ = try await shown.send(message)
            let status = JSONObject(try await backend.send(.get, "/").body)
            #expect(status.text("userinput") == "desk 4\n\"north\"")
            #expect(status.texts("secondfactor") == ["pin"] && status.number("pinattemptsfailed") == 2)
        }
    }
}
