import Foundation

/// A database file as it was left when everything was in it. While it is the same, nobody has touched it since, and it need not be read through at the
/// next start: a file of a million accounts takes seconds.
struct CleanStop: Equatable, Sendable {
    private let numbers: [Int64]

    /// Nil when there is no such file, or a log beside it of which nobody knows whether it is in the file.
    init?(of path: String) {
        var (file, log) = (stat(), stat())
        guard stat(path, &file) == 0, stat(path + "-wal", &log) != 0 || log.st_size == 0 else { return nil }
        let changed = file.lastChange
        numbers = [Int64(file.st_dev), Int64(file.st_ino), Int64(file.st_size), Int64(changed.tv_sec), Int64(changed.tv_nsec)]
    }

    /// One line for the lock file.
    var text: String { "closed " + numbers.map(String.init).joined(separator: " ") + "\n" }

    /// Whether the file was closed like this and is so still.
    static func isNoted(at path: String) -> Bool {
        guard let noted = FileLock.text(of: path + ".lock") else { return false }
        return CleanStop(of: path)?.text == noted
    }
}

extension stat {
    /// When content or mode changed last. No program can set it back.
    fileprivate var lastChange: timespec {
        #if canImport(Darwin)
        st_ctimespec
        #else
        st_ctim
        #endif
    }
}
