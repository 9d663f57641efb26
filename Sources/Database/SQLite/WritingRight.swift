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
    /// Whether other files are made beside it, by the same server.
    private let inDataFolder: Bool

    /// - Parameter code: of the system call that has failed.
    init(
        of path: String, by user: uid_t = geteuid(), onlyReading onlyReads: Bool = false, inDataFolder: Bool = false, after code: Int32 = EACCES
    ) {
        (self.path, self.user, self.onlyReads, self.inDataFolder, isForAll) = (path, user, onlyReads, inDataFolder, code == EPERM)
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
        var status = stat()
        if stat(path, &status) == 0 {
            if status.st_mode & S_IFMT == S_IFDIR {
                return "\(path) is a folder, and a file is to be there: move the folder elsewhere, or name another file"
            }
            return words(on: path, status, needing: onlyReads ? 0o400 : 0o600, as: onlyReads ? "u+r" : "u+rw")
        }
        if errno == EACCES { return passage }
        if onlyReads { return nil }
        // A link that leads nowhere has its file made where it leads.
        let target = LinkTarget.last(of: path)
        let folder = FileWay.folder(of: target)
        guard stat(folder, &status) == 0 else {
            let word = shellWord(folder)
            return "make its folder for the user that the server runs as (mkdir -p -m 700 \(word) && chown -h \(name) \(word), as root, where that "
                + "is \(name)), or name another"
        }
        return words(on: folder, status, needing: 0o300, as: "u+wx", isFolder: true).map { "\($0); or \(ServerFiles.elsewhere(than: target))" }
    }

    private func words(on place: String, _ status: stat, needing mode: mode_t, as change: String, isFolder: Bool = false) -> String? {
        let word = shellWord(place)
        let attribute = onlyReads || isFolder && !isForAll ? nil : FileAttribute.inTheWay(of: place)?.words(on: place)
        if isForAll, let attribute { return attribute }
        guard status.st_uid == user else { return wordsOfAnother(on: place, status, isFolder: isFolder) }
        return status.st_mode & mode == mode ? attribute : "run chmod \(change) \(word) as \(name)"
    }

    /// Of what another user owns. What a link leads to is named as what it is, and given by `chown -h`, which follows none that is put there meanwhile: nobody
    /// would see whither.
    private func wordsOfAnother(on place: String, _ status: stat, isFolder: Bool) -> String {
        let (owner, target) = (FileOwner.words(of: status.st_uid), LinkTarget.last(of: place))
        let isLink = target != place
        let whose = (isLink ? "\(place) is a link to \(target), which is of \(owner)" : "\(place) is of \(owner)") + ", and this runs as \(name)"
        if let doubt = Self.doubt(on: target, status, isFolder: isFolder) {
            return "\(whose); \(doubt), so it may be anybody's, and no command is told that gives it away: look what it is"
        }
        let file = URL(fileURLWithPath: LinkTarget.last(of: path)).lastPathComponent
        if isFolder, let reason = reasonToKeep(target, with: file) {
            return "\(whose), and \(reason): run this as \(owner)\(making(in: target, with: file) ?? "")"
        }
        let given = [target] + (isFolder || isLink ? [] : others(of: status.st_uid))
        let condition = "if \(name) is the user that the server runs as\(isLink ? ", and this its own" : "")"
        return "\(whose): run this as \(owner), or, \(condition), run chown -h \(name) \(given.map(shellWord).joined(separator: " ")) as root"
    }

    /// Why a folder is not given to the server's user; nil where nothing is in it but what the server keeps there.
    private func reasonToKeep(_ folder: String, with file: String) -> String? {
        switch ServerFiles.standing(of: folder, with: file) {
        case .alone: nil
        case .shared: "it is not this server's alone"
        case .closed: "it cannot be looked into, so it may be this server's alone or not (to look \(name) needs r and x on it, as mode 0755 has them)"
        }
    }

    /// Why it may be anybody's: root gives away only what is a file of one name, or a folder, and what was looked at. Nil where nothing says so.
    /// - Parameter status: of what is to be given, links followed.
    private static func doubt(on target: String, _ status: stat, isFolder: Bool) -> String? {
        var named = stat()
        // Of a link that goes up behind another the target has not this name.
        guard lstat(target, &named) == 0, named.st_dev == status.st_dev, named.st_ino == status.st_ino else { return "it is not what its name says" }
        if isFolder { return nil }
        guard named.st_mode & S_IFMT == S_IFREG else { return "it is no regular file" }
        return named.st_nlink == 1 ? nil : "it has a second name, which find / -samefile \(shellWord(target)) tells"
    }

    /// What a folder for this server alone would be, in one that others have, too; nil where something has that name. What is there may be the other server's.
    private static func inner(of folder: String, with file: String) -> String? {
        guard let name = ServerFiles.folderName(with: file) else { return nil }
        let inner = URL(fileURLWithPath: folder).appendingPathComponent(name).path
        var status = stat()
        return lstat(inner, &status) != 0 && errno == ENOENT ? inner : nil
    }

    /// How that folder is made, by commands that take nothing which is there already, but for the server's files: it would be a new server without them. With a
    /// part of them it would be a new one, or a lost one, so none is told where one of them is no file of its user's.
    private func making(in folder: String, with file: String) -> String? {
        let files = ServerFiles.present(in: folder, with: file)
        guard let inner = Self.inner(of: folder, with: file), files.allSatisfy({ ServerFiles.isPlain($0, of: user) }) else { return nil }
        let word = shellWord(inner)
        let move = files.isEmpty ? "" : "mv -n \(files.map(shellWord).joined(separator: " ")) \(word) && "
        let along = files.isEmpty ? "" : ", take this server's files along,"
        return ", or make one in it for \(name)\(along) and name that (mkdir -m 700 \(word) && \(move)chown -h \(name) \(word), as root)"
    }

    /// What goes to the server's user by the same command: whoever gave it the file alone would be told of the next then.
    private func others(of owner: uid_t) -> [String] {
        let (folder, files) = (FileWay.folder(of: path), ServerFiles.others(beside: path, of: owner))
        var status = stat()
        let isTaken = stat(folder, &status) == 0 && status.st_uid == owner && access(folder, W_OK) != 0
        let isWanted = isTaken && (!onlyReads || inDataFolder) && LinkTarget.of(folder) == nil
        let isServers = isWanted && ServerFiles.standing(of: folder, with: URL(fileURLWithPath: path).lastPathComponent) == .alone
        return files + (isServers ? [folder] : [])
    }

    /// Of a file that a folder above it keeps from this process: it may be there or not.
    private var passage: String {
        guard let whole = FileWay.whole(path), let (folder, isOwn) = Self.closedFolder(above: whole) else {
            return "let the user \(name) through the folders above it, or run this as one who may"
        }
        var status = stat()
        if stat(folder, &status) == 0, status.st_uid == user, let lacking = Self.lacking(status, isToBeWritten: onlyReads ? isData(folder) : isOwn) {
            return "run chmod u+\(lacking) \(shellWord(folder)) as \(name)"
        }
        let link = FileWay.folders(above: whole).contains(folder) ? "" : ", have the link lead elsewhere that leads there"
        return "let the user \(name) through the folder \(folder) (chmod, as its owner)\(link), or run this as one who may"
    }

    /// Whether it is the one in which the server has its data: that of the file by its name, and not by where the file leads.
    private func isData(_ folder: String) -> Bool {
        inDataFolder && FileIdentity(of: folder) == FileIdentity(of: FileWay.folder(of: path))
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
