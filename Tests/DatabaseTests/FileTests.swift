import Foundation
import OstiaryTesting
import Testing

@testable import Database

/// The system's tool that holds a lock for as long as a command runs.
private let flockPath = "/usr/bin/flock"
private let canRunFlock = FileManager.default.isExecutableFile(atPath: flockPath)

@Suite("The database file")
struct FileTests {
    @Test("Commits wait for the disk: WAL, synchronous FULL, foreign keys, secure delete, nothing set aside in other files")
    func durability() async throws {
        try await Backend.file.withDatabase { database in
            let found = try await database.transaction { connection in
                try ["synchronous", "journal_mode", "foreign_keys", "secure_delete", "temp_store"].map { name in
                    try connection.one("PRAGMA \(name)")?.values.first
                }
            }
            #expect(found == [.integer(2), .text("wal"), .integer(1), .integer(1), .integer(2)])
        }
    }

    @Test("File and folder are readable by the owner only, missing folders are made")
    func modes() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/deep/er/ostiary.sqlite"
        let database = try SQLiteDatabase.open(path: path)
        for (file, mode) in [("/deep/er", 0o700), ("/deep/er/ostiary.sqlite", 0o600), ("/deep/er/ostiary.sqlite-wal", 0o600)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + file)
            #expect(attributes[.posixPermissions] as? Int == mode, "\(file)")
        }
        try await database.close()
    }

    @Test("A lock file that is a symbolic link is refused, and what it leads to is as it was, or not made")
    func linkedLock() throws {
        let folder = try TemporaryFolder()
        let other = try folder.write("theirs", to: "other")
        for target in [other, folder.file("missing")] {
            try FileManager.default.createSymbolicLink(atPath: folder.databasePath + ".lock", withDestinationPath: target)
            let error = #expect(throws: DatabaseOpenError.self) { try SQLiteDatabase.open(path: folder.databasePath) }
            #expect(error.map { "\($0)".contains("test.sqlite.lock is a symbolic link") } == true, "\(String(describing: error))")
            try FileManager.default.removeItem(atPath: folder.databasePath + ".lock")
        }
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "theirs")
        #expect(!FileManager.default.fileExists(atPath: folder.file("missing")))
    }

    @Test("Whoever asks whether a lock is held follows no symbolic link either, and waits for no pipe")
    func linkedLook() throws {
        let folder = try TemporaryFolder()
        let (file, link, pipe) = (folder.file("held.lock"), folder.file("link.lock"), folder.file("pipe.lock"))
        let lock = try FileLock(file, of: folder.databasePath)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        #expect(mkfifo(pipe, 0o600) == 0)
        withExtendedLifetime(lock) {
            #expect(FileLock.isHeld(file))
            #expect(!FileLock.isHeld(link) && !FileLock.isHeld(pipe))
        }
        #expect(throws: DatabaseOpenError.self) { try FileLock(link, of: folder.databasePath) }
    }

    @Test("A lock file that has another name, too, which may be anybody's or a backup's, locks as ever and is not written to")
    func hardLinkedLock() async throws {
        let folder = try TemporaryFolder()
        let (other, lock) = (try folder.write("theirs", to: "other"), folder.databasePath + ".lock")
        try FileManager.default.linkItem(atPath: other, toPath: lock)
        let first = try SQLiteDatabase.open(path: folder.databasePath)
        #expect(throws: DatabaseOpenError.lockedByAnotherProcess(path: folder.databasePath)) { try SQLiteDatabase.open(path: folder.databasePath) }
        try await first.close()
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "theirs")
        // With one name it is like any other.
        try FileManager.default.removeItem(atPath: other)
        try await SQLiteDatabase.open(path: folder.databasePath).close()
        #expect(try String(contentsOfFile: lock, encoding: .utf8) != "theirs")
    }

    @Test("A database that others can read, a copy that was put back for example, is closed to them with its side files")
    func repairedModes() async throws {
        let folder = try TemporaryFolder()
        let first = try SQLiteDatabase.open(path: folder.databasePath)
        try await first.migrate(sampleSchema)
        let files = ["", "-wal", "-shm"].map { folder.databasePath + $0 }
        for file in files { try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file) }
        let second = try SQLiteDatabase.open(path: folder.databasePath, ownership: .shared)
        try await second.countHit()
        for file in files { #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600, "\(file)") }
        try await second.close()
        try await first.close()
    }

    @Test("A file that is not ours keeps its mode, which may be what lets its own program in")
    func foreignMode() async throws {
        let folder = try TemporaryFolder()
        let path = folder.databasePath
        let theirs = try SQLiteDatabase.open(path: path)
        try await theirs.transaction { try $0.execute("CREATE TABLE invoice (number INTEGER)") }
        try await theirs.close()
        try FileManager.default.setAttributes([.posixPermissions: 0o660], ofItemAtPath: path)
        #expect(throws: DatabaseOpenError.notOurs(path: path)) { try SQLiteDatabase.open(path: path, content: .ours) }
        #expect(try folder.mode(of: "test.sqlite") == 0o660)
    }

    @Test("What was committed is there after closing and opening again")
    func reopen() async throws {
        let folder = try TemporaryFolder()
        for expected in 1...3 {
            let database = try SQLiteDatabase.open(path: folder.databasePath)
            try await database.migrate(sampleSchema)
            try await database.countHit()
            #expect(try await database.hits() == expected)
            try await database.close()
        }
        #expect(!FileManager.default.fileExists(atPath: folder.databasePath + "-wal"))
    }

    @Test("A server that is kept away closes its descriptors once: a second time it would be another's")
    func closesOnce() async throws {
        let folder = try TemporaryFolder()
        let first = try SQLiteDatabase.open(path: folder.databasePath)
        errno = 0
        let second = try? SQLiteDatabase.open(path: folder.databasePath)
        // What the last failed system call of this thread said: the lock was taken; not, afterwards, that a descriptor was no descriptor any more.
        let last = errno
        #expect(second == nil)
        #expect(last == EWOULDBLOCK)
        try await first.close()
    }

    @Test("A second server is kept away, by any name of the file, until the first lets go")
    func exclusive() async throws {
        let folder = try TemporaryFolder()
        let link = folder.path + "/link.sqlite"
        let first = try SQLiteDatabase.open(path: folder.databasePath)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.databasePath)
        for path in [folder.databasePath, link] {
            let error = try #require(#expect(throws: DatabaseOpenError.self) { try SQLiteDatabase.open(path: path) })
            guard case .lockedByAnotherProcess = error else { throw error }
        }
        try await first.close()
        try await SQLiteDatabase.open(path: link).close()
    }

    #if !canImport(Darwin)
    @Test("A second server is kept away by the file itself: by a hard link, in another folder too, and when the lock file was removed")
    func sameFile() async throws {
        let folder = try TemporaryFolder()
        let first = try SQLiteDatabase.open(path: folder.databasePath)
        try await first.migrate(sampleSchema)
        try FileManager.default.createDirectory(atPath: folder.file("other"), withIntermediateDirectories: true)
        let names = [folder.file("link.sqlite"), folder.file("other/test.sqlite")]
        for name in names { try FileManager.default.linkItem(atPath: folder.databasePath, toPath: name) }
        try FileManager.default.removeItem(atPath: folder.databasePath + ".lock")
        for path in names + [folder.databasePath] {
            #expect(throws: DatabaseOpenError.lockedByAnotherProcess(path: path)) { try SQLiteDatabase.open(path: path) }
        }
        // The locks of SQLite are not concerned.
        try await first.countHit()
        #expect(try await first.hits() == 1)
        try await first.close()
        try await SQLiteDatabase.open(path: names[0]).close()
    }

    @Test("An operator's command beside a running server goes by its path only: by another name of the file it is refused, and makes no log there")
    func commandByOtherName() async throws {
        let folder = try TemporaryFolder()
        let server = try SQLiteDatabase.open(path: folder.databasePath)
        try await server.migrate(sampleSchema)
        try FileManager.default.createDirectory(atPath: folder.file("other"), withIntermediateDirectories: true)
        let (other, symbolic) = (folder.file("other/test.sqlite"), folder.file("symbolic.sqlite"))
        try FileManager.default.linkItem(atPath: folder.databasePath, toPath: other)
        try FileManager.default.createSymbolicLink(atPath: symbolic, withDestinationPath: folder.databasePath)
        #expect(throws: DatabaseOpenError.inUseByAnotherName(path: other)) { try SQLiteDatabase.open(path: other, ownership: .shared) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("other")) == ["test.sqlite"])
        for path in [folder.databasePath, symbolic] {
            let tool = try SQLiteDatabase.open(path: path, ownership: .shared)
            try await tool.countHit()
            try await tool.close()
        }
        #expect(try await server.hits() == 2)
        try await server.close()
        // Nobody has it now.
        let tool = try SQLiteDatabase.open(path: other, ownership: .shared)
        #expect(try await tool.hits() == 2)
        try await tool.close()
    }
    #endif

    @Test("Another process keeps a server away, and leaves no lock behind when it is killed", .enabled(if: canRunFlock))
    func killedProcess() async throws {
        let folder = try TemporaryFolder()
        let (held, holder) = (Pipe(), Process())
        holder.executableURL = URL(fileURLWithPath: flockPath)
        holder.arguments = ["--no-fork", folder.databasePath + ".lock", "sh", "-c", "echo held; exec sleep 600"]
        holder.standardOutput = held
        try holder.run()
        #expect(try held.fileHandleForReading.read(upToCount: 5) == Data("held\n".utf8))
        #expect(throws: DatabaseOpenError.lockedByAnotherProcess(path: folder.databasePath)) { try SQLiteDatabase.open(path: folder.databasePath) }
        kill(holder.processIdentifier, SIGKILL)
        holder.waitUntilExit()
        try await SQLiteDatabase.open(path: folder.databasePath).close()
    }

    @Test("A server that has let its file go leaves it free, also while a program that is just being started has a copy of its descriptors")
    func copiedDescriptor() async throws {
        let folder = try TemporaryFolder()
        let first = try SQLiteDatabase.open(path: folder.databasePath)
        let own = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
        let lock = try #require(
            own.first { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == folder.databasePath + ".lock" })
        let copy = dup(lock)
        defer { close(copy) }
        try await first.close()
        try await SQLiteDatabase.open(path: folder.databasePath).close()
    }

    @Test("An operator's command writes beside a running server")
    func shared() async throws {
        let folder = try TemporaryFolder()
        let server = try SQLiteDatabase.open(path: folder.databasePath)
        try await server.migrate(sampleSchema)
        let tool = try SQLiteDatabase.open(path: folder.databasePath, ownership: .shared)
        try await withThrowingTaskGroup { group in
            for database in [server, tool] {
                group.addTask {
                    for _ in 0..<20 { try await database.countHit() }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await server.hits() == 40)
        try await tool.close()
        try await server.close()
    }

    @Test("A file that is no database, or a damaged one, is refused by name")
    func corrupt() async throws {
        let folder = try TemporaryFolder()
        let text = folder.path + "/letter.sqlite"
        try Data(repeating: 0x41, count: 8192).write(to: URL(fileURLWithPath: text))
        try expectCorrupt(text)

        try await makeDamaged(folder.databasePath)
        try expectCorrupt(folder.databasePath)
    }

    @Test("A file must hold what it is opened for: our tables, or none at a first start; any other is told apart, and nothing is written to it")
    func content() async throws {
        let folder = try TemporaryFolder()
        let (ours, empty, byte) = (folder.databasePath, folder.file("empty.sqlite"), folder.file("byte.sqlite"))
        let first = try SQLiteDatabase.open(path: ours, content: .nothingOrOurs)
        try await first.migrate(sampleSchema)
        try await first.close()
        try await SQLiteDatabase.open(path: empty).close()
        try Data([0]).write(to: URL(fileURLWithPath: byte))
        let tables = ["CREATE TABLE invoice (number INTEGER)", "CREATE TABLE schema_version (version TEXT)"]
        let theirs = (1...2).map { folder.file("theirs-\($0).sqlite") }
        for (path, count) in zip(theirs, 1...2) {
            let database = try SQLiteDatabase.open(path: path)
            for table in tables.suffix(count) { try await database.transaction { try $0.execute(table) } }
            try await database.close()
        }
        for content in [DatabaseContent.nothingOrOurs, .ours] {
            for path in theirs {
                let before = try Data(contentsOf: URL(fileURLWithPath: path))
                #expect(throws: DatabaseOpenError.notOurs(path: path)) { try SQLiteDatabase.open(path: path, content: content) }
                #expect(throws: DatabaseOpenError.notOurs(path: path)) { try SQLiteDatabase.checkContent(content, at: path) }
                #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
            }
            try await SQLiteDatabase.open(path: ours, content: content).close()
        }
        for path in [empty, byte] {
            #expect(throws: DatabaseOpenError.empty(path: path)) { try SQLiteDatabase.open(path: path, content: .ours) }
            try await SQLiteDatabase.open(path: path, content: .nothingOrOurs).close()
        }
    }

    @Test("The log of a file that is not ours, as a crash of its own program leaves it, is read and stays beside it as it is")
    func foreignLog() async throws {
        let folder = try TemporaryFolder()
        let theirs = try SQLiteDatabase.open(path: folder.databasePath)
        try await theirs.transaction { try $0.execute("CREATE TABLE invoice (number INTEGER)") }
        let copies = ["", "-wal"].map { folder.file("copy.sqlite") + $0 }
        for (file, copy) in zip(["", "-wal"], copies) { try FileManager.default.copyItem(atPath: folder.databasePath + file, toPath: copy) }
        try await theirs.close()
        let before = try copies.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        #expect(throws: DatabaseOpenError.notOurs(path: copies[0])) { try SQLiteDatabase.open(path: copies[0], content: .ours) }
        #expect(try copies.map { try Data(contentsOf: URL(fileURLWithPath: $0)) } == before)
    }

    @Test("Tables that are only in the log yet are seen: after a crash the file alone may have none")
    func contentInTheLog() async throws {
        let folder = try TemporaryFolder()
        let database = try SQLiteDatabase.open(path: folder.databasePath)
        try await database.migrate(sampleSchema)
        let copy = folder.file("copy.sqlite")
        for file in ["", "-wal"] { try FileManager.default.copyItem(atPath: folder.databasePath + file, toPath: copy + file) }
        try await database.close()
        let crashed = try SQLiteDatabase.open(path: copy, content: .ours)
        #expect(try await crashed.hits() == 0)
        try await crashed.close()
    }

    @Test("A file that was closed in order and is as it was left is not read through at the next start; any other is, until it was closed in order")
    func cleanStop() async throws {
        let folder = try TemporaryFolder()
        let path = folder.databasePath
        let first = try SQLiteDatabase.open(path: path)
        try await first.migrate(sampleSchema)
        try await first.countHit()
        #expect(CleanStop(of: path) == nil, "there is a log beside it")
        #expect(!CleanStop.isNoted(at: path))
        try await first.close()
        #expect(CleanStop.isNoted(at: path))
        try await SQLiteDatabase.open(path: path).close()
        #expect(CleanStop.isNoted(at: path))

        // Not of a file that took the place of the one that was open, or of one that was found damaged.
        let replaced = try SQLiteDatabase.open(path: path)
        #expect(!CleanStop.isNoted(at: path), "only a start that ends in order says so again")
        try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".copy", toPath: path)
        try await replaced.close()
        #expect(!CleanStop.isNoted(at: path))
        let broken = try SQLiteDatabase.open(path: path)
        await #expect(throws: SQLError.damaged(path: path, reason: "torn")) {
            try await broken.transaction { _ in throw SQLError.fault(code: 11, message: "torn") }
        }
        try await broken.close()
        #expect(!CleanStop.isNoted(at: path))
        try await SQLiteDatabase.open(path: path).close()
        #expect(CleanStop.isNoted(at: path))

        // Written to by anybody, it is another file; so is a copy, whatever its bytes.
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.write(contentsOf: bytes.prefix(1))
        try handle.close()
        #expect(!CleanStop.isNoted(at: path))
        try await SQLiteDatabase.open(path: path).close()
        #expect(CleanStop.isNoted(at: path))
        try bytes.write(to: URL(fileURLWithPath: path))
        #expect(!CleanStop.isNoted(at: path))
    }

    @Test("Whether a file is read through is what the lock file says of it, and nothing else")
    func readThrough() async throws {
        let folder = try TemporaryFolder()
        let path = folder.databasePath
        try await makeDamaged(path)
        try expectCorrupt(path)
        // As if it had been closed like this.
        let stop = try #require(CleanStop(of: path))
        try Data(stop.text.utf8).write(to: URL(fileURLWithPath: path + ".lock"))
        let trusting = try SQLiteDatabase.open(path: path)
        #expect(try await trusting.hits() == 0)
        try await trusting.close()
    }

    @Test("A path that cannot be opened says why in one line")
    func cannotOpen() throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/file"
        try Data().write(to: URL(fileURLWithPath: file))
        for path in [folder.path, file + "/below.sqlite"] {
            let error = try #require(#expect(throws: DatabaseOpenError.self) { try SQLiteDatabase.open(path: path) })
            guard case .cannotOpen = error else { throw error }
            #expect(!error.description.contains("\n"))
        }
    }

    /// A database that was closed in order, with ten pages in its middle overwritten since.
    private func makeDamaged(_ path: String) async throws {
        let database = try SQLiteDatabase.open(path: path)
        try await database.migrate(sampleSchema)
        try await database.fillNotes()
        try await database.close()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes.replaceSubrange(40960..<81920, with: Data(repeating: 0xEE, count: 40960))
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    private func expectCorrupt(_ path: String) throws {
        let error = try #require(#expect(throws: DatabaseOpenError.self) { try SQLiteDatabase.open(path: path) })
        guard case .corrupt = error else { throw error }
    }
}
