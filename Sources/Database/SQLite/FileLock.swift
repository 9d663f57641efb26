import Foundation

/// An exclusive lock on a file, whatever name it was opened by, which the kernel releases when the process ends, however it ends.
final class FileLock: Sendable {
    let descriptor: Int32

    /// - Throws: ``DatabaseOpenError/lockedByAnotherProcess(path:)`` and ``DatabaseOpenError/cannotOpen(path:reason:)``.
    /// - Parameters:
    ///   - file: made with mode 0600 if it is missing; no symbolic link.
    ///   - path: of the database that it is about.
    init(_ file: String, of path: String) throws(DatabaseOpenError) {
        var (opened, tries) = (try FileLock.taken(file, of: path), 1)
        // A move that was refused has removed it while this one came: it keeps nobody away any more. Some file systems count no names.
        while tries < 8, FileLock.hasNoName(opened) {
            Foundation.close(opened)
            (opened, tries) = (try FileLock.taken(file, of: path), tries + 1)
        }
        // Set last: once it is set, a throwing `init` runs `deinit`, which would close a number that is another's by then.
        descriptor = opened
    }

    /// The descriptor, with the lock.
    private static func taken(_ file: String, of path: String) throws(DatabaseOpenError) -> Int32 {
        // Root follows no link that the server's user has put there: it would be made, and written over, wherever that leads.
        let opened = open(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard opened >= 0 else {
            if errno == ELOOP { throw .cannotOpen(path: path, reason: "\(file) is a symbolic link, which no lock follows: remove it") }
            throw .cannotOpen(path: path, reason: "\(file): \(makingReason(errno, of: file))")
        }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            let taken = errno == EWOULDBLOCK
            let reason = systemReason()
            Foundation.close(opened)
            throw taken ? .lockedByAnotherProcess(path: path) : .cannotOpen(path: path, reason: "\(file): \(reason)")
        }
        return opened
    }

    private static func hasNoName(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_nlink == 0
    }

    /// Whether the file has no other name. One that has may be anybody's: where the system lets them (`fs.protected_hardlinks` off), the server's user can link
    /// a file of another there, which root would write over.
    var isOfOneName: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_nlink <= 1
    }

    /// What it says, at most 4 KiB: of the file that is locked, and of no other that has its name by now.
    var content: [UInt8] { Self.content(of: descriptor) }

    /// The same of a lock file that anybody may have, or nobody; nil where there is none that can be read, or a link, and where it is no text.
    static func text(of file: String) -> String? {
        // A pipe that nobody writes into would be waited for without end.
        let opened = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { return nil }
        defer { Foundation.close(opened) }
        return String(validating: content(of: opened), as: UTF8.self)
    }

    private static func content(of descriptor: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        return Array(bytes.prefix(max(0, count)))
    }

    /// Whether anybody has it now, of a file that may be missing. Where that cannot be told nobody has; nor of a symbolic link, which none was taken through.
    static func isHeld(_ file: String) -> Bool {
        // A pipe that nobody writes into would be waited for without end.
        let opened = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { return false }
        defer { Foundation.close(opened) }
        // Shared, for a moment: two that look at once are not in each other's way.
        guard flock(opened, LOCK_SH | LOCK_NB) == 0 else { return errno == EWOULDBLOCK }
        flock(opened, LOCK_UN)
        return false
    }

    /// Said, and not left to closing: a program that is just being started has a copy of every descriptor for a moment, and would hold the lock that
    /// long.
    deinit {
        flock(descriptor, LOCK_UN)
        Foundation.close(descriptor)
    }
}
