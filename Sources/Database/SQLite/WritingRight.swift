import Foundation

/// What an operator does about a file that this process may not make, write or read: which file or folder is in the way, whose it is, and who is to have it.
struct WritingRight {
    /// The file.
    let path: String
    /// Who is to have it.
    private let user: uid_t
    /// Whether it is there and is to be read alone.
    private let onlyReads: Bool
    /// Whether the system lets nobody (EPERM): else owner and mode come before an attribute, and a folder has none in the way.
    private let isForAll: Bool

    /// - Parameter code: of the system call that has failed.
    init(of path: String, by user: uid_t = geteuid(), onlyReading onlyReads: Bool = false, after code: Int32 = EACCES) {
        (self.path, self.user, self.onlyReads, isForAll) = (path, user, onlyReads, code == EPERM)
    }

    /// Of what SQLite opens of a database, and does not name: the file, its logs, or their folder. Nil where this process may write them all.
    init?(ofDatabaseAt path: String) {
        var (file, code) = (path + "-journal", Int32(0))
        let suffixes = ["", "-wal", "-shm", "-journal"]
        for suffix in suffixes where code == 0 {
            guard let found = Self.refusal(of: path + suffix, countsEmpty: suffix != "-journal") else { continue }
            (file, code) = (path + suffix, found)
        }
        // Else the folder may take none that SQLite would make.
        if code == 0, access(FileWay.folder(of: path), W_OK | X_OK) != 0 { code = errno }
        guard code != 0 else { return nil }
        self.init(of: file, after: code)
    }

    /// Why this process cannot write a file that is there, as the number of an error; nil where it can, or there is none.
    /// - Parameter countsEmpty: false for a journal: SQLite takes one without a byte for none.
    private static func refusal(of path: String, countsEmpty: Bool) -> Int32? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        if status.st_mode & S_IFMT == S_IFDIR { return EISDIR }
        guard countsEmpty || status.st_size > 0 else { return nil }
        guard access(path, R_OK | W_OK) == 0 else { return errno }
        return FileAttribute.inTheWay(of: path) == nil ? nil : EPERM
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
        return words(on: folder, status, needing: 0o300, as: "u+wx", isFolder: true).map { "\($0); or name another folder" }
    }

    private func words(on place: String, _ status: stat, needing mode: mode_t, as change: String, isFolder: Bool = false) -> String? {
        let word = shellWord(place)
        let attribute = onlyReads || isFolder && !isForAll ? nil : FileAttribute.inTheWay(of: place)?.words(on: place)
        if isForAll, let attribute { return attribute }
        guard status.st_uid == user else {
            let owner = FileOwner.words(of: status.st_uid)
            return "\(place) is of \(owner), and this runs as \(name): run this as \(owner), or, if \(name) is the user that the server runs as, run "
                + "chown \(name) \(word) as root"
        }
        return status.st_mode & mode == mode ? attribute : "run chmod \(change) \(word) as \(name)"
    }

    /// Of a file that a folder above it keeps from this process: it may be there or not.
    private var passage: String {
        guard let (folder, isOwn) = FileWay.whole(path).flatMap({ Self.closedFolder(above: $0) }) else {
            return "let the user \(name) through the folders above it, or run this as one who may"
        }
        var status = stat()
        if stat(folder, &status) == 0, status.st_uid == user, let lacking = Self.lacking(status, isToBeWritten: isOwn && !onlyReads) {
            return "run chmod u+\(lacking) \(shellWord(folder)) as \(name)"
        }
        return "let the user \(name) through the folder \(folder) (chmod, as its owner), or run this as one who may"
    }

    /// What the owner of a folder may not, as `chmod` takes it, all at once: whoever gets one of them alone is told of the next then. Nil where nothing is
    /// lacking.
    /// - Parameter isToBeWritten: whether files are made in it; else one is only found there, or on the way through it.
    private static func lacking(_ status: stat, isToBeWritten: Bool) -> String? {
        let rights: [(letter: String, bit: mode_t)] = [("r", 0o400), ("w", isToBeWritten ? 0o200 : 0), ("x", 0o100)]
        let lacking = rights.filter { $0.bit != 0 && status.st_mode & $0.bit == 0 }.map { $0.letter }.joined()
        return lacking.isEmpty ? nil : lacking
    }

    /// As `chown` takes it.
    private var name: String { FileOwner.name(of: user) ?? "\(user)" }

    /// The first of the folders above a file, links followed as far as they can be read, that does not let this process through; and whether the file, or
    /// where it leads, lies in that folder itself.
    /// - Parameter isFile: false for the target of a link that is a folder on the way.
    private static func closedFolder(above path: String, isFile: Bool = true, links: Int = 0) -> (folder: String, isOwn: Bool)? {
        // As many as the system follows.
        guard links < 40 else { return nil }
        if let closed = FileWay.folders(above: path).first(where: { access($0, X_OK) != 0 && errno == EACCES }) {
            let isOwn = isFile && closed == FileWay.folder(of: path)
            guard let target = LinkTarget.of(closed) else { return (folder: closed, isOwn: isOwn) }
            return closedFolder(above: target, isFile: false, links: links + 1) ?? (folder: target, isOwn: isOwn)
        }
        return LinkTarget.of(path).flatMap { closedFolder(above: $0, isFile: isFile, links: links + 1) }
    }
}
