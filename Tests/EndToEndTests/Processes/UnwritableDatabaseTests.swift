import Foundation
import OstiaryTesting
import Testing

@Suite("A database file that the server's user may not write", .enabled(if: BoundStart.isPossible), .timeLimit(.minutes(5)))
struct UnwritableDatabaseTests {
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
        try await BoundStart.expectTold(start, saying: "\(file): permission denied: run chmod u+rw \(file) as ")
        try #require(chmod(file, 0o600) == 0 && chmod(data, 0o500) == 0)
        // SQLite says the same of the file as of a folder in which no log can be made.
        try await BoundStart.expectTold(start, saying: ": run chmod u+wx \(data) as ")
        try #require(chmod(data, 0o700) == 0)
        #expect(try await ProcessesFixture.identity(start) == identity)

        try FileManager.default.createDirectory(atPath: bare, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o500])
        try await BoundStart.expectTold([command, "--data", bare], saying: ".first-start: permission denied: run chmod u+wx \(bare) as ")
        #expect(try FileManager.default.contentsOfDirectory(atPath: bare).isEmpty)
    }

    @Test(
        "Of another user's folder that cannot be looked into it is told that, with the mode which that needs, and not that others have something there",
        .enabled(if: geteuid() == 0), arguments: ["serve", "second-factor"])
    func closed(_ command: String) async throws {
        let folder = try TemporaryFolder()
        let data = folder.file("data")
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        try #require(chown(data, 61_234, 61_234) == 0 && chmod(data, 0o711) == 0)
        let words = ", and it cannot be looked into, so it may be this server's alone or not "
        let remedy = "(to look root needs r and x on it, as mode 0755 has them): run this as "
        try await BoundStart.expectTold([command, "--data", data], saying: words + remedy)
        try #require(chmod(data, 0o755) == 0)
        try await BoundStart.expectTold([command, "--data", data], saying: ", run chown -h root \(data) as root; or name another folder")
    }

    @Test(
        "A file beside it that SQLite opens and does not name is told by its name: one that may not be read, and a folder in its place",
        arguments: ["serve", "second-factor"], ["-wal", "-shm", "-journal"])
    func beside(_ command: String, suffix: String) async throws {
        let folder = try TemporaryFolder()
        let start = [command, "--data", folder.file("data")]
        let identity = try await ProcessesFixture.identity(start)
        let name = "data/\(command == "serve" ? "ostiary" : "second-factor").sqlite\(suffix)"
        let file = folder.file(name)
        // Not empty: of an empty journal SQLite takes no notice.
        _ = try folder.write("left", to: name, mode: 0)
        try await BoundStart.expectTold(start, saying: ": run chmod u+rw \(file) as ")
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
        try await BoundStart.expectTold(start, saying: ": \(file) is a folder, and a file is to be there: move the folder elsewhere, ")
        try FileManager.default.removeItem(atPath: file)
        #expect(try await ProcessesFixture.identity(start) == identity)
    }
}
