import Database
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OstiaryTesting
import SecondFactorServer
import Testing

@Suite("A second-factor server that is to outlive its database's machine")
struct HighlyAvailableTests {
    private static let key = KeyEncryptionKey.random()

    private static func node(on database: any Database, needsStandby: Bool = true) async throws -> SecondFactorNode {
        try await SecondFactorNode(
            SecondFactorNodeSettings(trustedRoots: [], needsStandby: needsStandby), over: database, key: key, by: TestClock())
    }

    @Test("On a file it does not start, and makes nothing there; nobody else is asked for a standby")
    func file() async throws {
        let database = try SQLiteDatabase.inMemory()
        await #expect(throws: NoStandby.file) { _ = try await Self.node(on: database) }
        let tables = try await database.read { try $0.one("SELECT COUNT(*) AS found FROM sqlite_master")?.int("found") }
        #expect(tables == 0)
        _ = try await Self.node(on: database, needsStandby: false)
    }

    @Test(
        "It starts where a synchronous standby follows, is ready while it does, and says what is to be done when it is gone",
        .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
    func standby() async throws {
        let cluster = try await PostgreSQLCluster()
        let database = try await cluster.open(try await cluster.makeDatabase())
        await #expect(throws: NoStandby.notAwaited) { _ = try await Self.node(on: database) }
        try await cluster.startStandby(isSynchronous: true)
        #expect(try await Self.ready(Self.node(on: database)) == (.ok, #"{"ready":true}"#))

        let node = try await Self.node(on: database)
        try cluster.killStandby()
        // The server notices by itself.
        while await Self.hasStandby(database) { try Task.checkCancellation() }
        let told = try await Self.ready(node)
        #expect(told.status == .serviceUnavailable)
        #expect(told.said.contains(#""standby":"0 of 1 synchronous standbys are connected"#), "\(told.said)")
        await #expect(throws: NoStandby.absent(names: "standby", found: 0, needed: 1)) { _ = try await Self.node(on: database) }
        await database.close()
    }

    private static func hasStandby(_ database: PostgreSQLDatabase) async -> Bool { (try? await database.checkStandby()) != nil }

    private static func ready(_ node: SecondFactorNode) async throws -> (status: HTTPResponse.Status, said: String) {
        try await Application(router: node.healthRouter).test(.router) { (client) async throws in
            let answer = try await client.execute(uri: "/ready", method: .get)
            return (answer.status, String(buffer: answer.body))
        }
    }
}
