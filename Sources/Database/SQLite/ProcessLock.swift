import Foundation

/// Keeps a second server away from a database file: taken before the database is opened, held until it is closed.
///
/// There are two locks. The one on `PATH.lock` is for whoever comes by the same path, also while the database file is exchanged. The one on the
/// database file itself is for whoever comes by another name of it (a hard link, a mount of the file alone), or after the lock file was removed. It
/// asks for care: closing any descriptor of the file drops the locks that SQLite holds on it, so it is opened before SQLite opens the file, and
/// closed after.
final class ProcessLock: Sendable {
    private let lockFile: FileLock
    #if !canImport(Darwin)
    /// On Darwin this kind of lock and those of SQLite are one kind, and SQLite would be kept away as well.
    private let database: FileLock
    #endif

    /// - Parameter path: path of the database file, which is there.
    /// - Throws: ``DatabaseOpenError/lockedByAnotherProcess(path:)``, ``DatabaseOpenError/beingMoved(path:)`` and
    ///   ``DatabaseOpenError/cannotOpen(path:reason:)``.
    init(databasePath path: String) throws(DatabaseOpenError) {
        do { lockFile = try FileLock(path + ".lock", of: path) } catch {
            throw error == .lockedByAnotherProcess(path: path) && MoveNote(at: path) != nil ? .beingMoved(path: path) : error
        }
        #if !canImport(Darwin)
        database = try FileLock(path, of: path)
        #endif
    }

    /// For a command beside a running server, which has to come by the name that the server has: SQLite keeps the log beside the name, and two names have
    /// two logs of one database.
    /// - Throws: ``DatabaseOpenError/inUseByAnotherName(path:)``.
    static func checkName(ofDatabaseAt path: String) throws(DatabaseOpenError) {
        #if !canImport(Darwin)
        // The server takes the lock file first.
        if FileLock.isHeld(path), !FileLock.isHeld(path + ".lock") { throw .inUseByAnotherName(path: path) }
        #endif
    }

    /// What the last that had the lock has left, at most 4 KiB.
    var content: [UInt8] { lockFile.content }

    /// Of the database file that is locked, whatever has its name by now.
    /// - Parameter path: of that file; by it alone it is known on Darwin.
    func identity(ofDatabaseAt path: String) -> FileIdentity? {
        #if canImport(Darwin)
        FileIdentity(of: path)
        #else
        FileIdentity(of: database.descriptor)
        #endif
    }

    /// Leaves a line for the next that takes the lock. One that cannot be written is none, and none is written where the file has another name, too. It locks
    /// all the same: a backup of the folder by hard links has it as well, and is to keep no server away.
    func note(_ text: String) { note(Array(text.utf8)) }

    /// The same of what ``content`` said before.
    func note(_ bytes: [UInt8]) {
        guard lockFile.isOfOneName else { return }
        ftruncate(lockFile.descriptor, 0)
        _ = bytes.withUnsafeBytes { pwrite(lockFile.descriptor, $0.baseAddress, $0.count, 0) }
        fsync(lockFile.descriptor)
    }
}
