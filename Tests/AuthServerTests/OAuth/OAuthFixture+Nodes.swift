import Database

@testable import AuthServer

extension OAuthFixture {
    /// Clients of several nodes on one database, the first of which has made what is in it.
    /// - Parameter databases: each node's own way to that one.
    static func run(over databases: [any Database], _ body: @Sendable @escaping ([OAuthClient]) async throws -> Void) async throws {
        let key = KeyEncryptionKey.random()
        var fixtures: [OAuthFixture] = []
        for database in databases { fixtures.append(try await OAuthFixture(over: database, key: key, isFirst: fixtures.isEmpty)) }
        try await lend(fixtures, [], body)
    }

    private static func lend(
        _ fixtures: [OAuthFixture], _ open: [OAuthClient], _ body: @Sendable @escaping ([OAuthClient]) async throws -> Void
    ) async throws {
        guard open.count < fixtures.count else { return try await body(open) }
        try await fixtures[open.count].run { client in try await lend(fixtures, open + [client], body) }
    }
}
