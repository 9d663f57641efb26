import Database
import Foundation
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// Programs that are started while somebody at a prompt has locked the table under whose lock the schema is brought up to date.
@Suite("Starts that wait on PostgreSQL", .enabled(if: PostgreSQLCluster.isInstalled))
struct WaitingStartTests {
    private static let lock = "waits for a lock on the table schema_version of the database"

    private func hold(_ url: String?) async throws -> TableHolder {
        guard case .postgresql(let address) = try DatabaseURL(parsing: try #require(url)) else { throw Timeout(description: "no PostgreSQL") }
        return try await TableHolder("schema_version", at: address)
    }

    @Test("A server that waits says so in its log, with who is in the way, and runs when that one lets go")
    func servers() async throws {
        let pair = try await ProcessesFixture(on: .postgresql)
        let holders = [
            try await hold(pair.databaseSettings["OSTIARY_SF_DATABASE_URL"]), try await hold(pair.databaseSettings["OSTIARY_DATABASE_URL"]),
        ]
        try pair.secondFactor.start()
        try pair.authentication.start()
        for (server, holder) in zip([pair.secondFactor, pair.authentication], holders) {
            try await eventually("it says that it waits: \(server.complaints)") { server.complaints.contains(Self.lock) }
            #expect(server.complaints.contains("the start waits for others"), "\(server.complaints)")
            #expect(server.complaints.contains("behind pid \(holder.session) (psql): "), "\(server.complaints)")
            #expect(server.program?.isRunning == true && !server.complaints.contains("server runs"), "\(server.complaints)")
        }
        for holder in holders { try await holder.letGo() }
        try await pair.waitUntilReady()
        for server in [pair.secondFactor, pair.authentication] { #expect(server.complaints.contains("server runs"), "\(server.complaints)") }
        try await pair.stop()
    }

    @Test(
        "A command that waits says so on standard error, and does what it was asked when that one lets go",
        arguments: [["serve", "--print-identity"], ["second-factor", "--print-identity"], ["second-factor", "reset", "-YaRZXWkPS3R6TDgELjPKA"]])
    func commands(_ words: [String]) async throws {
        let cluster = try await PostgreSQLCluster.shared
        let (name, folder) = (try await cluster.makeDatabase(), try TemporaryFolder())
        defer { cluster.leave(name) }
        let settings = cluster.settings([words[0]: name])
        let identity = try await ProcessesFixture.identity([words[0], "--data", folder.file("data")], environment: settings)
        let holder = try await hold(settings.values.first)
        let program = try Program(words + ["--data", folder.file("data")], environment: settings)
        try await eventually("it says that it waits: \(program.complaints)") { program.complaints.contains(Self.lock) }
        let isReset = words.contains("reset")
        let beginning = "ostiary \(words[0])\(isReset ? " reset" : ""): \(Self.lock) "
        #expect(program.complaintLines.first?.hasPrefix(beginning) == true, "\(program.complaints)")
        #expect(program.complaints.contains("behind pid \(holder.session) (psql): "), "\(program.complaints)")
        #expect(program.isRunning && program.lines.isEmpty, "\(program.output)")
        try await holder.letGo()
        // Nobody has that instance.
        #expect(try await program.end() == (isReset ? 1 : 0), "\(program.complaints)")
        #expect(program.lines == (isReset ? [] : [identity]), "\(program.output)")
        if isReset { #expect(program.complaints.contains("refused: no phone has that instance here"), "\(program.complaints)") }
    }
}
