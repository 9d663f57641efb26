import Foundation

/// What an operator does about a file that this process may not make, write or read: which file or folder is in the way, whose it is, and who is to have it.
struct WritingRight {
    /// The file.
    let path: String
    /// Who is to have it.
    private let user: uid_t
    /// Whether it is there and is to be read alone.
    private let onlyReads: Bool

    init(of path: String, by user: uid_t = geteuid(), onlyReading onlyReads: Bool = false) {
        (self.path, self.user, self.onlyReads) = (path, user, onlyReads)
    }

    /// Of what SQLite writes of a database, and does not name: the file, its log, or their folder. Nil where this process may write them all.
    init?(ofDatabaseAt path: String) {
        let closed = ["", "-wal", "-shm"].map { path + $0 }.first { access($0, F_OK) == 0 && access($0, R_OK | W_OK) != 0 }
        guard closed != nil || access(Self.folder(of: path), W_OK | X_OK) != 0 else { return nil }
        // One that SQLite would make beside it.
        self.init(of: closed ?? path + "-journal")
    }

    /// Nil where owner and mode keep nobody from it.
    var advice: String? {
        let folder = Self.folder(of: path)
        var status = stat()
        if stat(path, &status) == 0 { return words(on: path, status, needing: onlyReads ? 0o400 : 0o600, as: onlyReads ? "u+r" : "u+rw") }
        if errno == EACCES { return "let the user \(name) through the folders above it (chmod, as their owner), or run this as one who may" }
        if onlyReads { return nil }
        guard stat(folder, &status) == 0 else {
            let word = shellWord(folder)
            return "make its folder for the user that the server runs as (mkdir -p -m 700 \(word) && chown \(name) \(word), as root, where that is "
                + "\(name)), or name another"
        }
        return words(on: folder, status, needing: 0o300, as: "u+wx").map { "\($0); or name another folder" }
    }

    private func words(on place: String, _ status: stat, needing mode: mode_t, as change: String) -> String? {
        let word = shellWord(place)
        guard status.st_uid == user else {
            let owner = FileOwner.words(of: status.st_uid)
            return "\(place) is of \(owner), and this runs as \(name): run this as \(owner), or, if \(name) is the user that the server runs as, run "
                + "chown \(name) \(word) as root"
        }
        return status.st_mode & mode == mode ? nil : "run chmod \(change) \(word) as \(name)"
    }

    /// As `chown` takes it.
    private var name: String { FileOwner.name(of: user) ?? "\(user)" }

    private static func folder(of path: String) -> String { URL(fileURLWithPath: path).deletingLastPathComponent().path }
}
