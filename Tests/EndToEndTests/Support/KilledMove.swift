import AuthServer
import Foundation
import OstiaryTesting
import SecondFactorServer
import Testing

@testable import Database

/// `ostiary admin move-database` of one server, ended by force in the middle and given again. PostgreSQL is reached by a socket at which the rows
/// of one table stay, so that the middle is a place and no moment.
struct KilledMove: Sendable {
    enum Direction: Sendable { case toPostgreSQL, toSQLite }

    /// As the command names them.
    let from: String
    let to: String

    private let direction: Direction
    private let file: String
    private let name: String
    private let cluster: PostgreSQLCluster
    private let socket: CuttingSocket

    /// - Parameters:
    ///   - file: of the one on SQLite.
    ///   - name: of the one on PostgreSQL.
    init(_ direction: Direction, file: String, database name: String, of cluster: PostgreSQLCluster) throws {
        (self.direction, self.file, self.name, self.cluster) = (direction, file, name, cluster)
        socket = try CuttingSocket(to: cluster.folder)
        let (here, there) = ("sqlite:\(file)", "postgresql://ostiary@/\(name)?host=\(socket.socketFolder)")
        (from, to) = direction == .toPostgreSQL ? (here, there) : (there, here)
    }

    /// Begins it, and ends it by force where some tables are there and others are not.
    func kill() async throws {
        let table = try await middle()
        socket.hold(at: direction == .toPostgreSQL ? "INSERT INTO \"\(table)\"" : "FROM \"\(table)\" ORDER BY")
        let program = try start()
        try await eventually("\(table) has its turn: \(program.complaints)") { socket.isHolding || !program.isRunning }
        program.signal(SIGKILL)
        #expect(try await program.end() == 128 + SIGKILL, "\(program.complaints)")
        socket.hold(at: nil)
        try await expectMiddle(at: table)
    }

    /// The same command once more, to its end.
    func again() async throws -> Program {
        let program = try start()
        try await program.end()
        return program
    }

    private func start() throws -> Program { try Program(["admin", "move-database", "--from", from, "--to", to]) }

    /// A table with rows, before and behind which others with rows have their turn.
    private func middle() async throws -> String {
        let source: any Database = if direction == .toPostgreSQL { try SQLiteDatabase.open(path: file) } else { try await cluster.open(name) }
        let tables = try await TableShape.inOrder(of: source).map(\.name).filter { !MovableSchema.stepTables.contains($0) }
        let filled = try await source.read { connection -> [String] in
            try tables.filter { try connection.one("SELECT 1 AS found FROM \"\($0)\" LIMIT 1") != nil }
        }
        try await source.close()
        // By these a move knows whose rows they are: it reads them before all others.
        let ownNames = MovableSchema.authServer.identifiedBy.union(MovableSchema.secondFactorServer.identifiedBy)
        let others = filled.filter { !ownNames.contains($0) }
        try #require(others.count >= 3)
        return others[others.count / 2]
    }

    /// What was left says so: of a file a copy is looked at, since a look would fold in what lies beside it.
    private func expectMiddle(at table: String) async throws {
        guard direction == .toSQLite else {
            let target = try await cluster.open(name)
            try await Self.expectMiddle(of: target, at: table)
            return await target.close()
        }
        let folder = try TemporaryFolder()
        for end in ["", "-wal"] where FileManager.default.fileExists(atPath: file + end) {
            try FileManager.default.copyItem(atPath: file + end, toPath: folder.file("left.sqlite") + end)
        }
        let target = try SQLiteDatabase.open(path: folder.file("left.sqlite"))
        try await Self.expectMiddle(of: target, at: table)
        try await target.close()
    }

    private static func expectMiddle(of target: any Database, at table: String) async throws {
        let (whole, reached) = try await target.read { connection -> (Int, TableProgress) in
            let question = "SELECT COUNT(*) AS found FROM \(UnfinishedMove.progressTable) WHERE is_whole = 1 AND copied > 0"
            return (try connection.one(question)?.int("found") ?? 0, try TableProgress(of: table, on: connection))
        }
        #expect(whole > 0, "tables that are there")
        #expect(reached.copied == 0 && !reached.isWhole, "\(table)")
    }
}
