import OstiaryTesting
import Testing

@testable import Database

@Suite("PostgreSQL: an old primary that was not fenced", .timeLimit(.minutes(5)))
struct OldPrimaryTests {
    @Test(
        "Beside the server that was promoted it is told at a start, in whatever order they are named; a program that runs takes it for the right one no more",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func promoted() async throws {
        let cluster = try await PostgreSQLCluster()
        let name = try await cluster.makeDatabase()
        let (old, new) = (cluster.folder, cluster.standbyFolder)
        try await cluster.startStandby(isSynchronous: false)
        let running = try await Self.open(name, at: [old, new])
        #expect(try await Self.server(of: running) == "")
        try await cluster.promoteStandby()
        for hosts in [[old, new], [new, old]] {
            let reason = await Self.refusal(of: name, at: hosts)
            let places = [old: "\(old):5432 on timeline 1", new: "\(new):5432 on timeline 2"]
            #expect(reason.contains("2 of its hosts take writes"), "\(reason)")
            #expect(reason.contains(hosts.compactMap { places[$0] }.joined(separator: ", ")) && reason.contains("fence \(old):5432,"), "\(reason)")
        }
        // Not by two names of one.
        let socket = try CuttingSocket(to: new)
        try await Self.open(name, at: [new, socket.socketFolder]).close()

        try cluster.kill()
        // Until the last of its processes has gone it may still answer.
        while (try? await Self.server(of: running)) != "standby" { try Task.checkCancellation() }
        try await cluster.restart()
        try cluster.killStandby()
        while (try? await Self.server(of: running)) == "standby" { try Task.checkCancellation() }
        await #expect(throws: SQLError.unavailable) { try await Self.server(of: running) }
        let told = try #require(running.refusal)
        #expect(told.hasPrefix("\(old):5432: it is on timeline 1, and another was promoted to timeline 2"), "\(told)")
        // Whoever has seen nothing else takes what is there: that is left to fencing.
        try await Self.open(name, at: [old, new]).close()
        await running.close()
    }

    @Test(
        "A server whose commits wait for the standby that was promoted is left by whoever only reads there, with a look of readiness; one of which none waits is not",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func successor() async throws {
        let cluster = try await PostgreSQLCluster()
        let name = try await cluster.makeDatabase()
        let folders = [cluster.folder, cluster.standbyFolder]
        try await cluster.startStandby(isSynchronous: true)
        let (reading, writing) = (try await Self.open(name, at: folders, silence: 10_000), try await Self.open(name, at: folders, silence: 10_000))
        try await writing.transaction { connection in try connection.execute("CREATE TABLE thing (number INTEGER)") }
        #expect(try await Self.server(of: reading) == "")
        try await cluster.promoteStandby()
        for _ in 0..<3 {
            try await reading.checkInPlace()
            #expect(try await Self.server(of: reading) == "")
        }
        // Acknowledged to nobody, and waited for by its server for good.
        await #expect(throws: SQLError.self) { try await writing.transaction { try $0.execute("INSERT INTO thing VALUES (1)") } }
        while (try? await Self.server(of: reading)) != "standby" {
            try Task.checkCancellation()
            try? await reading.checkInPlace()
        }
        try await reading.checkInPlace()
        for database in [reading, writing] { await database.close() }
    }

    @Test(
        "A connection that is there and leads to a lower one is given up by the look of readiness, which asks by another",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func left() async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        let database = try await Self.open(name, at: [cluster.folder])
        try await database.checkInPlace()
        #expect(database.connector.timelines.note(ServerTimeline(number: 2, began: 0)) == nil)
        await #expect(throws: Unreachable.self) { try await database.checkInPlace() }
        #expect(database.refusal?.contains("it is on timeline 1, and another was promoted to timeline 2") == true)
        await database.close()
    }

    @Test("A program goes up with the timelines that it sees, and not down; what has none is a standby, which is refused as such")
    func seen() throws {
        let seen = SeenTimelines()
        for number in [1, 1, 3, 10] { #expect(seen.note(ServerTimeline(number: number, began: 0)) == nil) }
        let objection = try #require(seen.note(ServerTimeline(number: 3, began: 0)))
        // Of several hosts each has 200 characters.
        #expect(objection.hasPrefix("it is on timeline 3, and another was promoted to timeline 10") && objection.count < 200)
        #expect(seen.note(nil) == nil && seen.note(ServerTimeline(number: 10, began: 1)) == nil)
    }

    @Test("The timeline is read as the name of a file of the log has it, sixteen by sixteen")
    func row() throws {
        func timeline(_ text: SQLValue) throws -> ServerTimeline? {
            try ServerTimeline(SQLRow(columns: SQLColumns(names: ["timeline", "began"]), values: [text, .integer(7)]))
        }
        #expect(try timeline(.text("0000001A")) == ServerTimeline(number: 26, began: 7))
        #expect(try timeline(.null) == nil)
    }

    @Test("Where no timeline is the highest alone it is not said which one to fence")
    func words() {
        func words(_ timelines: Int...) -> String? {
            HostWriting.words(timelines.enumerated().map { HostWriting(host: .init("db\($0)"), timeline: $1) })
        }
        #expect(words(4) == nil && words() == nil)
        #expect(words(4, 5, 4)?.contains("3 of its hosts take writes") == true && words(4, 5, 4)?.contains("fence db0:5432 and db2:5432,") == true)
        #expect(words(5, 5)?.contains("fence all but the one") == true && words(4, 5, 5)?.contains("fence all but the one") == true)
    }

    /// - Parameter silence: milliseconds after which no answer is waited for; nil for the usual of tests.
    private static func open(_ name: String, at folders: [String], silence: Int? = nil) async throws -> PostgreSQLDatabase {
        let address = PostgreSQLAddress(hosts: folders.map { PostgreSQLAddress.Host($0) }, database: name, user: "ostiary")
        var settings = PostgreSQLSettings.forTests
        settings.silence = silence ?? settings.silence
        return try await onOwnThread { [settings] in try PostgreSQLDatabase.open(address, settings: settings) }
    }

    /// Why it is not opened there.
    private static func refusal(of name: String, at folders: [String]) async -> String {
        do {
            try await open(name, at: folders).close()
            return ""
        } catch DatabaseOpenError.cannotOpen(_, let reason) { return reason } catch { return "\(error)" }
    }

    /// The name of the server that answers.
    private static func server(of database: PostgreSQLDatabase) async throws -> String? {
        try await database.rows("SELECT current_setting('cluster_name') AS name", []).first?.text("name")
    }
}
