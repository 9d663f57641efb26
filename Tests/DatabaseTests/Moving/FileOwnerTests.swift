import Foundation
import OstiaryTesting
import Testing

@testable import Database

/// A move that root runs, beside a server that is another user.
@Suite("Files of a move that root runs", .enabled(if: geteuid() == 0, "only root has them told"), .timeLimit(.minutes(5)))
struct FileOwnerTests {
    /// Of whom the system has no name.
    private static let user: uid_t = 61_234

    @Test("Whose the new file is is told, and none is given to the owner of its folder")
    func target() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("data/it.sqlite")
        try FileManager.default.createDirectory(atPath: folder.file("data"), withIntermediateDirectories: true)
        try #require(chown(folder.file("data"), Self.user, Self.user) == 0)
        let made = try MoveEnd.target(.sqlite(path: file), "new")
        #expect(made.owner == "root")
        for name in [file, file + ".lock"] {
            var status = stat()
            let looked = lstat(name, &status)
            #expect(looked == 0)
            #expect(status.st_uid == 0, "\(name)")
        }
        try await made.close()
        try Data().write(to: URL(fileURLWithPath: file))
        // As an earlier run of the server's user has left it.
        try #require(chown(file, Self.user, Self.user) == 0)
        let theirs = try MoveEnd.target(.sqlite(path: file), "new")
        #expect(theirs.owner == "the user \(Self.user)")
        try await theirs.close()
    }
}
