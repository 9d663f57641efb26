import Database
import Foundation

/// A database that is missing or empty where a server kept one: a new one would be a new server, to whom nobody is enrolled.
struct LostDatabase: Error, CustomStringConvertible {
    let path: String
    /// What the server left there.
    let traces: [String]
    /// Whether a file is there that is not of zero bytes: the copy of a database that was none, for example.
    let isFile: Bool

    var description: String {
        let names = traces.joined(separator: ", ")
        let rest = traces.count == 1 ? "that file" : "those files"
        return "the database \(path) is missing or empty, and a server has run with it (\(names)): put the database back; or, for a new server to "
            + "whom nobody is enrolled, remove \(isFile ? "it and \(rest)" : "\(rest) too")"
    }

    /// - Parameter url: of a database that holds nothing yet.
    /// - Throws: ``LostDatabase``.
    static func check(_ url: DatabaseURL, keyFile: String) throws {
        let mark = DatabaseMark(of: url, keyFile: keyFile)
        if case .postgresql(let address) = url, mark.isThere { throw LostDatabase(path: address.description, traces: [mark.path]) }
        guard case .sqlite(let path) = url else { return }
        let traces = (isBeside(keyFile, path) ? [keyFile] : []) + left(beside: path)
        guard traces.isEmpty else { throw LostDatabase(path: path, traces: traces) }
    }

    /// Of a file that is there without a table, and has a key file wherever that lies.
    init(of url: DatabaseURL, keyFile: String) {
        switch url {
        case .sqlite(let path): self.init(path: path, traces: [keyFile] + Self.left(beside: path), isFile: true)
        // Its key file may have been given to a new server; one of a database with tables is missed sooner.
        case .postgresql(let address): self.init(path: address.description, traces: [keyFile])
        }
    }

    private init(path: String, traces: [String], isFile: Bool = false) {
        (self.path, self.traces, self.isFile) = (path, traces, isFile)
    }

    /// What a server left beside its database. A link leads to the folder in which the database was.
    private static func left(beside path: String) -> [String] {
        let files = Set([URL(fileURLWithPath: path), URL(fileURLWithPath: path).resolvingSymlinksInPath()].map(\.standardizedFileURL.path))
        return files.flatMap { ["\($0)-wal", "\($0).lock"] }.filter(FileManager.default.fileExists(atPath:)).sorted()
    }

    /// Whether a key file is there, in the folder of the database, where a server makes it. One from elsewhere may have been given to a new
    /// server.
    private static func isBeside(_ keyFile: String, _ path: String) -> Bool {
        let folders = [keyFile, path].map { URL(fileURLWithPath: $0).deletingLastPathComponent().resolvingSymlinksInPath().path }
        return folders[0] == folders[1] && FileManager.default.fileExists(atPath: keyFile)
    }
}

/// That a server has run with a key file on a database that is no file: a file beside the key file, which names that database. An empty one in its place
/// is a lost one then, or a URL that leads elsewhere, and not a new server.
///
/// It comes with the first table, so a first start that was interrupted before goes on. Where the folder of the key file takes no files, as that of a
/// mounted secret, there is none.
struct DatabaseMark {
    private let database: String?
    /// The file.
    let path: String

    init(of url: DatabaseURL, keyFile: String) {
        switch url {
        case .sqlite: database = nil
        case .postgresql(let address): database = address.description
        }
        path = keyFile + ".database"
    }

    /// Whether a server has run with the key file on such a database.
    var isThere: Bool { database != nil && FileManager.default.fileExists(atPath: path) }

    /// Leaves it, of a database that holds tables.
    func leave() {
        guard let database, let content = "\(database)\n".data(using: .utf8), FileManager.default.contents(atPath: path) != content else { return }
        _ = FileManager.default.createFile(atPath: path, contents: content, attributes: [.posixPermissions: 0o600])
    }
}
