import Authentication
import HTTPService
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import Testing

@testable import AuthServer

@Suite("Session events for any site", .timeLimit(.minutes(10)))
struct SessionEventStreamTests {
    @Test("Who knows the hsid hears what happens, and never to whom")
    func tellsWhat() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount(userID: "alice")
        let hsid = try await premises.asBackend { (backend) async throws in
            _ = try await backend.send(.get, backend.path("/sessions/qr/login"))
            return try #require(try await backend.json(.get, backend.path("/sessions/")).object.text("hsid"))
        }
        try await premises.asBrowser { (browser) async throws in
            let uri = "/sessions/events?server=\(premises.serverID.text)&session=\(hsid)"
            let events = try await browser.events(uri, cookie: nil) {
                try await premises.scan()
                try await premises.logIn(account)
                _ = try await premises.asBackend { (backend) async throws in try await backend.send(.post, backend.path("/sessions/logout")) }
            }
            #expect(events.map(\.name) == ["LOGOUT", "CONFIRMSCAN", "LOGIN", "LOGOUT"])
            #expect(events.allSatisfy { $0.data.names == ["session", "server"] && $0.data.text("session") == hsid })
        }
    }

    @Test("Who comes late hears first how it is now")
    func firstState() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        _ = try await premises.asBackend { (backend) async throws in try await backend.send(.get, backend.path("/sessions/qr/login")) }
        let stream = try #require(try await premises.session().stream)
        try await premises.logIn(account)
        try await premises.asBrowser { (browser) async throws in
            let events = try await browser.events("/sessions/events?server=\(premises.serverID.text)&session=\(stream.text)", cookie: nil) {
                _ = try await premises.asBackend { (backend) async throws in try await backend.send(.post, backend.path("/sessions/logout")) }
            }
            #expect(events.map(\.name) == ["LOGIN", "LOGOUT"])
        }
    }

    @Test("A refusal on the phone is CANCEL")
    func tellsRefusal() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        _ = try await premises.asBackend { (backend) async throws in try await backend.send(.get, backend.path("/sessions/qr/login")) }
        let stream = try #require(try await premises.session().stream)
        try await premises.asBrowser { (browser) async throws in
            let events = try await browser.events("/sessions/events?server=\(premises.serverID.text)&session=\(stream.text)", cookie: nil) {
                try await premises.deny(account, notMe: true)
            }
            #expect(events.map(\.name) == ["LOGOUT", "CANCEL"])
        }
    }

    @Test("A stream is opened for a session that there is, and for no other name: whoever makes names up holds no place")
    func refusesMadeUpNames() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            for _ in 0..<20 {
                let name = Base64URL.encode(SystemRandomSource().bytes(16))
                let response = try await browser.get("/sessions/events?server=\(premises.serverID.text)&session=\(name)")
                #expect(response.status == .notFound)
                #expect(JSONObject(response.body).text("error") == "session_unknown")
            }
            #expect(premises.pageRoutes.eventGate.count == 0)
        }
    }

    @Test("Pages of any site may listen; nothing else here may be read by another site")
    func forAnySite() async throws {
        let premises = try await PagesFixture()
        _ = try await premises.asBackend { (backend) async throws in try await backend.send(.get, backend.path("/sessions/qr/login")) }
        let stream = try #require(try await premises.session().stream)
        premises.drain.begin()
        try await premises.asBrowser { (browser) async throws in
            let events = try await browser.get("/sessions/events?server=\(premises.serverID.text)&session=\(stream.text)")
            #expect(events.status == .ok && events.headers[.accessControlAllowOrigin] == "*")
            #expect(events.headers[.crossOriginResourcePolicy] == "cross-origin")
            for path in ["/login", "/pages/page.js", "/pages/state", "/pages/events", "/nothing"] {
                let other = try await browser.get(path)
                #expect(other.headers[.accessControlAllowOrigin] == nil, "\(path)")
                #expect(other.headers[.crossOriginResourcePolicy] == "same-origin", "\(path)")
            }
        }
    }

    @Test("What the stream does not know, and what comes twice, is refused as everywhere")
    func refusesQueries() async throws {
        let premises = try await PagesFixture()
        _ = try await premises.asBackend { (backend) async throws in try await backend.send(.get, backend.path("/sessions/qr/login")) }
        let (server, session) = (premises.serverID.text, try #require(try await premises.session().stream).text)
        // A stream that is let in ends after its first event.
        premises.drain.begin()
        try await premises.asBrowser { (browser) async throws in
            let right = "/sessions/events?server=\(server)&session=\(session)"
            #expect(try await browser.get(right).status == .ok)
            for (words, error, field) in [
                ("session=\(session)", "bad_request", "session"), ("session=AAAAAAAAAAAAAAAAAAAAAA", "bad_request", "session"),
                ("%73ession=\(session)", "bad_request", "session"), ("server=\(server)", "bad_request", "server"),
                ("Session=x", "unknown_field", "Session"), ("nonce=SECRET", "unknown_field", "nonce"), ("x", "unknown_field", "x"),
            ] {
                let response = try await browser.get("\(right)&\(words)")
                let told = JSONObject(response.body)
                #expect(response.status == .badRequest && told.text("error") == error && told.text("field") == field, "\(words)")
            }
            #expect(premises.pageRoutes.eventGate.count == 0)
        }
    }

    @Test("An address that names no server or session is refused")
    func refusesNames() async throws {
        let premises = try await PagesFixture()
        let (server, other) = (premises.serverID.text, "AAAAAAAAAAAAAAAAAAAAAA")
        try await premises.asBrowser { (browser) async throws in
            for (query, status) in [
                ("", 400), ("server=\(server)", 400), ("server=x&session=\(other)", 400), ("server=\(server)&session=x", 400),
                ("server=\(other)&session=\(other)", 404), ("server=\(server)&session=\(other)", 404),
            ] {
                let response = try await browser.get("/sessions/events?\(query)")
                #expect(response.status.code == status, "\(query)")
            }
        }
    }
}
