import Foundation
import OstiaryTesting
import Testing

/// Takes from root what lets it write whatever a mode says.
private let setpriv = "/usr/bin/setpriv"

@Suite(
    "A database file that the server's user may not write", .enabled(if: geteuid() != 0 || FileManager.default.isExecutableFile(atPath: setpriv)),
    .timeLimit(.minutes(5)))
struct UnwritableDatabaseTests {
    /// Has a start, whoever runs the test, say why it ends and what to do.
    private func expectTold(_ arguments: [String], _ words: String) async throws {
        let bound = "exec \(setpriv) --bounding-set=-dac_override,-dac_read_search --inh-caps=-all \"$0\" \"$@\""
        let program = try Program(arguments + ["--print-identity"], shell: geteuid() == 0 ? bound : nil)
        #expect(try await program.end() == 1)
        #expect(program.complaintLines.count == 1 && program.output.isEmpty, "\(program.complaints)")
        #expect(program.complaints.contains(words), "\(program.complaints)")
    }

    @Test(
        "A start names the file or folder that is in its way and the command that opens it; with that it goes on as before",
        arguments: ["serve", "second-factor"])
    func told(_ command: String) async throws {
        let folder = try TemporaryFolder()
        let (data, bare) = (folder.file("data"), folder.file("bare"))
        let file = "\(data)/\(command == "serve" ? "ostiary" : "second-factor").sqlite"
        let start = [command, "--data", data]
        let identity = try await ProcessesFixture.identity(start)

        try #require(chmod(file, 0o400) == 0)
        try await expectTold(start, "\(file): permission denied: run chmod u+rw \(file) as ")
        try #require(chmod(file, 0o600) == 0 && chmod(data, 0o500) == 0)
        // SQLite says the same of the file as of a folder in which no log can be made.
        try await expectTold(start, ": run chmod u+wx \(data) as ")
        try #require(chmod(data, 0o700) == 0)
        #expect(try await ProcessesFixture.identity(start) == identity)

        try FileManager.default.createDirectory(atPath: bare, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o500])
        try await expectTold([command, "--data", bare], ".first-start: permission denied: run chmod u+wx \(bare) as ")
        #expect(try FileManager.default.contentsOfDirectory(atPath: bare).isEmpty)
    }
}
