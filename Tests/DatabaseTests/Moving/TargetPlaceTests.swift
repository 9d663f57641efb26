import Foundation
import OstiaryTesting
import Testing

@testable import Database

/// The folder of a target is the server's user's, who may put anything there at any moment, and a move is root's.
@Suite("What root leaves and takes back in a folder of the server's user", .timeLimit(.minutes(1)))
struct TargetPlaceTests {
    private let folder: TemporaryFolder
    private let file: String
    private let other: String

    init() throws {
        folder = try TemporaryFolder()
        file = folder.file("new.sqlite")
        other = try folder.write("of another", to: "other", mode: 0o644)
    }

    private func exchange(_ path: String) throws {
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other)
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test("A link in the place of the file is not followed: what it leads to keeps its bytes")
    func exchanged() throws {
        _ = try folder.write("", to: "new.sqlite")
        let before = TargetPlace(file, formerSize: 0)
        let lock = try ProcessLock(databasePath: file)
        let place = before.reading(lock)
        try exchange(file)
        place.restore(under: lock)
        #expect(try text(other) == "of another")
    }

    @Test("What the lock file is given back is what it said when it was locked, and not what its name led to before")
    func lockFile() throws {
        _ = try folder.write("", to: "new.sqlite")
        try FileManager.default.createSymbolicLink(atPath: file + ".lock", withDestinationPath: other)
        let before = TargetPlace(file, formerSize: 0)
        try FileManager.default.removeItem(atPath: file + ".lock")
        _ = try folder.write("closed 1\n", to: "new.sqlite.lock")
        let lock = try ProcessLock(databasePath: file)
        let place = before.reading(lock)
        lock.note("target of a move\n")
        place.restore(under: lock)
        #expect(try text(file + ".lock") == "closed 1\n")
    }

    @Test("A pipe in the place of the lock file holds nobody up")
    func pipe() async throws {
        try #require(mkfifo(file + ".lock", 0o600) == 0)
        try await MoveEnd.target(.sqlite(path: file), "").close()
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder.path)) == ["new.sqlite.lock", "other"])
    }

    @Test("The word of a move is written into a file of its own: not into another's that was linked to its place, and not into a pipe")
    func word() throws {
        let part = file + ".moved.part"
        try #require(link(other, part) == 0)
        try MovedFile.leave(beside: file, target: "postgresql:new")
        #expect(try text(other) == "of another")
        #expect(try text(file + ".moved") == "postgresql:new\n")
        var status = stat()
        try #require(stat(file + ".moved", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600 && status.st_nlink == 1)
        try #require(mkfifo(part, 0o600) == 0)
        try MovedFile.leave(beside: file, target: "postgresql:newer")
        #expect(try text(file + ".moved") == "postgresql:newer\n")
    }

    @Test("Where the word gets no name no part of it stays")
    func unnamed() throws {
        try FileManager.default.createDirectory(atPath: file + ".moved/it", withIntermediateDirectories: true)
        #expect(throws: SQLError.self) { try MovedFile.leave(beside: file, target: "postgresql:new") }
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder.path)) == ["new.sqlite.moved", "other"])
    }
}
