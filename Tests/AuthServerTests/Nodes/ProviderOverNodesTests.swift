import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("The provider over several nodes", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(20)))
struct ProviderOverNodesTests {
    private static let callers = 24

    /// Clients of three nodes on one database, the first of which has made what is in it.
    private func run(_ body: @Sendable @escaping ([OAuthClient]) async throws -> Void) async throws {
        try await SchemaTemplate.authentication.withPostgreSQL(3) { databases in try await OAuthFixture.run(over: databases, body) }
    }

    /// What all nodes answer to calls that come to them at once.
    private func atOnce(
        _ clients: [OAuthClient], _ call: @Sendable @escaping (OAuthClient) async throws -> OAuthClient.Answer
    ) async throws -> [OAuthClient.Answer] {
        try await withThrowingTaskGroup(of: OAuthClient.Answer.self) { group in
            for number in 0..<Self.callers { group.addTask { try await call(clients[number % clients.count]) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("A code that was made at one node is exchanged at another, once: at a third it ends what it gave")
    func code() async throws {
        try await run { clients in
            let code = try await clients[0].fixture.code(5, offline: true).text
            let answer = try await clients[1].exchange(code)
            #expect(answer.status == 200)
            #expect(try await clients[2].exchange(code).isError("invalid_grant"))
            for client in clients { #expect(try await client.refresh(answer.json["refresh_token"]?.string).isError("invalid_grant")) }
        }
    }

    @Test("Of many exchanges of one code at all nodes at once one has tokens", arguments: [5, 6] as [UInt8])
    func codeAtOnce(_ byte: UInt8) async throws {
        try await run { clients in
            let code = try await clients[0].fixture.code(byte).text
            let answers = try await atOnce(clients) { try await $0.exchange(code) }
            #expect(answers.count { $0.status == 200 } == 1)
            #expect(answers.count { $0.isError("invalid_grant") } == Self.callers - 1)
        }
    }

    @Test("A refresh token goes from node to node, and has one successor when all are asked at once")
    func refresh() async throws {
        try await run { clients in
            let code = try await clients[0].fixture.code(5, offline: true).text
            var token = try #require(try await clients[1].exchange(code).json["refresh_token"]?.string)
            for client in clients {
                let next = try #require(try await client.refresh(token).json["refresh_token"]?.string)
                #expect(next != token)
                token = next
            }
            let last = token
            let answers = try await atOnce(clients) { try await $0.refresh(last) }
            #expect(answers.allSatisfy { $0.status == 200 })
            let successors = Set(answers.compactMap { $0.json["refresh_token"]?.string })
            #expect(successors.count == 1 && !successors.contains(last))
            for client in clients { #expect(try await client.refresh(successors.first).status == 200) }
        }
    }

    @Test("A secret and a grant type that were taken from applications at one node are refused at another in the very next call")
    func changedApplication() async throws {
        try await run { clients in
            let form: OAuthClient.Form = ["token": "nothing"]
            for client in clients {
                #expect(try await client.post("/oauth/introspect", form, authorization: [OAuthClient.webBasic]).status == 200)
            }
            try await clients[0].fixture.change(try #require(ClientID("web-1"))) { $0.secrets = [] }
            for client in clients {
                #expect(try await client.post("/oauth/introspect", form, authorization: [OAuthClient.webBasic]).isError("invalid_client", 401))
            }
            // The app has had its answers here, too, and may refresh nothing any more.
            let code = try await clients[1].fixture.code(7, offline: true).text
            let token = try await clients[1].exchange(code).json["refresh_token"]?.string
            try await clients[0].fixture.change { $0.grantTypes = [.authorizationCode] }
            #expect(try await clients[1].refresh(token).status == 400)
        }
    }
}
