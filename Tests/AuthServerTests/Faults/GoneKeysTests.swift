import Database
import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import AuthServer

/// Somebody deletes rows, or restores a backup, beneath a server that runs; `IdentityTests` has it of the second-factor server.
@Suite("Keys gone from beneath an authentication server that runs", .onBothEngines, .timeLimit(.minutes(10)))
struct GoneKeysTests {
    /// Rows that go, each with its table, what refers to others first.
    private struct Loss: Sendable, CustomStringConvertible {
        let description: String
        let rows: [(table: String, condition: String)]
    }

    private static let losses = [
        Loss(description: "the root key", rows: [("server_key", "kind = 'root'")]),
        Loss(description: "the key of session ids", rows: [("server_key", "kind = 'sid'")]),
        Loss(description: "all keys", rows: [("prekey", "1 = 1"), ("server_key", "1 = 1")]),
        Loss(description: "the virtual server", rows: [("prekey", "1 = 1"), ("server_key", "1 = 1"), ("server", "1 = 1")]),
    ]

    @Test("It is not ready and says what to do, calls are 503 with a time to come back, no key is made, and with the same rows it goes on by itself")
    func gone() async throws {
        for loss in Self.losses { try await Self.run(loss) }
    }

    private static func run(_ loss: Loss) async throws {
        let log = LogRecorder()
        try await ServersFixture.run(log: log) { servers async throws in
            try await Application(router: servers.service.adminRouter, logger: log.logger(level: .info)).test(.router) { (admin) async throws in
                let before = try await servers.bundle().bundle.chain.root
                try await expectReady(admin)
                try await take(loss, from: servers.database)
                let left = try await keys(in: servers.database)

                try await look(servers)
                for _ in 0..<3 { try await expectUnready(admin, "\(loss)") }
                for answer in try await answers(of: servers, admin) {
                    let body = String(buffer: answer.body)
                    #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] == "30", "\(loss): \(answer.status) \(body)")
                    #expect(body.contains("storage_unavailable") && !body.contains("restore"), "\(loss): \(body)")
                }
                // The time has come for another prekey.
                servers.clock.advance(13 * 3_600)
                await servers.runBackground()
                #expect(try await keys(in: servers.database) == left, "\(loss)")
                if !loss.rows.contains(where: { $0.table == "server" }) {
                    await #expect(throws: ServerKeyError.keysGone, "\(loss)") { _ = try await servers.start() }
                    #expect(try await keys(in: servers.database) == left, "a start, \(loss)")
                }
                #expect(log.lines("request failed").isEmpty, "\(loss)")
                #expect(log.lines("a readiness check failed").count { $0.facts["work"] == "identity" } == 1, "\(loss)")

                try await bringBack(loss, to: servers.database)
                try await expectReady(admin)
                #expect(try await servers.bundle().bundle.chain.root == before, "\(loss)")
            }
        }
    }

