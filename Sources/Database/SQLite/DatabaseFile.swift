import Foundation

/// A look at the file of a database, before anybody decides what its absence means.
package enum DatabaseFile {
    /// What the system knows of it, of a link of where that leads; nil where there is nothing.
    ///
    /// That it may not be looked at is no absence: a folder on the way does not let this process through, and behind it may be all that a server has.
    /// - Parameter isFolder: of one in which files are, and not of a file that is to be written.
    /// - Throws: ``DatabaseOpenError/cannotOpen(path:reason:)`` for what is kept from this process, or cannot be told for another reason.
    package static func status(at path: String, isFolder: Bool = false) throws(DatabaseOpenError) -> stat? {
        var status = stat()
        guard stat(path, &status) != 0 else { return status }
        let code = errno
        guard code == ENOENT || code == ENOTDIR else {
            throw .cannotOpen(path: path, reason: isFolder ? readingReason(code, of: path) : makingReason(code, of: path))
        }
        return nil
    }

    /// Where it leads, of a link that leads nowhere now; nil for all else.
    package static func missingTarget(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) != 0, errno == ENOENT else { return nil }
        return LinkTarget.of(path)
    }

    /// Refuses a link into a folder that is not there, and a folder that is such a link: the disk that it leads to, most likely. Nor is a file a folder, nor
    /// a link what SQLite has beside the database.
    /// - Throws: ``DatabaseOpenError/cannotOpen(path:reason:)``.
    package static func checkLink(_ path: String) throws(DatabaseOpenError) {
        if let trouble = FileWay.trouble(above: path) { throw .cannotOpen(path: path, reason: "\(trouble); nothing was made") }
        try checkSides(of: path)
        guard let target = missingTarget(of: path) else { return }
        let folder = URL(fileURLWithPath: target).deletingLastPathComponent().path
        guard try status(at: folder, isFolder: true) == nil else { return }
        let reason = "it is a link to \(target), and there is no folder \(folder): mount the disk that it is on; nothing was made"
        throw .cannotOpen(path: path, reason: reason)
    }

    /// Refuses what is neither a file nor a folder nor a link in the place of the database, or of what lies beside it: a pipe would hold up whoever opens it, or
    /// be told as a disk that fails, or as a database that was lost. Nothing is opened.
    /// - Throws: ``DatabaseOpenError/cannotOpen(path:reason:)``.
    package static func checkKinds(of path: String) throws(DatabaseOpenError) {
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        // The mark of a first start lies beside the name that is given, and what SQLite has beside the file itself.
        let followed = [path, MovedFile.path(of: path), path + ".first-start"]
        let unfollowed = [path + ".first-start.part"] + sides.map { file + $0 }
        let strangers = followed.lazy.compactMap { FileWay.stranger(at: $0) }
        guard let found = strangers.first ?? unfollowed.lazy.compactMap({ FileWay.stranger(at: $0, followsLinks: false) }).first else { return }
        throw .cannotOpen(path: path, reason: found)
    }

    /// What SQLite has beside a database.
    private static let sides = ["-wal", "-shm", "-journal"]

    /// Refuses a link in the place of what SQLite has beside a database. It follows none: of a log it says no more than that it cannot open the database, and
    /// of a journal that leads nowhere nothing at all, though the database may be half of what it was. Nor is anything else there that is no file.
    /// - Throws: ``DatabaseOpenError/cannotOpen(path:reason:)``.
    static func checkSides(of path: String) throws(DatabaseOpenError) {
        try checkKinds(of: path)
        // Where a link leads SQLite has them, too.
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        for suffix in sides {
            let side = file + suffix
            guard LinkTarget.of(side) != nil else { continue }
            let target = LinkTarget.last(of: side)
            let (fact, remedy) = words(ofSide: side, to: target, of: file)
            let whole = suffix == "-shm" ? "run rm \(shellWord(side)), and it is made anew" : remedy
            throw .cannotOpen(path: path, reason: "\(side) is a link to \(target)\(fact), and SQLite follows none: \(whole)")
        }
    }

    /// What is to be said of that to which a link leads, and what an operator does.
    private static func words(ofSide side: String, to target: String, of file: String) -> (fact: String, remedy: String) {
        if missingTarget(of: side) != nil { return (", which is not there", "mount the disk that it is on, and start again; or restore a backup") }
        if isOwn(target, behind: side, of: file) { return ("", "run mv \(shellWord(target)) \(shellWord(side))") }
        return (", which need not be of this database", "look who has put the link there, and what it leads to")
    }

    /// Whether what a link leads to is the database's for sure: a file of one name whose owner has put all the links there, and has the database. Whoever may
    /// write to the folder puts a link there to any file, which root would move.
    private static func isOwn(_ target: String, behind side: String, of file: String) -> Bool {
        var (found, database) = (stat(), stat())
        guard lstat(target, &found) == 0, found.st_mode & S_IFMT == S_IFREG, found.st_nlink == 1 else { return false }
        guard FileIdentity(of: side) == FileIdentity(of: target) else { return false }
        let isLinkedByOwner = sequence(first: side) { LinkTarget.of($0) }.prefix(41).allSatisfy { place in
            var link = stat()
            return lstat(place, &link) == 0 && link.st_uid == found.st_uid
        }
        // Root's own is a server's file only where the database is root's, too.
        let isOfProcess = geteuid() != 0 && found.st_uid == geteuid()
        return isLinkedByOwner && (isOfProcess || stat(file, &database) == 0 && database.st_uid == found.st_uid)
    }
}

/// Where links lead.
enum LinkTarget {
    /// The place that a link names, as it is; nil for what is no link.
    static func of(_ link: String) -> String? {
        guard let text = try? FileManager.default.destinationOfSymbolicLink(atPath: link) else { return nil }
        let folder = URL(fileURLWithPath: link).deletingLastPathComponent()
        return URL(fileURLWithPath: text, relativeTo: folder).standardizedFileURL.path
    }

    /// Where the last of the links behind a place leads, as far as they can be read; the place itself where it is no link.
    static func last(of place: String) -> String {
        var place = place
        // As many as the system follows.
        for _ in 0..<40 {
            guard let target = of(place) else { break }
            place = target
        }
        return place
    }
}
