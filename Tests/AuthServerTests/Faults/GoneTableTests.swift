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
@Suite("A table, or its key, gone from a database file beneath a server", .timeLimit(.minutes(5)))
struct GoneTableTests {
    @Test(
        "A92 a table gone from a file beneath a server that runs: 503, and readiness says why and what to do; callers hear none of it, and the table mends it"
    )
    func gone() async throws {
        let harm = ["ALTER TABLE session RENAME TO gone"]
        try await Self.expectOutage(of: ["", "qr/login"], by: harm, mendedBy: ["ALTER TABLE gone RENAME TO session"]) { ask in
            let (ready, said) = try await ask("/ready")
            #expect(ready == .serviceUnavailable && said.contains("a table of this server is not there"), "\(said)")
            #expect(said.contains("stop the server, restore a backup, start it again"), "\(said)")
        }
    }

    @Test(
        "A92 a table of a file made anew without its key beneath a server that runs: 503, readiness for logins says what is lacking, and the right table mends it"
    )
    func keyGone() async throws {
        let harm = ["ALTER TABLE session RENAME TO kept", "CREATE TABLE session AS SELECT * FROM kept"]
        try await Self.expectOutage(of: ["qr/login"], by: harm, mendedBy: ["DROP TABLE session", "ALTER TABLE kept RENAME TO session"]) { ask in
            #expect(try await ask("/ready").status == .ok)
            let (ready, said) = try await ask("/ready?for=logins")
            // Its other indexes went with the former one: so many are told by their names.
            #expect(ready == .serviceUnavailable && said.contains("(the primary key of session; the index session_"), "\(said)")
            #expect(said.contains("a server that runs goes on by itself"), "\(said)")
        }
    }

    private typealias Ask = @Sendable (_ path: String) async throws -> (status: HTTPResponse.Status, said: String)

    /// - Parameters:
    ///   - calls: of backends, which fail meanwhile; below the path of sessions.
    ///   - harm: statements that somebody runs at a prompt, beneath the server.
    ///   - cure: likewise.
    ///   - look: at the health of the server between the two.
    private static func expectOutage(
        of calls: [String], by harm: [String], mendedBy cure: [String], _ look: @Sendable @escaping (Ask) async throws -> Void
    ) async throws {
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
                try await Self.run(harm, in: path)
                for call in calls {
                    let answer = try await ask(sessions + call)
                    let body = String(buffer: answer.body)
                    #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] == "30", "\(answer.status) \(body)")
                    #expect(body.contains("storage_unavailable") && !body.contains("table") && !body.contains("schema"), "\(body)")
                }
                try await look { path in
                    let answer = try await client.execute(uri: path, method: .get)
                    return (answer.status, String(buffer: answer.body))
                }
                #expect(log.lines("request failed").isEmpty)
                #expect(log.lines("requests fail until this is mended").count == 1)
                try await Self.run(cure, in: path)
                #expect(try await ask(sessions + "qr/login").status == .ok)
            }
        }
        try await database.close()
        withExtendedLifetime(folder) {}
    }

    /// As somebody does at a prompt.
    private static func run(_ statements: [String], in path: String) async throws {
        let prompt = try SQLiteDatabase.open(path: path, ownership: .shared, readers: 1)
        for statement in statements { try await prompt.transaction { try $0.execute(statement) } }
        try await prompt.close()
    }
}
