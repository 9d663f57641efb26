import Authentication
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("REST: the services behind a virtual server")
struct AdminServiceTests {
    private static let path = "/tokenservice/"

    private func withBackend(_ body: @Sendable @escaping (AdminClient) async throws -> Void) async throws {
        try await PagesFixture().asBackend { (backend) async throws in try await body(backend) }
    }

    @Test("S0-32 there is none until it is said; its secret is told once, and what is told may be sent back and says nothing new")
    func said() async throws {
        try await withBackend { backend in
            let (none, error) = try await backend.json(.get, backend.path(Self.path))
            #expect(none == 404 && error.text("error") == "token_service_unknown")
            let (status, put) = try await backend.json(.put, backend.path(Self.path), body: #"{"url":"https://Tokens.example/token"}"#)
            #expect(status == 200 && put.text("url") == "https://tokens.example/token" && put.number("timeout") == 5)
            let secret = try #require(put.text("secret"))
            #expect(secret.utf8.count == 43)
            let told = try await backend.send(.get, backend.path(Self.path))
            #expect(JSONObject(told.body).names == ["url", "timeout"] && !String(buffer: told.body).contains(secret))
            #expect(try await backend.send(.put, backend.path(Self.path), body: String(buffer: told.body)).body == told.body)
        }
    }

    @Test("A dry run says what would be there, and nothing is")
    func dryRun() async throws {
        try await withBackend { backend in
            let (status, put) = try await backend.json(
                .put, backend.path(Self.path) + "?dryrun=true", body: #"{"url":"https://tokens.example/","timeout":9}"#)
            #expect(status == 200 && put.names == ["url", "timeout"] && put.number("timeout") == 9)
            #expect(try await backend.json(.get, backend.path(Self.path)).status == 404)
        }
    }

    @Test("A secret is drawn anew, or is the one that was given, which is told to nobody; it goes with its service")
    func secret() async throws {
        try await withBackend { backend in
            #expect(try await backend.json(.post, backend.path("/tokenservice/secret"), body: "{}").status == 404)
            let first = try await backend.json(.put, backend.path(Self.path), body: #"{"url":"https://tokens.example/"}"#).object.text("secret")
            let second = try await backend.json(.post, backend.path("/tokenservice/secret"), body: "{}").object.text("secret")
            #expect(first != nil && second != nil && first != second)
            let given = #"{"secret":"a-gateway-key-of-thirty-two-bytes"}"#
            let answer = try await backend.json(.post, backend.path("/tokenservice/secret"), body: given).object
            #expect(answer.names == ["url", "timeout"])
            #expect(try await backend.send(.delete, backend.path(Self.path)).status == .ok)
            #expect(try await backend.send(.delete, backend.path(Self.path)).status == .ok, "it stays so")
            #expect(try await backend.json(.get, backend.path(Self.path)).status == 404)
            let again = try await backend.json(.put, backend.path(Self.path), body: #"{"url":"https://tokens.example/"}"#).object.text("secret")
            #expect(again != nil, "the former one went")
        }
    }

    @Test(
        "What may not be said is refused by the name of its member",
        arguments: [
            ("{}", "url"), (#"{"url":"http://tokens.example/"}"#, "url"), (#"{"url":"https://tokens.example/?key=1"}"#, "url"),
            (#"{"url":"https://tokens.example/","timeout":0}"#, "timeout"), (#"{"url":"https://tokens.example/","timeout":11}"#, "timeout"),
            (#"{"url":"https://tokens.example/","timeout":-1}"#, "timeout"), (#"{"url":"https://tokens.example/","secret":"x"}"#, "secret"),
        ])
    func refused(body: String, field: String) async throws {
        try await withBackend { backend in
            let (status, error) = try await backend.json(.put, backend.path(Self.path), body: body)
            #expect(status == 400 && error.text("field") == field, "\(error.text("field") ?? "")")
            #expect(try await backend.json(.get, backend.path(Self.path)).status == 404)
            _ = try await backend.json(.put, backend.path(Self.path), body: #"{"url":"https://tokens.example/"}"#)
            let (short, wrong) = try await backend.json(.post, backend.path("/tokenservice/secret"), body: #"{"secret":"short"}"#)
            #expect(short == 400 && wrong.text("field") == "secret")
        }
    }

    @Test("Each change is in the audit trail, with who made it, and what changes nothing is not")
    func audited() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            for _ in 0..<2 { _ = try await backend.json(.put, backend.path(Self.path), body: #"{"url":"https://tokens.example/"}"#) }
            _ = try await backend.json(.post, backend.path("/tokenservice/secret"), body: "{}")
            for _ in 0..<2 { _ = try await backend.send(.delete, backend.path(Self.path)) }
        }
        let entries = try await premises.store.read { rows in try rows.auditEntries(of: premises.serverID, limit: 9) }
        #expect(entries.map { "\($0.kind)" } == ["tokenServiceRemoved", "tokenServiceSecretSet", "tokenServiceSaved"])
    }

    @Test("The Data Service is said like the token service, and is another: each has its own address, its own secret and its own word in the trail")
    func ofEachKind() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            let (none, error) = try await backend.json(.get, backend.path("/dataservice/"))
            #expect(none == 404 && error.text("error") == "data_service_unknown")
            let token = try await backend.json(.put, backend.path(Self.path), body: #"{"url":"https://one.example/"}"#).object
            #expect(try await backend.json(.get, backend.path("/dataservice/")).status == 404)
            let data = try await backend.json(.put, backend.path("/dataservice/"), body: #"{"url":"https://one.example/","timeout":2}"#).object
            #expect(data.text("secret") != nil && data.text("secret") != token.text("secret"))
            let again = try await backend.json(.post, backend.path("/dataservice/secret"), body: "{}").object
            #expect(again.text("secret") != nil && again.text("secret") != data.text("secret"))
            #expect(try await backend.json(.get, backend.path(Self.path)).object.number("timeout") == 5)
            #expect(try await backend.send(.delete, backend.path(Self.path)).status == .ok)
            #expect(try await backend.json(.get, backend.path("/dataservice/")).object.number("timeout") == 2)
            #expect(try await backend.send(.delete, backend.path("/dataservice/")).status == .ok)
        }
        let entries = try await premises.store.read { rows in try rows.auditEntries(of: premises.serverID, limit: 9) }
        #expect(
            entries.map { "\($0.kind)" } == [
                "dataServiceRemoved", "tokenServiceRemoved", "dataServiceSecretSet", "dataServiceSaved", "tokenServiceSaved",
            ])
    }
}
