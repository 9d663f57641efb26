import Foundation
import OstiaryTesting
import Testing

@testable import Database

@Suite("PostgreSQL: a server that says nothing more", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
struct PostgreSQLSilenceTests {
    /// Waits for a silent server for as long as an idle machine needs. A call that has found its connection silent has the time to find out that the server is.
    private static func hasty(connections: Int) -> PostgreSQLSettings {
        var settings = PostgreSQLSettings.forTests
        (settings.connections, settings.silence, settings.connectTimeout, settings.callTime) = (connections, 1_000, 4_000, 12_000)
        return settings
    }

    @Test("A halted server is asked by one call at a time, all others are told at once; it goes on, and so does everybody, without a restart")
    func halted() async throws {
        let cluster = try await PostgreSQLCluster()
        let (name, socket) = (try await cluster.makeDatabase(), try CuttingSocket(to: cluster.folder))
        let database = try await cluster.open(name, through: socket.socketFolder, settings: Self.hasty(connections: 8))
        try await database.migrate(sampleSchema)
        try await database.countHit()
        _ = await Self.outcomes(of: 8, in: database)
        try await cluster.halted {
            // Found out by whoever has a connection, and by whoever wants one.
            #expect(await Self.outcomes(of: 1, in: database) == [.unavailable])
            for _ in 0..<2 {
                _ = socket.takeConnections()
                #expect(await Self.outcomes(of: 16, in: database).allSatisfy { $0 == .unavailable })
                // Of all that were there at once one has asked; a busy machine may have begun another afterwards.
                #expect((1...2).contains(socket.takeConnections()))
            }
        }
        while await Self.outcomes(of: 1, in: database) != [nil] { try Task.checkCancellation() }
        #expect(await Self.outcomes(of: 16, in: database).allSatisfy { $0 == nil })
        try await database.countHit()
        #expect(try await database.hits() == 2)
        await database.close()
    }

    @Test("One connection that goes silent costs nobody an answer: the call goes on with a new one, and so do all others")
    func oneConnection() async throws {
        let cluster = try await PostgreSQLCluster()
        let name = try await cluster.makeDatabase()
        let database = try await cluster.open(name, settings: Self.hasty(connections: 1))
        try await database.migrate(sampleSchema)
        let process = try await database.read { pid_t(try $0.one("SELECT pg_backend_pid() AS pid")?.int("pid") ?? 0) }
        try #require(process > 1)
        kill(process, SIGSTOP)
        defer { kill(process, SIGCONT) }
        #expect(try await database.hits() == 0)
        try await database.countHit()
        #expect(try await database.hits() == 1)
        await database.close()
    }

    @Test("A call whose time is over before its turn is told so, and nothing of it is begun")
    func late() async throws {
        var settings = PostgreSQLSettings.forTests
        settings.callTime = 0
        let (hurried, runs) = (settings, Runs())
        try await PostgreSQLDatabase.lend(settings: hurried) { database in
            await #expect(throws: SQLError.unavailable) { try await database.read { _ in _ = runs.begin() } }
            // A step of the schema has all the time that it takes.
            try await database.patient.read { _ in _ = runs.begin() }
            // With a connection there, others have had the time.
            await #expect(throws: SQLError.busy) { try await database.read { _ in _ = runs.begin() } }
        }
        #expect(runs.count == 1)
    }

    /// What each of so many calls at once came to, nil for well.
    private static func outcomes(of number: Int, in database: any Database) async -> [SQLError?] {
        await withTaskGroup { group in
            for _ in 0..<number {
                group.addTask { () -> SQLError? in
                    do { _ = try await database.hits() } catch { return error as? SQLError }
                    return nil
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}
