import Foundation

/// What a server keeps in its folder, by names. Whoever is told to give one of them to the server's user is told of all, in one command; and a folder is given
/// away only where it is a server's.
package enum ServerFiles {
    /// Of database and key file of `serve`, without their ends.
    package static let authServer = "ostiary"
    /// The same of `second-factor`.
    package static let secondFactorServer = "second-factor"
    /// Of the API key that `serve` makes.
    package static let apiKey = "root-api-key"
    /// The same, until the database has said that it is the one of its nodes.
    package static let drawnAPIKey = apiKey + ".drawn"

    private static let ofDatabase = ["", "-wal", "-shm", "-journal", ".lock", ".first-start", ".moved"]
    private static let ofKey = ["", ".database"]

    /// All that the server may have beside a file of its own, that too; its database first. Of the other server nothing: they are two users, perhaps.
    static func names(with name: String) -> [String] {
        let end = (ofDatabase + ofKey).first { !$0.isEmpty && name.hasSuffix($0) } ?? ""
        let base = String(name.dropLast(end.count))
        if base == apiKey || base == drawnAPIKey { return names(of: authServer) }
        for end in [".sqlite", ".kek"] where base.hasSuffix(end) { return names(of: String(base.dropLast(end.count))) }
        return (ofDatabase + ofKey.dropFirst()).map { base + $0 }
    }

    private static func names(of server: String) -> [String] {
        ofDatabase.map { "\(server).sqlite\($0)" } + ofKey.map { "\(server).kek\($0)" } + (server == authServer ? [apiKey, drawnAPIKey] : [])
    }

    /// The other files of the same server that lie beside one and have the same owner. No link, and nothing that has a second name: what that is may be
    /// anybody's, and root would give it away.
    static func others(beside path: String, of owner: uid_t) -> [String] {
        let (folder, name) = (FileWay.folder(of: path), URL(fileURLWithPath: path).lastPathComponent)
        return names(with: name).filter { $0 != name }.map { "\(folder)/\($0)" }.filter { other in
            var status = stat()
            return lstat(other, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1 && status.st_uid == owner
        }
    }

    /// Whether a folder is a server's: its database is in it, or nothing is but what a server keeps. One that cannot be looked into is not.
    /// - Parameter name: of a file that the server has there, or is to have.
    static func areAlone(in folder: String, with name: String) -> Bool {
        guard let found = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return false }
        let all = [names(with: name), names(of: authServer), names(of: secondFactorServer)]
        if all.contains(where: { found.contains($0[0]) }) { return true }
        // A file system has it in its own folder.
        let known = Set(all.joined()).union(["lost+found"])
        return known.isSuperset(of: found)
    }
}
