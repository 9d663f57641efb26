import Foundation
import OstiaryTesting
import Testing

@testable import Database

@Suite("A limit of file size")
struct FileSizeLimitTests {
    @Test("It is told as that and not as a full disk, of whichever file of a database comes to it, before a write is refused")
    func files() throws {
        let folder = try TemporaryFolder()
        let path = folder.databasePath
        try FileSizeLimit.check(path, limit: 65_536)
        for (name, size) in [(path, 8_192), (path + "-wal", 20_000)] {
            try Data(count: size).write(to: URL(fileURLWithPath: name))
            let limit = UInt64(size + 65_536)
            try FileSizeLimit.check(path, limit: limit)
            let words = "a file of this process may have \(limit - 1) bytes: ulimit -f, LimitFSIZE"
            let error = #expect(throws: SQLError.diskFails(path: name, reason: words)) { try FileSizeLimit.check(path, limit: limit - 1) }
            #expect(error.map { SQLError.isOutage($0) && !"\($0)".contains("is full") } == true)
        }
        try FileSizeLimit.check(path, limit: .max)
    }

    /// The limit is a whole process's.
    @Test("A process that has one is told so by the check of its database, and goes on without it")
    func process() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let database = try SQLiteDatabase.open(path: folder.databasePath)
            try await database.checkWritable([])
            var limit = rlimit()
            try #require(getrlimit(FileSizeLimit.resource, &limit) == 0)
            let former = limit.rlim_cur
            limit.rlim_cur = 1_000
            try #require(setrlimit(FileSizeLimit.resource, &limit) == 0)
            let error = await #expect(throws: SQLError.self) { try await database.checkWritable([]) }
            #expect(error?.description.contains("may have 1000 bytes") == true, "\(String(describing: error))")
            limit.rlim_cur = former
            try #require(setrlimit(FileSizeLimit.resource, &limit) == 0)
            try await database.checkWritable([])
            try await database.close()
        }
    }

    @Test("A commit, a start and a key that it stops are told of it, and not of a disk that fails; without it all goes on")
    func stopped() async {
        await #expect(processExitsWith: .success) {
            // As a server does: what is beyond is refused.
            signal(SIGXFSZ, SIG_IGN)
            let folder = try TemporaryFolder()
            let former = FileSizeLimit.bytes
            let database = try SQLiteDatabase.open(path: folder.databasePath)
            try await database.migrate(sampleSchema)
            try limitFiles(to: 65_536)
            let commit = await #expect(throws: SQLError.self) { try await database.fillNotes() }
            try limitFiles(to: 4_096)
            let start = #expect(throws: DatabaseOpenError.self) { try SQLiteDatabase.open(path: folder.file("other.sqlite")) }
            try limitFiles(to: 0)
            let key = #expect(throws: KeyFileError.self) { try KeyFile.read(orMakeAt: folder.file("key")) { [UInt8](repeating: 7, count: 32) } }
            try limitFiles(to: former)
            let told = ["\(String(describing: commit))", "\(String(describing: start))", "\(String(describing: key))"]
            for (line, bytes) in zip(told, [65_536, 4_096, 0]) {
                #expect(line.contains("a file of this process may have \(bytes) bytes: ulimit -f, LimitFSIZE"), "\(line)")
            }
            try await database.fillNotes()
            try await database.close()
        }
    }
}

private func limitFiles(to bytes: UInt64) throws {
    var limit = rlimit()
    try #require(getrlimit(FileSizeLimit.resource, &limit) == 0)
    limit.rlim_cur = rlim_t(bytes)
    try #require(setrlimit(FileSizeLimit.resource, &limit) == 0)
}
