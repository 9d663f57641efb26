import Database
import Foundation
import OstiaryTesting
import Testing

@testable import ostiary

/// Both servers as programs on a database from which was moved. docs/decisions/0058
@Suite("Starts on a database from which was moved", .enabled(if: PostgreSQLCluster.isInstalled))
struct MovedStartTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func start(_ command: String, _ more: [String: String] = [:]) async throws -> Program {
        let program = try Program([command, "--data", folder.file("data"), "--print-identity"], environment: more)
        _ = try await program.end()
        return program
    }

    private func expectRefused(_ program: Program, saying words: String) {
        #expect(program.exitCode == 1 && program.complaintLines.count == 1 && program.lines.isEmpty, "\(program.complaints)")
        #expect(program.complaints.contains(words), "\(program.complaints)")
    }

    @Test(
        "With a URL that was lost no server starts on the old file, also when that was removed: the line says where it went, and how it starts all the same",
        arguments: ["serve", "second-factor"])
    func lostURL(_ command: String) async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        let first = try await start(command)
        #expect(first.exitCode == 0, "\(first.complaints)")
        let file = folder.file("data/\(command == "serve" ? "ostiary" : "second-factor").sqlite")
        let url = "postgresql://ostiary@/\(name)?host=\(cluster.folder)"
        let arguments = ["admin", "move-database", "--from", "sqlite:\(file)", "--to", url]
        // What nobody takes is not the end of the move.
        let untold = try Program(arguments, shell: "exec \"$0\" \"$@\" >/dev/full")
        #expect(try await untold.end() == 1)
        let done = "standard output takes nothing: no space left on device; the move itself is done: run the same command again"
        #expect(untold.complaintLines.last?.contains(done) == true, "\(untold.complaints)")
        let move = try Program(arguments)
        #expect(try await move.end() == 0, "\(move.complaints)")
        #expect(move.output.contains("are in the new database already"), "\(move.output)")
        #expect(move.lines.last?.hasSuffix("it says where its rows are now, and no server starts on it") == true, "\(move.output)")
        let words = "the database \(file) was moved to \(url) (\(file).moved): name that one; its URL was lost from the settings, perhaps"
        // Before the new one has run, and after.
        let before = try await start(command)
        expectRefused(before, saying: words)
        // Nor does it move once more; no other database is opened for it.
        let once = try Program(["admin", "move-database", "--from", "sqlite:\(file)", "--to", "postgresql:///none?host=\(folder.path)"])
        _ = try await once.end()
        expectRefused(once, saying: "the database \(file) was moved to \(url) already (\(file).moved)")
        let moved = try await start(command, cluster.settings([command: name]))
        #expect(moved.exitCode == 0 && moved.lines == first.lines, "\(moved.complaints)")
        let lost = try await start(command)
        expectRefused(lost, saying: words)
        if command == "second-factor" {
            // A block that is lifted there would be lifted nowhere.
            let reset = try Program(["second-factor", "reset", "--data", folder.file("data"), String(repeating: "A", count: 22)])
            _ = try await reset.end()
            expectRefused(reset, saying: words)
        }

        try FileManager.default.moveItem(atPath: file, toPath: file + ".kept")
        let gone = try await start(command)
        expectRefused(gone, saying: words)
        #expect(!FileManager.default.fileExists(atPath: file))

        // On purpose.
        try FileManager.default.moveItem(atPath: file + ".kept", toPath: file)
        try FileManager.default.removeItem(atPath: file + ".moved")
        let again = try await start(command)
        #expect(again.exitCode == 0 && again.lines == first.lines, "\(again.complaints)")
        cluster.leave(name)
    }

    @Test(
        "Nor on a PostgreSQL from which was moved to a file, until that is taken back there as the line says", arguments: ["serve", "second-factor"])
    func toFile(_ command: String) async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        let first = try await start(command, cluster.settings([command: name]))
        #expect(first.exitCode == 0, "\(first.complaints)")
        let url = "postgresql://ostiary@/\(name)?host=\(cluster.folder)"
        let file = folder.file("new.sqlite")
        let move = try Program(["admin", "move-database", "--from", url, "--to", "sqlite:\(file)"])
        #expect(try await move.end() == 0, "\(move.complaints)")
        let refused = try await start(command, cluster.settings([command: name]))
        expectRefused(refused, saying: "was moved to sqlite:\(file) (a comment on its table schema_version): name that one")
        let setting = command == "serve" ? "OSTIARY_DATABASE_URL" : "OSTIARY_SF_DATABASE_URL"
        let moved = try await start(command, [setting: "sqlite:\(file)"])
        #expect(moved.exitCode == 0 && moved.lines == first.lines, "\(moved.complaints)")

        let statement = "COMMENT ON TABLE schema_version IS NULL"
        #expect(refused.complaints.contains("run \(statement) there"))
        try await cluster.run([statement], in: name)
        let again = try await start(command, cluster.settings([command: name]))
        #expect(again.exitCode == 0 && again.lines == first.lines, "\(again.complaints)")
        cluster.leave(name)
    }
}