    @Test("A virtual server whose rows have just gone is unknown to nobody, also before it was looked for; another one is")
    func beforeTheLook() async throws {
        let log = LogRecorder()
        try await ServersFixture.run(log: log) { servers async throws in
            try await Application(router: servers.service.adminRouter, logger: log.logger(level: .info)).test(.router) { (admin) async throws in
                func status(_ server: String) async throws -> HTTPResponse.Status {
                    try await admin.execute(uri: "/servers/\(server)", method: .get, headers: [.apiKey: ServersFixture.apiKey]).status
                }
                let (own, stranger) = (servers.server.text + "/", ServerID(using: SystemRandomSource()).text + "/")
                // The list of them too.
                for server in [own, ""] { #expect(try await status(server) == .ok) }
                #expect(try await status(stranger) == .notFound)
                let loss = try #require(Self.losses.first { $0.rows.contains { $0.table == "server" } })
                try await Self.take(loss, from: servers.database)
                for server in [own, stranger, ""] { #expect(try await status(server) == .serviceUnavailable) }
                #expect(log.lines("request failed").isEmpty)
                try await Self.bringBack(loss, to: servers.database)
                try await Self.expectReady(admin)
                for server in [own, ""] { #expect(try await status(server) == .ok) }
                #expect(try await status(stranger) == .notFound)
            }
        }
    }

    @Test("A secret of refresh tokens that is gone is told by the full report and once in the log, and the server stays ready")
    func tokenSecret() async throws {
        let log = LogRecorder()
        try await ServersFixture.run(log: log) { servers async throws in
            try await Application(router: servers.service.adminRouter, logger: log.logger(level: .info)).test(.router) { (admin) async throws in
                func expect(_ words: String) async throws {
                    try await Self.look(servers)
                    try await Self.expectReady(admin)
                    let full = try await Self.ready(admin, "?full=1")
                    let said = String(buffer: full.body)
                    #expect(full.status == .ok && said.contains(#""token-keys":"\#(words)"#) && said.contains(#""identity":"ok""#), "\(said)")
                }
                // Who is no provider has neither.
                try await expect("ok")
                try await ShowingDevice.change(at: servers) { _ in }
                await servers.runBackground()
                try await expect("ok")
                let loss = Loss(description: "the secret of refresh tokens", rows: [("server_key", "kind = 'token-secret'")])
                try await Self.take(loss, from: servers.database)
                for _ in 0..<2 { try await expect("the secret of refresh tokens is gone from the database") }
                #expect(log.lines("a readiness check failed").count { $0.facts["work"] == "token-keys" } == 1)
                try await Self.bringBack(loss, to: servers.database)
                try await expect("ok")
            }
        }
    }

    /// What the server does every ten seconds: a good answer of before counts for others for a few.
    private static func look(_ servers: ServersFixture) async throws {
        let watch = try #require(servers.service.background.compactMap { $0 as? PeriodicTask }.first { $0.name == "readiness" })
        await watch.round()
    }

    private static func ready(_ admin: any TestClientProtocol, _ query: String = "") async throws -> TestResponse {
        try await admin.execute(uri: "/ready\(query)", method: .get)
    }

    private static func expectReady(_ admin: any TestClientProtocol) async throws {
        let answer = try await ready(admin)
        #expect(answer.status == .ok, "\(String(buffer: answer.body))")
    }

    /// Under `identity` alone, of what stands behind it.
    private static func expectUnready(_ admin: any TestClientProtocol, _ loss: String) async throws {
        for query in ["", "?for=logins"] {
            let answer = try await ready(admin, query)
            let said = String(buffer: answer.body)
            #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] == "5", "\(loss): \(said)")
            #expect(said.contains(#""identity":"a virtual server or its keys are gone from beneath this server"#), "\(loss): \(said)")
            #expect(said.contains("restore the whole backup") && !said.contains(#""keys":"#), "\(loss): \(said)")
        }
    }

    /// To a phone that asks for a bundle, and to a site that wants a login.
    private static func answers(of servers: ServersFixture, _ admin: any TestClientProtocol) async throws -> [TestResponse] {
        var headers: HTTPFields = [.apiKey: ServersFixture.apiKey]
        headers[.nonce] = Base64URL.encode(SystemRandomSource().bytes(16))
        let bundle = "/ap1/bundle/\(Base64URL.encode(servers.service.identityHash))"
        return [
            try await servers.phones.execute(uri: bundle, method: .get),
            try await admin.execute(uri: "/servers/\(servers.server.text)/sessions/link/login", method: .get, headers: headers),
        ]
    }

    private static func take(_ loss: Loss, from database: any Database) async throws {
        try await database.transaction { connection in
            for (table, condition) in loss.rows {
                try connection.execute("CREATE TABLE kept_\(table) AS SELECT * FROM \(table) WHERE \(condition)")
                try connection.execute("DELETE FROM \(table) WHERE \(condition)")
            }
        }
    }

    private static func bringBack(_ loss: Loss, to database: any Database) async throws {
        try await database.transaction { connection in
            for (table, _) in loss.rows.reversed() { try connection.execute("INSERT INTO \(table) SELECT * FROM kept_\(table)") }
        }
    }

    /// Of all kinds, those to which phones seal too.
    private static func keys(in database: any Database) async throws -> [String] {
        try await database.read { connection in
            let keys = try connection.query("SELECT kind FROM server_key ORDER BY kind, id").map { try $0.text("kind") }
            return keys + (try connection.query("SELECT id FROM prekey ORDER BY id").map { "\(try $0.integer("id"))" })
        }
    }
}
