import Foundation
import OstiaryTesting
import Testing

@testable import Database

/// A move that root runs, beside a server that is another user.
@Suite("Files of a move that root runs", .enabled(if: geteuid() == 0, "only root may give files away"), .timeLimit(.minutes(5)))
struct FileOwnerTests {
    /// Of whom the system has no name.
    private static let user: uid_t = 61_234

    private let folder: TemporaryFolder
    private var file: String { folder.file("data/it.sqlite") }

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.file("data"), withIntermediateDirectories: true)
        try #require(chown(folder.file("data"), Self.user, Self.user) == 0)
    }

    /// Who owns what is beside the database, by the ends of their names.
    private func owners() throws -> [String: uid_t] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("data"))
        return Dictionary(
            uniqueKeysWithValues: names.map { name in
                var status = stat()
                lstat(folder.file("data/\(name)"), &status)
                return (String(name.dropFirst("it.sqlite".count)), status.st_uid)
            })
    }

    @Test("A new file, and all beside it, is that of the owner of its folder, and so it is told; one that an earlier run has left as root's, too")
    func target() async throws {
        for _ in 0..<2 {
            let end = try MoveEnd.target(.sqlite(path: file), "new")
            #expect(end.owner == "the user \(Self.user)")
            try await end.database.transaction { connection -> Void in
                try connection.execute("CREATE TABLE IF NOT EXISTS unfinished_move (id INTEGER PRIMARY KEY, source TEXT)")
            }
            let owners = try owners()
            #expect(owners[""] != nil && owners[".lock"] != nil && owners["-wal"] != nil, "\(owners)")
            #expect(owners.values.allSatisfy { $0 == Self.user }, "\(owners)")
            try await end.close()
            for end in ["", ".lock"] { try #require(chown(file + end, 0, 0) == 0) }
        }
    }

    @Test("Beside the old file the word where its rows went, and a lock file that was missing, are its owner's; the file itself is left as it is")
    func source() async throws {
        let database = try openDatabase(.sqlite(path: file))
        try await database.beginSchema()
        try await database.close()
        try FileManager.default.removeItem(atPath: file + ".lock")
        for owner in [0, Self.user] {
            try #require(chown(file, owner, owner) == 0)
            let end = try MoveEnd.source(.sqlite(path: file), "old")
            try await end.noteMoved("postgresql:///it")
            try await end.close()
            let owners = try owners()
            #expect(owners[""] == owner && owners[".lock"] == Self.user && owners[".moved"] == Self.user, "\(owners)")
        }
    }

    @Test("A file of root's that has a second name elsewhere is nobody's to get by a name in his folder")
    func secondName() async throws {
        let other = try folder.write("", to: "other")
        try #require(link(other, file) == 0)
        let end = try MoveEnd.target(.sqlite(path: file), "new")
        #expect(end.owner == "root")
        try await end.close()
        #expect(try owners()[""] == 0)
    }
}
