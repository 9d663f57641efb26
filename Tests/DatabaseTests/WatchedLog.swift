import Foundation
import GRDBSQLite
import Synchronization

@testable import Database

/// The log of an open database, as the disk sees it: each wait for the disk is counted, how much of the log it was for is known, and it can fail.
///
/// SQLite waits by a function that it finds in a table of the file. Here it finds another one.
final class WatchedLog: Sendable {
    private struct State {
        var waits = 0
        /// Bytes of the log for which somebody has waited.
        var covered = 0
        var fails = false
    }

    private static let watched = Mutex<[UInt: WatchedLog]>([:])

    private let path: String
    /// The table that was there before. It is never changed.
    private let former: UInt
    private let state = Mutex(State())

    private init(path: String, former: UInt) { (self.path, self.former) = (path, former) }

    /// Watches a database until it is closed.
    /// - Parameter path: of its file.
    static func watch(_ database: SQLiteDatabase, at path: String) async -> WatchedLog? {
        await withCheckedContinuation { continuation in
            database.writer.handle.schedule { connection in
                guard let file = connection?.logFile, let methods = file.pointee.pMethods else { return continuation.resume(returning: nil) }
                let log = WatchedLog(path: path + "-wal", former: UInt(bitPattern: methods))
                watched.withLock { $0[UInt(bitPattern: file)] = log }
                // As long as the process: SQLite asks it when it closes the file.
                let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
                table.initialize(to: methods.pointee)
                table.pointee.xSync = { file, flags in WatchedLog.wait(for: file, flags) }
                file.pointee.pMethods = UnsafePointer(table)
                continuation.resume(returning: log)
            }
        }
    }

    private static func wait(for file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32) -> Int32 {
        guard let log = watched.withLock({ $0[UInt(bitPattern: file)] }), let methods = UnsafePointer<sqlite3_io_methods>(bitPattern: log.former),
            let sync = methods.pointee.xSync
        else { return failedSync }
        return log.state.withLock { state in
            state.waits += 1
            if state.fails { return failedSync }
            var size: sqlite3_int64 = 0
            _ = methods.pointee.xFileSize?(file, &size)
            state.covered = Int(size)
            return sync(file, flags)
        }
    }

    /// Whether waits fail from now on, as on a disk that does.
    func fail(_ fails: Bool) { state.withLock { $0.fails = fails } }

    /// How often somebody has waited since the last look.
    func takeWaits() -> Int {
        state.withLock { state in
            defer { state.waits = 0 }
            return state.waits
        }
    }

    /// The log as the system has it, which is what a process that is killed leaves, and how much of it the disk has for certain.
    func look() throws -> (bytes: [UInt8], covered: Int) {
        (Array(try Data(contentsOf: URL(fileURLWithPath: path))), state.withLock(\.covered))
    }
}

/// SQLITE_IOERR_FSYNC, which C spells by a macro that Swift does not take up.
private let failedSync = SQLITE_IOERR | 4 << 8
