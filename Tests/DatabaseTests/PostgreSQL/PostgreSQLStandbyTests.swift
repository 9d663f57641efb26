import OstiaryTesting
import Testing

@testable import Database

@Suite("PostgreSQL: whether a second machine keeps what is committed")
struct PostgreSQLStandbyTests {
    @Test(
        "As many standbys are needed as the setting counts, whatever its form",
        arguments: [
            ("db2", 1), ("*", 1), ("a, b", 1), ("FIRST 2 (a, b)", 2), ("ANY 1 (a, b)", 1), ("any 3(a,b,c)", 3), ("2 (a, b)", 2), (#""ANY 3 (x""#, 1),
        ])
    func needed(_ names: String, _ number: Int) {
        func trouble(_ found: Int) -> NoStandby? { StandbyStanding(names: names, found: found, isTold: true, role: "ostiary").trouble }
        #expect(trouble(number) == nil && trouble(number + 1) == nil)
        #expect(trouble(number - 1) == .absent(names: names, found: number - 1, needed: number))
    }

    @Test("What is said first is what is to be done first: a setting, then a right, then a standby")
    func order() {
        #expect(StandbyStanding(names: " ", found: 0, isTold: false, role: "ostiary").trouble == .notAwaited)
        #expect(StandbyStanding(names: "db2", found: 0, isTold: false, role: "ostiary").trouble == .hidden(role: "ostiary"))
        #expect(NoStandby.hidden(role: "ostiary").description.hasSuffix("GRANT pg_read_all_stats TO ostiary"))
    }

    @Test("A file has none")
    func file() async throws {
        await #expect(throws: NoStandby.file) { try await SQLiteDatabase.inMemory().checkStandby() }
    }

    @Test(
        "A server without one, one that waits for none, one that is told nothing and one whose standby is gone say each what is missing",
        .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
    func server() async throws {
        let cluster = try await PostgreSQLCluster()
        let name = try await cluster.makeDatabase()
        let database = try await cluster.open(name)
        await #expect(throws: NoStandby.notAwaited) { try await database.checkStandby() }
        try await cluster.startStandby(isSynchronous: false)
        // One that follows, and for which nobody waits.
        await #expect(throws: NoStandby.notAwaited) { try await database.checkStandby() }
        try await cluster.awaitStandby()
        try await database.checkStandby()

        try await cluster.run(["CREATE ROLE plain LOGIN"])
        let address = cluster.address(of: name, as: "plain")
        let plain = try await onOwnThread { try PostgreSQLDatabase.open(address, settings: .forTests) }
        await #expect(throws: NoStandby.hidden(role: "plain")) { try await plain.checkStandby() }
        try await cluster.run(["GRANT pg_read_all_stats TO plain"])
        try await plain.checkStandby()
        await plain.close()

        try await cluster.change("synchronous_standby_names", to: "FIRST 2 (standby, other)")
        await #expect(throws: NoStandby.absent(names: "FIRST 2 (standby, other)", found: 1, needed: 2)) { try await database.checkStandby() }
        await database.close()
    }
}
