import Foundation

/// Keeps a second server away from a database file: a lock on `PATH.lock` that the kernel releases when the process ends, however it ends.
///
/// The lock lies on a file of its own because closing any descriptor of the database file would drop the locks that SQLite holds on it.
final class ProcessLock: Sendable {
    private let descriptor: Int32

    /// - Parameter path: path of the database file.
    /// - Throws: ``DatabaseOpenError/lockedByAnotherProcess(path:)`` and ``DatabaseOpenError/cannotOpen(path:reason:)``.
    init(databasePath path: String) throws(DatabaseOpenError) {
        let opened = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw .cannotOpen(path: path, reason: "its lock file: \(systemReason())") }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            let taken = errno == EWOULDBLOCK
            let reason = systemReason()
            Foundation.close(opened)
            throw taken ? .lockedByAnotherProcess(path: path) : .cannotOpen(path: path, reason: "its lock file: \(reason)")
        }
        // Set last: once it is set, a throwing `init` runs `deinit`, which would close a number that is another's by then.
        descriptor = opened
    }

    /// Leaves a line for the next that takes the lock. One that cannot be written is none.
    func note(_ text: String) {
        ftruncate(descriptor, 0)
        _ = Array(text.utf8).withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        fsync(descriptor)
    }

    /// Said, and not left to closing: a program that is just being started has a copy of every descriptor for a moment, and would hold the lock that long.
    deinit {
        flock(descriptor, LOCK_UN)
        Foundation.close(descriptor)
    }
}

/// What the last failed system call says about itself.
func systemReason() -> String {
    String(cString: strerror(errno)).lowercased()
}
