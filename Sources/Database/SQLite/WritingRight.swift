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

    /// Of what SQLite opens of a database, and does not name: the file, its logs, or their folder. Nil where this process may write them all.
    init?(ofDatabaseAt path: String) {
        let closed = ["", "-wal", "-shm", "-journal"].map { path + $0 }.first(where: Self.isClosed)
        guard closed != nil || access(FileWay.folder(of: path), W_OK | X_OK) != 0 else { return nil }
        // One that SQLite would make beside it.
        self.init(of: closed ?? path + "-journal")
    }

    /// Whether this process cannot write a file that is there.
    private static func isClosed(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFDIR || access(path, R_OK | W_OK) != 0 || FileAttribute.inTheWay(of: path) != nil
    }

    /// Nil where owner and mode keep nobody from it.
    var advice: String? {
        let folder = FileWay.folder(of: path)
        var status = stat()
        if stat(path, &status) == 0 {
            if !onlyReads, status.st_mode & S_IFMT == S_IFDIR {
                return "\(path) is a folder, and a file is to be there: move the folder elsewhere, or name another file"
            }
            return words(on: path, status, needing: onlyReads ? 0o400 : 0o600, as: onlyReads ? "u+r" : "u+rw")
        }
        if errno == EACCES { return passage }
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
        if !onlyReads, let attribute = FileAttribute.inTheWay(of: place) { return attribute.words(on: place) }
        guard status.st_uid == user else {
            let owner = FileOwner.words(of: status.st_uid)
            return "\(place) is of \(owner), and this runs as \(name): run this as \(owner), or, if \(name) is the user that the server runs as, run "
                + "chown \(name) \(word) as root"
        }
        return status.st_mode & mode == mode ? nil : "run chmod \(change) \(word) as \(name)"
    }

    /// Of a file that a folder above it keeps from this process: it may be there or not.
    private var passage: String {
        let file = URL(fileURLWithPath: path).standardizedFileURL.path
        guard let folder = Self.closedFolder(above: file) else {
            return "let the user \(name) through the folders above it, or run this as one who may"
        }
        var status = stat()
        if stat(folder, &status) == 0, status.st_uid == user, let lacking = Self.lacking(status) {
            return "run chmod u+\(lacking) \(shellWord(folder)) as \(name)"
        }
        return "let the user \(name) through the folder \(folder) (chmod, as its owner), or run this as one who may"
    }

    /// What the owner of a folder may not, as `chmod` takes it, all at once: whoever gets one of them alone is told of the next then. Nil where nothing is lacking.
    private static func lacking(_ status: stat) -> String? {
        let rights: [(letter: String, bit: mode_t)] = [("r", 0o400), ("w", 0o200), ("x", 0o100)]
        let lacking = rights.filter { status.st_mode & $0.bit == 0 }.map { $0.letter }.joined()
        return lacking.isEmpty ? nil : lacking
    }

    /// As `chown` takes it.
    private var name: String { FileOwner.name(of: user) ?? "\(user)" }

    /// The first of the folders above a file, links followed as far as they can be read, that does not let this process through.
    private static func closedFolder(above path: String, links: Int = 0) -> String? {
        // As many as the system follows.
        guard links < 40 else { return nil }
        if let closed = FileWay.folders(above: path).first(where: { access($0, X_OK) != 0 && errno == EACCES }) {
            guard let target = LinkTarget.of(closed) else { return closed }
            return closedFolder(above: target, links: links + 1) ?? target
        }
        return LinkTarget.of(path).flatMap { closedFolder(above: $0, links: links + 1) }
    }
}
