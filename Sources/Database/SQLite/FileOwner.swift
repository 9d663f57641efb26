import Foundation

/// Whose the files are to be that root makes for a server: its own user's. That one could not write to them else, nor read them.
struct FileOwner: Equatable, Sendable {
    private let user: uid_t
    private let group: gid_t

    /// Nil where there is nothing.
    private init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (user, group) = (status.st_uid, status.st_gid)
    }

    /// Of the server whose database is at a path, or shall be: that of the file, or of its folder where the file is root's. Nil where both are, and where this
    /// process is not root's, who alone may give files away.
    static func ofServer(at path: String) -> FileOwner? {
        guard geteuid() == 0 else { return nil }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return [path, folder].compactMap(FileOwner.init(of:)).first { $0.user != 0 }
    }

    /// Gives it a file that is root's. No descriptor of a database file may be closed while SQLite has it open, whose locks would go.
    func give(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        take(descriptor)
    }

    /// The same of a file that is open.
    func take(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        // One with a second name may be any file of root's: whoever has the folder can give it another name there.
        guard status.st_nlink == 1 else { return }
        _ = fchown(descriptor, user, group)
    }

    /// The owner of what is there, in words; nil where there is nothing.
    static func name(of path: String) -> String? {
        guard let owner = FileOwner(of: path) else { return nil }
        let name = (try? FileManager.default.attributesOfItem(atPath: path))?[.ownerAccountName] as? String
        return name ?? "the user \(owner.user)"
    }
}
