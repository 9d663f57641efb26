import Database
import OstiaryTesting
import Testing

@Suite("A move whose PostgreSQL refuses in the middle", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
struct UnreachableMoveTests {
    @Test("It ends with the reason in the words of readiness, whichever of the two it is; given again it goes on", arguments: [true, false])
    func refused(isTarget: Bool) async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        let (postgresql, file) = (try await cluster.open(name), try SQLiteDatabase.inMemory())
        let source: any Database = isTarget ? file : postgresql
        let target: any Database = isTarget ? postgresql : file
        try await source.fillForMove()
        let rows = try await source.movedRows()

        var met: (any Error)?
        do {
            // Who has a connection would stay.
            let end = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = '\(name)'"
            _ = try await Self.move(source, target, isTarget) { try await cluster.run(["ALTER DATABASE \(name) ALLOW_CONNECTIONS false", end]) }
        } catch { met = error }
        let reason = try #require(postgresql.refusal)
        #expect(reason.contains("is not currently accepting connections"), "\(reason)")
        #expect(met as? Unreachable == Unreachable(reason: reason), "\(String(describing: met))")

        try await cluster.run(["ALTER DATABASE \(name) ALLOW_CONNECTIONS true"])
        let report = try await Self.move(source, target, isTarget) {}
        #expect(!report.wasMoved)
        #expect(try await target.movedRows() == rows)
        await postgresql.close()
        try await file.close()
    }

    /// - Parameter meanwhile: behind the first look at the source, or behind the mark of the target.
    private static func move(
        _ source: any Database, _ target: any Database, _ isTarget: Bool, _ meanwhile: @Sendable @escaping () async throws -> Void
    ) async throws -> MoveReport {
        let nothing: @Sendable () async throws -> Void = {}
        let from = MoveEnd(source, url: "sqlite:old", name: "the old one", checkAlone: isTarget ? nothing : meanwhile)
        let to = MoveEnd(target, url: "sqlite:new", name: "the new one", forgetMoved: isTarget ? meanwhile : nothing)
        return try await DatabaseMove(from: from, to: to, schema: movedSchema, batch: 2).run()
    }
}
