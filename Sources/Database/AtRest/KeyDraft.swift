import Foundation

/// The file beside a key file that a new key is written into before it has its name. It is locked as long as its process works on it, so that a later
/// start knows one that a kill has left: it may hold the very key, or one that wraps nothing.
struct KeyDraft {
    let path: String
    let file: FileHandle

    /// A new one, with mode 0600.
    /// - Parameter name: the path that the key is to have.
    /// - Throws: ``KeyFileError/unwritable(path:reason:)``.
    init(of name: String) throws(KeyFileError) {
        while true {
            let draft = name + ServerFiles.draftInfix + UUID().uuidString
            let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw .unwritable(path: name, reason: makingReason(errno, of: name)) }
            // Where the file system has no locks, nobody finds it free either.
            let isTaken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
            // Until now another start may have taken it for one that was left.
            if !isTaken, Self.hasName(descriptor) {
                path = draft
                file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
                return
            }
            close(descriptor)
            unlink(draft)
        }
    }

    /// Removes those of a key file on which no process works any more, as far as that can be done.
    static func removeLeft(of name: String) {
        let url = URL(fileURLWithPath: name)
        let (folder, beginning) = (url.deletingLastPathComponent().path, url.lastPathComponent + ServerFiles.draftInfix)
        for found in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where found.hasPrefix(beginning) {
            if UUID(uuidString: String(found.dropFirst(beginning.count))) != nil { removeIfLeft(folder + "/" + found) }
        }
    }

    private static func removeIfLeft(_ draft: String) {
        let descriptor = open(draft, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else { return }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return }
        unlink(draft)
        flock(descriptor, LOCK_UN)
    }

    private static func hasName(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_nlink > 0
    }
}
