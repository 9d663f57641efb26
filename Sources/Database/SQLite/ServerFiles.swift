import Foundation

/// What a server keeps in its folder, by names. Whoever is told to give one of them to the server's user is told of all, in one command; and a folder is given
/// away only where nothing else is in it.
package enum ServerFiles {
    /// Of database and key file of `serve`, without their ends.
    package static let authServer = "ostiary"
    /// The same of `second-factor`.
    package static let secondFactorServer = "second-factor"
    /// Of the API key that `serve` makes.
    package static let apiKey = "root-api-key"
    /// The same, until the database has said that it is the one of its nodes.
    package static let drawnAPIKey = apiKey + ".drawn"

    private static let ofDatabase = ["", "-wal", "-shm", "-journal", ".lock", ".first-start", ".first-start.part", ".moved", ".moved.part"]
    /// Between the name that a key file is to have and a UUID, while it is made.
    static let draftInfix = ".new-"
    private static let ofKey = ["", ".database"]
    /// Folders of the system, as the Filesystem Hierarchy Standard and Debian have them: other programs count on whose they are, also while nothing is in one.
    private static let ofSystem: Set<String> = [
        "/", "/bin", "/boot", "/dev", "/dev/shm", "/etc", "/etc/opt", "/etc/pki", "/etc/ssl", "/etc/ssl/private", "/home", "/lib", "/lib64", "/media",
        "/mnt", "/opt", "/proc", "/root", "/run", "/run/lock", "/sbin", "/srv", "/sys", "/tmp", "/usr", "/usr/bin", "/usr/lib", "/usr/lib64",
        "/usr/libexec", "/usr/local", "/usr/local/bin", "/usr/local/etc", "/usr/local/lib", "/usr/local/sbin", "/usr/local/share", "/usr/local/src",
        "/usr/sbin", "/usr/share", "/usr/src", "/var", "/var/backups", "/var/cache", "/var/db", "/var/lib", "/var/lib/misc", "/var/lib/private",
        "/var/local", "/var/lock", "/var/log", "/var/mail", "/var/opt", "/var/run", "/var/spool", "/var/tmp",
    ]

    /// All that the server may have beside a file of its own, that too; its database first. Of the other server nothing: they are two users, perhaps. By the
    /// name alone: what settings call by another name is not among them.
    static func names(with name: String) -> [String] {
        let base = base(of: name)
        return server(ofBase: base).map { names(of: $0) } ?? (ofDatabase + ofKey.dropFirst()).map { base + $0 }
    }

    /// What a folder of the server's own is called; nil where the name of its file says nothing of it.
    static func folderName(with name: String) -> String? {
        let base = base(of: name)
        let word = server(ofBase: base) ?? base.split(separator: ".").first.map(String.init) ?? ""
        return word.isEmpty ? nil : word
    }

    /// Of a file that lies beside a database or a key the name of that.
    private static func base(of name: String) -> String {
        let end = (ofDatabase + ofKey).first { !$0.isEmpty && name.hasSuffix($0) } ?? ""
        return String(name.dropLast(end.count))
    }

    /// Of a database or a key without its end; nil where it has another one than ours have.
    private static func server(ofBase base: String) -> String? {
        if base == apiKey || base == drawnAPIKey { return authServer }
        return [".sqlite", ".kek"].first { base.hasSuffix($0) }.map { String(base.dropLast($0.count)) }
    }

    private static func names(of server: String) -> [String] {
        ofDatabase.map { "\(server).sqlite\($0)" } + ofKey.map { "\(server).kek\($0)" } + (server == authServer ? [apiKey, drawnAPIKey] : [])
    }

    /// The other files of the same server that lie beside one and have the same owner.
    static func others(beside path: String, of owner: uid_t) -> [String] {
        let (folder, name) = (FileWay.folder(of: path), URL(fileURLWithPath: path).lastPathComponent)
        return names(with: name).filter { $0 != name }.map { "\(folder)/\($0)" }.filter { isPlain($0, of: owner) }
    }

    /// Whether it is a file of an owner's: no link, and nothing that has a second name. What that is may be anybody's, and root would give it away.
    static func isPlain(_ file: String, of owner: uid_t) -> Bool {
        var status = stat()
        return lstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1 && status.st_uid == owner
    }

    /// What is in a folder by the names that the server's files have, be it a file, a link or anything else.
    /// - Parameter name: of a file that the server has there, or is to have.
    static func present(in folder: String, with name: String) -> [String] {
        names(with: name).map { URL(fileURLWithPath: folder).appendingPathComponent($0).path }.filter { file in
            var status = stat()
            return lstat(file, &status) == 0
        }
    }

    /// What whoever cannot make a file in its folder does instead: where the server has files there a folder without them would be a new server's.
    static func elsewhere(than path: String) -> String {
        let isBare = present(in: FileWay.folder(of: path), with: URL(fileURLWithPath: path).lastPathComponent).isEmpty
        return isBare ? "name another folder" : "take this server's files to another folder, and name that"
    }

    /// Whose a folder is by what is in it.
    enum Standing: Equatable {
        /// Nothing is in it but what this server keeps there: it may be given to the server's user.
        case alone
        /// Others have something there, or it is one of the system's.
        case shared
        /// It cannot be looked into.
        case closed
    }

    /// - Parameters:
    ///   - name: of a file that the server has there, or is to have.
    ///   - listing: the names of what is in a folder; nil where it cannot be looked into.
    static func standing(
        of folder: String, with name: String, listing: (String) -> [String]? = { try? FileManager.default.contentsOfDirectory(atPath: $0) }
    ) -> Standing {
        guard !ofSystem.contains(URL(fileURLWithPath: folder).resolvingSymlinksInPath().path) else { return .shared }
        guard let found = listing(folder) else { return .closed }
        // A file system has it in its own folder.
        let known = Set(names(with: name)).union(["lost+found"])
        return found.allSatisfy { known.contains($0) || isDraft($0, of: known) } ? .alone : .shared
    }

    /// Whether it is what a start that was killed has left of a key.
    private static func isDraft(_ found: String, of known: Set<String>) -> Bool {
        guard let infix = found.range(of: draftInfix, options: .backwards) else { return false }
        return known.contains(String(found[..<infix.lowerBound])) && UUID(uuidString: String(found[infix.upperBound...])) != nil
    }
}
