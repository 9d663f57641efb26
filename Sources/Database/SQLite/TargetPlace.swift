import Foundation

/// What was where a move has made the file that is to take its rows. A move that is refused before its first table leaves the place as it was: a file without
/// a table and a lock file are what is left of a database that was lost.
struct TargetPlace: Sendable {
    /// Of the file, without symbolic links.
    private let path: String
    /// Bytes; nil where there was none.
    private let formerSize: Int?
    /// Of the logs, those that were not there.
    private let missing: [String]
    /// What the lock file said, of a server perhaps; nil where there was none.
    private let noted: String?

    /// Before the file has its locks.
    /// - Parameter formerSize: of the file, before it was made.
    init(_ path: String, formerSize: Int?) {
        (self.path, self.formerSize) = (path, formerSize)
        missing = ["-wal", "-shm"].map { path + $0 }.filter { !Self.isThere($0) }
        noted = Self.isThere(path + ".lock") ? (try? String(contentsOfFile: path + ".lock", encoding: .utf8)) ?? "" : nil
    }

    private static func isThere(_ file: String) -> Bool {
        var status = stat()
        return lstat(file, &status) == 0
    }

    /// Has it as it was, of a file that holds nothing and that no connection has open.
    /// - Parameter lock: held. Its file goes last: until then it says that a move was here, as it does of one that was killed, and where something stays.
    func restore(under lock: ProcessLock) {
        switch formerSize {
        case nil: guard unlink(path) == 0 else { return }
        case 0: guard truncate(path, 0) == 0 else { return }
        default: break
        }
        guard missing.allSatisfy({ unlink($0) == 0 || errno == ENOENT }) else { return }
        if let noted { lock.note(noted) } else { unlink(path + ".lock") }
        synchronizeFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }
}
