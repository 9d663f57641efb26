import Database
import Foundation
import OstiaryTesting
import Testing

@Suite("The line that a move leaves beside a file", .timeLimit(.minutes(5)))
struct MoveNoteTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var url: DatabaseURL { .sqlite(path: folder.databasePath) }

    /// The file and its lock file as a move has them that is killed now.
    private func killed(_ name: String) throws -> String {
        let copy = folder.file(name)
        for end in ["", ".lock"] { try FileManager.default.copyItem(atPath: folder.databasePath + end, toPath: copy + end) }
        return copy
    }

    @Test("A target that a killed move has left without a table is told as that, also where its file holds no byte or is gone")
    func ended() async throws {
        let target = try MoveEnd.target(url, "new")
        let copy = try killed("copy")
        #expect(throws: DatabaseOpenError.unbegunMove(path: copy)) { try checkUnbegunMove(of: .sqlite(path: copy)) }
        try Data().write(to: URL(fileURLWithPath: copy))
        #expect(throws: DatabaseOpenError.unbegunMove(path: copy)) { try checkUnbegunMove(of: .sqlite(path: copy)) }
        try FileManager.default.removeItem(atPath: copy)
        #expect(throws: DatabaseOpenError.unbegunMove(path: copy)) { try checkUnbegunMove(of: .sqlite(path: copy)) }
        #expect(!FileManager.default.fileExists(atPath: copy))
        // The same move goes on with it.
        try await MoveEnd.target(.sqlite(path: copy), "new").close()
        try await target.close()
    }

    @Test("What holds tables is no such target, nor is what a server had open last, and a source never is")
    func others() async throws {
        try checkUnbegunMove(of: url)
        let database = try openDatabase(url)
        try await database.beginSchema()
        try await database.close()
        let source = try MoveEnd.source(url, "old")
        let copy = try killed("copy")
        try checkUnbegunMove(of: .sqlite(path: copy))
        try FileManager.default.removeItem(atPath: copy)
        try checkUnbegunMove(of: .sqlite(path: copy))
        try await source.close()

        let target = try MoveEnd.target(.sqlite(path: folder.file("other")), "new")
        try await target.close()
        let server = try openDatabase(.sqlite(path: folder.file("other")))
        try checkUnbegunMove(of: .sqlite(path: folder.file("other")))
        try await server.close()
    }

    @Test("Of two moves at once, and of a move and a server, the second is told that a move runs, at either end")
    func twoAtOnce() async throws {
        let database = try openDatabase(url)
        try await database.beginSchema()
        try await database.close()
        let runs = DatabaseOpenError.beingMoved(path: folder.databasePath)
        let source = try MoveEnd.source(url, "old")
        #expect(throws: runs) { try MoveEnd.source(url, "old") }
        #expect(throws: runs) { try openDatabase(url, content: .ours) }
        try await source.close()

        let new = folder.file("new")
        let target = try MoveEnd.target(.sqlite(path: new), "new")
        #expect(throws: DatabaseOpenError.beingMoved(path: new)) { try MoveEnd.target(.sqlite(path: new), "new") }
        #expect(throws: DatabaseOpenError.beingMoved(path: new)) { try checkUnbegunMove(of: .sqlite(path: new)) }
        try await target.close()
        // And a server as before.
        let server = try openDatabase(url)
        #expect(throws: DatabaseOpenError.lockedByAnotherProcess(path: folder.databasePath)) { try MoveEnd.source(url, "old") }
        try await server.close()
    }
}
