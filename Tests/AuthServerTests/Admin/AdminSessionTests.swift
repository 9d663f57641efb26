import Authentication
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import QRReading
import Testing

@testable import AuthServer

@Suite("REST: sessions")
struct AdminSessionTests {
    @Test(
        "A nonce that is missing, short, long or no base64 or hexadecimal is 400",
        arguments: [
            nil, "", String(repeating: "a", count: 21), String(repeating: "a", count: 129), "short", "has a space in the middle",
            "ümlaut-ümlaut-ümlaut-ümlaut", "mixed+alphabets-are-no-text",
        ])
    func refusesNonces(nonce: String?) async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            for (method, rest) in [
                (HTTPRequest.Method.get, "/sessions/"), (.post, "/sessions/logout"), (.get, "/sessions/qr/login"),
                (.get, "/sessions/qr/enrol?name=A"), (.post, "/sessions/page"), (.post, "/sessions/enrol/confirm"), (.post, "/sessions/return"),
            ] {
                let (status, answer) = try await backend.json(method, backend.path(rest), nonce: nonce, body: method == .post ? "{}" : nil)
                #expect(status == 400, "\(rest)")
                #expect(answer.text("message")?.contains("X-nonce") == true)
            }
        }
    }

    @Test("Of any unknown nonce getSession says exactly that nobody is logged in")
    func nobody() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            let response = try await backend.send(.get, backend.path("/sessions/"), nonce: "0123456789abcdef0123456789abcdef")
            #expect(response.status == .ok)
            #expect(String(buffer: response.body) == #"{"loggedin":false}"#)
        }
    }

    @Test("S0-07, S0-09: getSession tells whether somebody is logged in, and who, without asking anybody else")
    func tellsWho() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount(userID: "alice")
        try await premises.asBackend { (backend) async throws in
            _ = try await backend.send(.get, backend.path("/sessions/qr/login"))
            let (_, waiting) = try await backend.json(.get, backend.path("/sessions/"))
            #expect(waiting.bool("loggedin") == false)
            #expect(waiting.text("state") == "open")
            #expect(waiting.text("hsid") != nil)
            try await premises.logIn(account)
            let (status, session) = try await backend.json(.get, backend.path("/sessions/"))
            #expect(status == 200)
            #expect(session.bool("loggedin") == true)
            #expect(session.text("userid") == "alice")
            #expect(session.text("accountid") == account.id.text)
            #expect(session.text("pk") == Base64URL.encode(account.deviceKey))
            #expect(session.texts("amr") == ["mfa", "pin", "pop"])
            #expect(session.text("hsid") == waiting.text("hsid"))
            #expect(session.text("loginqrdata") == nil)
        }
    }

    @Test("S0-07, S1-38: the webNonce of an AppLogin takes the place of the nonce, until logout")
    func tellsWhoByWebNonce() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount(userID: "bob")
        let webNonce = try await premises.logInApp(account)
        try await premises.asBackend { (backend) async throws in
            let (_, session) = try await backend.json(.get, backend.path("/sessions/"), nonce: webNonce)
            #expect(session.bool("loggedin") == true)
            #expect(session.text("userid") == "bob")
            for body in [#"{"kind":"login","returnurl":"/a"}"#, #"{"kind":"enrol","name":"A"}"#] {
                let (status, page) = try await backend.json(.post, backend.path("/sessions/page"), nonce: webNonce, body: body)
                #expect(status == 409 && page.text("error") == "app_login" && page.text("url") == nil)
            }
            let refused = try await backend.send(.get, backend.path("/sessions/qr/login"), nonce: webNonce)
            #expect(refused.status == .conflict)
            #expect(try await backend.send(.post, backend.path("/sessions/logout"), nonce: webNonce).status == .ok)
            let after = try await backend.send(.get, backend.path("/sessions/"), nonce: webNonce)
            #expect(String(buffer: after.body) == #"{"loggedin":false}"#)
        }
    }

    @Test("A session that the app stopped answering for is over at the moment its time is")
    func endsByItself() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBackend { (backend) async throws in
            _ = try await backend.send(.get, backend.path("/sessions/qr/login"))
            try await premises.logIn(account)
            premises.clock.advance(315)
            #expect(try await backend.json(.get, backend.path("/sessions/")).object.bool("loggedin") == true)
            premises.clock.advance(1)
            #expect(try await backend.json(.get, backend.path("/sessions/")).object.names == ["loggedin"])
        }
    }

    @Test("A logout that was acknowledged is never undone, and ends a login that only began")
    func logsOut() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBackend { (backend) async throws in
            _ = try await backend.send(.get, backend.path("/sessions/qr/login"))
            #expect(try await backend.send(.post, backend.path("/sessions/logout")).status == .ok)
            await #expect(throws: SessionRefusal.over) { try await premises.logIn(account) }
            #expect(try await backend.send(.post, backend.path("/sessions/logout")).status == .ok)
            #expect(try await backend.json(.get, backend.path("/sessions/")).object.bool("loggedin") == false)
        }
    }

    @Test("getQrLogin gives the bytes of one session, however often it is asked, and the same as a picture")
    func drawsCode() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            let raw = try await backend.send(.get, backend.path("/sessions/qr/login"))
            #expect(raw.headers[.contentType] == "application/octet-stream")
            let link = try Encoded<LoginLink>(decoding: Array(buffer: raw.body))
            let session = try await premises.session()
            #expect(link.value.sessionID == session.id)
            #expect(link.isGenuine(qrSecret: premises.keyring.keys.derivation.linkSecret(of: session.id)))
            let picture = try await backend.send(.get, backend.path("/sessions/qr/login?img=png&s=300"))
            #expect(picture.headers[.contentType] == "image/png")
            #expect(try QRReader.read(Array(buffer: picture.body)) == [Array(buffer: raw.body)])
            let (_, status) = try await backend.json(.get, backend.path("/sessions/"))
            #expect(status.text("loginqrdata") == Base64URL.encode(Array(buffer: raw.body)))
        }
    }

    @Test(
        "A picture that cannot be drawn is 400 and names the field",
        arguments: [("s=99", "s"), ("s=2001", "s"), ("s=big", "s"), ("img=gif", "img"), ("img=", "img"), ("img=png&img=png", "img")])
    func refusesPictures(query: String, field: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            for call in ["login?", "enrol?name=A&"] {
                let (status, answer) = try await backend.json(.get, backend.path("/sessions/qr/\(call)\(query)"))
                #expect(status == 400)
                #expect(answer.text("message")?.hasPrefix("\(field) ") == true)
            }
            #expect(try await backend.json(.get, backend.path("/sessions/")).object.names == ["loggedin"])
        }
    }

    @Test("There is no code for a session in which somebody is logged in")
    func refusesCode() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBackend { (backend) async throws in
            _ = try await backend.send(.get, backend.path("/sessions/qr/login"))
            try await premises.logIn(account)
            let (status, answer) = try await backend.json(.get, backend.path("/sessions/qr/login"))
            #expect(status == 409)
            #expect(answer.text("error") == "already_logged_in")
        }
    }

    @Test("A login as a link is text at our own address, bound to no browser")
    func makesLink() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            let response = try await backend.send(.get, backend.path("/sessions/link/login"))
            #expect(response.headers[.contentType] == "text/plain; charset=utf-8")
            let text = String(buffer: response.body)
            #expect(text.hasPrefix("https://login.example/l#"))
            guard case .login(let link) = try Link(text: text) else { throw WireError.badType }
            #expect(link.value.binding == .unboundLink)
        }
    }

    @Test("The nonce is in no answer and in no link")
    func keepsNonce() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBackend { (backend) async throws in
            var answers: [String] = []
            for (method, rest, body) in [
                (HTTPRequest.Method.get, "/sessions/link/login", nil), (.post, "/sessions/page", #"{"kind":"login","returnurl":"/"}"#),
                (.get, "/sessions/", nil),
            ] as [(HTTPRequest.Method, String, String?)] {
                let response = try await backend.send(method, backend.path(rest), body: body)
                answers.append(String(buffer: response.body) + "\(response.headers)")
            }
            try await premises.logIn(account)
            answers.append(String(buffer: try await backend.send(.get, backend.path("/sessions/")).body))
            let hash = Transcript.nonce(PagesFixture.nonce)
            for answer in answers {
                #expect(!answer.contains(PagesFixture.nonce))
                #expect(!answer.contains(Base64URL.encode(hash)))
            }
        }
    }
}
