import Authentication
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("REST: clients that register themselves")
struct AdminRegistrationTests {
    private static let api = "/apis/https%3A%2F%2Fapi.example%2Fthings/"
    private static let things = #"{"name":"Things","scopes":{"read":"read what you have","write":"change it"}}"#
    private static let open = #"{"mode":"token","apis":{"https://api.example/things":["read"]},"most_clients":7}"#

    private func withBackend(_ body: @Sendable @escaping (AdminClient) async throws -> Void) async throws {
        try await PagesFixture().asBackend { (backend) async throws in try await body(backend) }
    }

    @Test("Nobody registers until it is said; what is told may be sent back, and says nothing new")
    func policy() async throws {
        try await withBackend { backend in
            let (status, first) = try await backend.json(.get, backend.path("/registration/"))
            #expect(status == 200 && first.text("mode") == "closed" && first.number("most_clients") == 100 && first.number("unused_days") == 30)
            _ = try await backend.send(.put, backend.path(Self.api), body: Self.things)
            let (_, put) = try await backend.json(.put, backend.path("/registration/"), body: Self.open)
            #expect(put.text("mode") == "token" && put.object("apis")?.texts("https://api.example/things") == ["read"])
            #expect(put.number("most_clients") == 7 && put.number("clients") == 0 && put.number("tokens") == 0)
            let told = try await backend.send(.get, backend.path("/registration/"))
            #expect(try await backend.send(.put, backend.path("/registration/"), body: String(buffer: told.body)).body == told.body)
            #expect(try await backend.json(.put, backend.path("/registration/"), body: #"{"mode":"closed"}"#).object.number("most_clients") == 100)
        }
    }

    @Test("A token is told once and counted; all of them can be ended")
    func tokens() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            let (status, drawn) = try await backend.json(.post, backend.path("/registration/tokens"), body: "{}")
            let token = try #require(drawn.text("initial_access_token"))
            #expect(status == 200 && token.utf8.count == 43)
            #expect(drawn.number("expires_at") == Int(premises.clock.now.seconds) + 86_400)
            _ = try await backend.json(.post, backend.path("/registration/tokens"), body: #"{"lifetime":60,"uses":3}"#)
            let told = try await backend.send(.get, backend.path("/registration/"))
            #expect(JSONObject(told.body).number("tokens") == 2 && !String(buffer: told.body).contains(token))
            #expect(try await backend.send(.delete, backend.path("/registration/tokens")).status == .ok)
            #expect(try await backend.json(.get, backend.path("/registration/")).object.number("tokens") == 0)
        }
        let entries = try await premises.people.read { rows in try rows.auditEntries(of: premises.serverID, limit: 9) }
        #expect(entries.map { "\($0.kind)" } == ["registrationTokensEnded", "registrationTokenDrawn", "registrationTokenDrawn"])
    }

    @Test(
        "What may not be said is refused by the name of its member",
        arguments: [
            ("{}", "mode"), (#"{"mode":"on"}"#, "mode"), (#"{"mode":"open","most_clients":0}"#, "most_clients"),
            (#"{"mode":"open","most_clients":1001}"#, "most_clients"), (#"{"mode":"open","unused_days":0}"#, "unused_days"),
            (#"{"mode":"open","unused_days":-1}"#, "unused_days"), (#"{"mode":"open","apis":{"urn:none":[]}}"#, "apis.urn:none"),
            (#"{"mode":"open","apis":{"https://api.example/things":["raed"]}}"#, "apis.https://api.example/things"),
            (#"{"mode":"open","client":1}"#, "client"),
        ])
    func refused(body: String, field: String) async throws {
        try await withBackend { backend in
            _ = try await backend.send(.put, backend.path(Self.api), body: Self.things)
            let (status, error) = try await backend.json(.put, backend.path("/registration/"), body: body)
            #expect(status == 400 && error.text("field") == field, "\(error.text("field") ?? "")")
            #expect(try await backend.json(.get, backend.path("/registration/")).object.text("mode") == "closed")
        }
    }

    @Test(
        "A token lives a minute to a year, for one client to a thousand",
        arguments: [("lifetime", 59), ("lifetime", 31_536_001), ("uses", 0), ("uses", 1_001), ("uses", -1)])
    func tokenRefused(member: String, value: Int) async throws {
        try await withBackend { backend in
            let (status, error) = try await backend.json(.post, backend.path("/registration/tokens"), body: "{\"\(member)\":\(value)}")
            #expect(status == 400 && error.text("field") == member)
        }
    }
}
