import Database
import Foundation
import HTTPService

/// A database that is missing or empty where a server kept one: a new one would be a new server, to whom nobody is enrolled.
struct LostDatabase: Error, CustomStringConvertible {
    let path: String
    /// What the server left there.
    let traces: [String]
    /// Whether a file is there that is not of zero bytes: the copy of a database that was none, for example.
    let isFile: Bool
    /// Whether it is one of a server of databases, which shows a role the tables of one schema.
    let isPostgreSQL: Bool

    var description: String {
        let back =
            if isPostgreSQL {
                "put the database back; or, where its tables are in another schema, name that in the search_path of this role (ALTER ROLE … SET search_path), "
                    + "of which the first schema that is there counts"
            } else { "put the database back" }
        let link = DatabaseFile.missingTarget(of: path).map { ", a link to \($0)," } ?? ""
        let run = "and a server has run with it (\(traces.joined(separator: ", ")))"
        return "the database \(path)\(link) is missing or empty, \(run): \(back); or, for a new server to whom nobody is enrolled, remove "
            + "\(((isFile ? [path] : []) + traces).joined(separator: ", "))"
    }

    /// - Parameters:
    ///   - url: of a database that holds nothing yet.
    ///   - folder: of the server's data.
    /// - Throws: ``OtherDatabase``, ``LostDatabase``.
    static func check(_ url: DatabaseURL, keyFile: String, of server: ServerKind, in folder: DataFolder) throws {
        try OtherDatabase.check(url, keyFile: keyFile, of: server, in: folder)
        let marks = DatabaseMark(of: url, keyFile: keyFile).traces
        let traces: [String]
        switch url {
        case .sqlite(let path): traces = (isBeside(keyFile, path) ? [keyFile] : []) + marks + left(beside: path)
        case .postgresql: traces = marks
        }
        guard traces.isEmpty else { throw LostDatabase(path: url.place, traces: traces, isPostgreSQL: url.isPostgreSQL) }
    }

    /// Of a file that is there without a table, and has a key file wherever that lies.
    init(of url: DatabaseURL, keyFile: String) {
        let marks = DatabaseMark(of: url, keyFile: keyFile).traces
        switch url {
        case .sqlite(let path): self.init(path: path, traces: [keyFile] + marks + Self.left(beside: path), isFile: true)
        // Its key file may have been given to a new server; one of a database with tables is missed sooner.
        case .postgresql(let address): self.init(path: address.description, traces: [keyFile] + marks, isPostgreSQL: true)
        }
    }

    private init(path: String, traces: [String], isFile: Bool = false, isPostgreSQL: Bool = false) {
        (self.path, self.traces, self.isFile, self.isPostgreSQL) = (path, traces, isFile, isPostgreSQL)
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

extension DatabaseURL {
    var isPostgreSQL: Bool { if case .postgresql = self { true } else { false } }

    /// For an operator's line: which database where.
    var place: String {
        switch self {
        case .sqlite(let path): path
        case .postgresql(let address): address.description
        }
    }
}
