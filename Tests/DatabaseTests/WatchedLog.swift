import Foundation
import GRDBSQLite
import OstiaryTesting
import Synchronization
import Testing

@testable import Database

/// The log of a database, as the disk sees it: each wait for the disk is counted, how much of the log it was for is known, and it can fail.
///
/// SQLite waits by a function that it finds in a table of the file, and writes by another. Here it finds others.
final class WatchedLog: Sendable {
    fileprivate struct State {
        var waits = 0
        /// Bytes of the log for which somebody has waited.
        var covered = 0
        var fails = false
        /// Whether the next wait fails, and no other.
        var failsOnce = false
        var isFull = false
        /// What the disk has.
        var disk: Data
        /// What was written since the last wait, as that was.
        var written: [Range<Int>] = []
        /// Waits that went well and left the disk without a part of the log.
        var holes = 0
    }

    /// By their files: who watches, and the table that was there before, which is never changed.
    private static let watched = Mutex<[UInt: (log: WatchedLog, methods: UInt)]>([:])
    /// By their paths: of files that are not open yet.
    private static let awaited = Mutex<[String: WatchedLog]>([:])

    private let path: String
    private let state: Mutex<State>

    private init(path: String, disk: Data) {
        self.path = path
        state = Mutex(State(disk: disk))
    }

    /// Runs `body` on a database with a table of counters, of which the log is watched.
    static func watching(_ body: (SQLiteDatabase, WatchedLog) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let database = try SQLiteDatabase.open(path: folder.databasePath)
        try await database.migrate(sampleSchema)
        let log = try #require(await watch(database, at: folder.databasePath))
        try await body(database, log)
        try await database.close()
    }

    /// Watches a database until it is closed.
    /// - Parameter path: of its file.
    static func watch(_ database: SQLiteDatabase, at path: String) async -> WatchedLog? {
        await withCheckedContinuation { continuation in
            database.writer.handle.schedule { connection in
                guard let file = connection?.logFile else { return continuation.resume(returning: nil) }
                let log = WatchedLog(path: path + "-wal", disk: (try? Data(contentsOf: URL(fileURLWithPath: path + "-wal"))) ?? Data())
                log.attach(to: file)
                continuation.resume(returning: log)
            }
        }
    }

    /// Watches a database from when it is opened next.
    /// - Parameters:
    ///   - path: of its file.
    ///   - disk: what the disk has of the log that lies there; the system has all of it.
    static func watch(fileAt path: String, disk: Data) -> WatchedLog {
        let log = WatchedLog(path: path + "-wal", disk: disk)
        _ = system
        awaited.withLock { $0[path + "-wal"] = log }
        return log
    }

    private func attach(to file: UnsafeMutablePointer<sqlite3_file>) {
        guard let methods = file.pointee.pMethods else { return }
        Self.watched.withLock { $0[UInt(bitPattern: file)] = (self, UInt(bitPattern: methods)) }
        // As long as the process: SQLite asks it when it closes the file.
        let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        table.initialize(to: methods.pointee)
        table.pointee.xSync = { file, flags in WatchedLog.wait(for: file, flags) }
        table.pointee.xWrite = { file, bytes, count, place in WatchedLog.write(file, bytes, count, place) }
        file.pointee.pMethods = UnsafePointer(table)
    }

    /// Whether waits fail from now on, as on a disk that does.
    func fail(_ fails: Bool) { state.withLock { $0.fails = fails } }

    /// The next wait fails, and those after it go well.
    func failOnce() { state.withLock { $0.failsOnce = true } }

    /// Whether there is no room from now on, also for what is written over itself, as on a file system that writes elsewhere.
    func fill(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

    /// How often somebody has waited since the last look.
    func takeWaits() -> Int {
        state.withLock { state in
            defer { state.waits = 0 }
            return state.waits
        }
    }

    /// How many of the waits since the last look went well and left a hole.
    func takeHoles() -> Int {
        state.withLock { state in
            defer { state.holes = 0 }
            return state.holes
        }
    }

    /// The log as the system has it, which is what a process that is killed leaves, and how much of it the disk has for certain.
    func look() throws -> (bytes: [UInt8], covered: Int) {
        (Array(try Data(contentsOf: URL(fileURLWithPath: path))), state.withLock(\.covered))
    }

    /// The log as the disk has it, if nothing is written that nobody waits for.
    var disk: Data { state.withLock(\.disk) }
}

// MARK: What SQLite finds in the place of its own functions

extension WatchedLog {
    private static func table(of file: UnsafeMutablePointer<sqlite3_file>?) -> (log: WatchedLog, methods: sqlite3_io_methods)? {
        guard let found = watched.withLock({ $0[UInt(bitPattern: file)] }) else { return nil }
        return UnsafePointer<sqlite3_io_methods>(bitPattern: found.methods).map { (found.log, $0.pointee) }
    }

    /// A wait that fails is told once: the system gives up what it was for, and the next one is for what is written from then on.
    private static func wait(for file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32) -> Int32 {
        guard let (log, methods) = table(of: file), let sync = methods.xSync else { return failedSync }
        return log.state.withLock { state in
            state.waits += 1
            if state.fails || state.failsOnce {
                state.failsOnce = false
                state.written = []
                return failedSync
            }
            var size: sqlite3_int64 = 0
            _ = methods.xFileSize?(file, &size)
            state.covered = Int(size)
            state.take((try? Data(contentsOf: URL(fileURLWithPath: log.path))) ?? Data())
            return sync(file, flags)
        }
    }

    private static func write(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeRawPointer?, _ count: Int32, _ place: sqlite3_int64
    ) -> Int32 {
        guard let (log, methods) = table(of: file), let write = methods.xWrite else { return failedSync }
        let isFull = log.state.withLock { state in
            if !state.isFull { state.written.append(Int(place)..<Int(place) + Int(count)) }
            return state.isFull
        }
        if isFull { return SQLITE_FULL }
        return write(file, bytes, count, place)
    }

    /// The functions by which SQLite opens files, as they were before ours came first.
    private static let system: UInt = {
        guard let system = sqlite3_vfs_find(nil) else { return 0 }
        let former = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        former.initialize(to: system.pointee)
        system.pointee.xOpen = { system, name, file, flags, opened in WatchedLog.open(system, name, file, flags, opened) }
        return UInt(bitPattern: former)
    }()

    private static func open(
        _ system: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
        _ opened: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let former = UnsafePointer<sqlite3_vfs>(bitPattern: Self.system), let open = former.pointee.xOpen else { return SQLITE_CANTOPEN }
        let code = open(system, name, file, flags, opened)
        if code == SQLITE_OK, let file, let name, let log = awaited.withLock({ $0[String(cString: name)] }) { log.attach(to: file) }
        return code
    }
}

extension WatchedLog.State {
    /// The disk takes what was written, of a log that is now like this.
    fileprivate mutating func take(_ log: Data) {
        disk = disk.prefix(log.count) + Data(count: max(0, log.count - disk.count))
        for range in written.map({ $0.clamped(to: 0..<log.count) }) { disk.replaceSubrange(range, with: log[range]) }
        written = []
        if disk != log { holes += 1 }
    }
}

/// SQLITE_IOERR_FSYNC, which C spells by a macro that Swift does not take up.
private let failedSync = SQLITE_IOERR | 4 << 8
