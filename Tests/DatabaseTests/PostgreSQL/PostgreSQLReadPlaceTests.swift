import OstiaryTesting
import Testing

@testable import Database

/// docs/decisions/0056
@Suite("PostgreSQL: reads stay where writes are", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
struct PostgreSQLReadPlaceTests {
    @Test("A standby that is named first is asked nothing, not even when the server that takes writes is gone: a stop may not have come there yet")
    func standbyFirst() async throws {
        let cluster = try await PostgreSQLCluster()
        let name = try await cluster.makeDatabase()
        try await cluster.startStandby(isSynchronous: false)
        let hosts = [cluster.standbyFolder, cluster.folder].map { PostgreSQLAddress.Host($0) }
        let address = PostgreSQLAddress(hosts: hosts, database: name, user: "ostiary")
        let database = try await onOwnThread { try PostgreSQLDatabase.open(address, settings: .forTests) }
        #expect(try await Self.isStandby(database) == 0)

        try cluster.kill()
        // Until the last of its processes has gone it may still answer.
        var answer: Int64 = 0
        do { while answer == 0 { answer = try await Self.isStandby(database) } } catch SQLError.unavailable {}
        #expect(answer == 0)
        await database.close()
    }

    /// Whether a read is answered by a standby: 1 or 0.
    private static func isStandby(_ database: PostgreSQLDatabase) async throws -> Int64 {
        try await database.read { connection in
            try #require(try connection.one("SELECT pg_is_in_recovery()::int::bigint AS standby")).integer("standby")
        }
    }
}
