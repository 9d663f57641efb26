import Database
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

/// Attack 92 on a database file; ``RefusingDatabaseTests`` and ``ReadOnlyRoleTests`` have it on PostgreSQL.
@Suite("A table gone from a database file beneath a server", .timeLimit(.minutes(5)))
struct GoneTableTests {
    @Test(
        "A92 a table gone from a file beneath a server that runs: 503, and readiness says why and what to do; callers hear none of it, and the table mends it"
    )
    func gone() async throws {
        let (folder, log) = (try TemporaryFolder(), LogRecorder())
        let path = folder.file("ostiary.sqlite")
        let database = try SQLiteDatabase.open(path: path)
        try await ServersFixture.run(database: database, log: log) { servers async throws in
            try await Application(router: servers.service.adminRouter, logger: log.logger()).test(.router) { client in
                let sessions = "/servers/\(servers.server.text)/sessions/"
                let ask = { @Sendable (path: String) async throws -> TestResponse in
                    var headers: HTTPFields = [.apiKey: ServersFixture.apiKey]
                    headers[.nonce] = Base64URL.encode(SystemRandomSource().bytes(16))
                    return try await client.execute(uri: path, method: .get, headers: headers)
                }
                #expect(try await ask(sessions + "qr/login").status == .ok)
                try await Self.rename("session", to: "gone", in: path)
                for answer in [try await ask(sessions), try await ask(sessions + "qr/login")] {
                    let body = String(buffer: answer.body)
                    #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] == "30", "\(answer.status) \(body)")
                    #expect(body.contains("storage_unavailable") && !body.contains("table"), "\(body)")
                }
                let ready = try await client.execute(uri: "/ready", method: .get)
                let said = String(buffer: ready.body)
                #expect(ready.status == .serviceUnavailable && said.contains("a table of this server is not there"), "\(said)")
                #expect(said.contains("stop the server, restore a backup, start it again"), "\(said)")
                #expect(log.lines("request failed").isEmpty)
                #expect(log.lines("requests fail until this is mended").count == 1)
                try await Self.rename("gone", to: "session", in: path)
                #expect(try await ask(sessions + "qr/login").status == .ok)
            }
        }
        try await database.close()
    }

    /// As somebody does at a prompt.
    private static func rename(_ table: String, to name: String, in path: String) async throws {
        let prompt = try SQLiteDatabase.open(path: path, ownership: .shared, readers: 1)
        try await prompt.transaction { try $0.execute("ALTER TABLE \(table) RENAME TO \(name)") }
        try await prompt.close()
    }
}
