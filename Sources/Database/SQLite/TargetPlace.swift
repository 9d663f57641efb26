import Foundation

/// What was where a move has made the file that is to take its rows. A move that is refused before its first table leaves the place as it was: a file without
/// a table and a lock file are what is left of a database that was lost.
///
/// The folder is the server's user's, and the move root's: nothing is written by a name, which may lead elsewhere by then.
struct TargetPlace: Sendable {
    /// Of the file, without symbolic links.
    private let path: String
    /// Bytes; nil where there was none.
    private let formerSize: Int?
    /// Of the logs, those that were not there.
    private let missing: [String]
    private let hadLockFile: Bool
    /// What the lock file said, of a server perhaps.
    private var noted: [UInt8] = []
    /// Of the file, as it was when it had its locks.
    private var identity: FileIdentity?

    /// Before the file has its locks.
    /// - Parameter formerSize: of the file, before it was made.
    init(_ path: String, formerSize: Int?) {
        (self.path, self.formerSize) = (path, formerSize)
        missing = ["-wal", "-shm", "-journal"].map { path + $0 }.filter { !Self.isThere($0) }
        hadLockFile = Self.isThere(path + ".lock")
    }

    private static func isThere(_ file: String) -> Bool {
        var status = stat()
        return lstat(file, &status) == 0
    }

    /// With what the lock file says. Read through the lock: a server that was just ended has written its last word by then, and the name may be a link.
    /// - Parameter lock: in which nothing was noted yet.
    func reading(_ lock: ProcessLock) -> TargetPlace {
        var place = self
        (place.noted, place.identity) = (lock.content, lock.identity(ofDatabaseAt: path))
        return place
    }

    /// Has it as it was where opening has failed, of a file that held no byte.
    /// - Parameter lock: as of ``restore(under:)``.
    func undo(under lock: ProcessLock) { if (formerSize ?? 0) == 0 { restore(under: lock) } }

    /// Has it as it was, of a file that holds nothing and that no connection has open.
    /// - Parameter lock: held. Its file goes last: until then it says that a move was here, as it does of one that was killed, and where something stays.
    func restore(under lock: ProcessLock) {
        guard let identity, FileIdentity(of: path) == identity else { return }
        switch formerSize {
        case nil: guard unlink(path) == 0 else { return }
        case 0: guard empty(identity) else { return }
        default: break
        }
        guard missing.allSatisfy({ unlink($0) == 0 || errno == ENOENT }) else { return }
        if hadLockFile { lock.note(noted) } else { unlink(path + ".lock") }
        synchronizeFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    private func empty(_ identity: FileIdentity) -> Bool {
        let descriptor = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return FileIdentity(of: descriptor) == identity && ftruncate(descriptor, 0) == 0
    }
}
