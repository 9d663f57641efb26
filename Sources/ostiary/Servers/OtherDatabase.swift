import Database
import Foundation
import HTTPService

/// An empty database is named, and the key file has run with another: the URL was lost from the settings, or has a slip. A new server with the keys of one
/// that is somewhere else would be taken for it by whoever starts it, and by no phone.
struct OtherDatabase: Error, CustomStringConvertible {
    /// The empty one.
    let place: String
    let keyFile: String
    /// The one with which the key file has run.
    let former: String
    /// Where it is told: the file of the mark, or nil where the former one itself was found.
    let mark: String?
    let server: ServerKind

    var description: String {
        let new = "or, for a new server to whom nobody is enrolled, name a data folder and a key file of its own (--data, \(server.keySetting))"
        // A mark lies beside a key file, or where one was.
        let key = mark == nil && KeyFile.isMissing(keyFile) ? "" : "with the key file \(keyFile) "
        let begin = "the database \(place) is missing or empty, and a server has run \(key)on"
        if let mark {
            return "\(begin) \(former) (\(mark)): name that database (\(server.urlSetting)), or put it back; \(new), or remove \(mark)"
        }
        return "\(begin) \(former): name that (\(server.urlSetting)='sqlite:\(former)'), or move it first (ostiary admin move-database), "
            + "or remove it, if it is none; \(new)"
    }

    /// - Parameters:
    ///   - url: of a database that holds nothing yet.
    ///   - folder: of the server's data.
    /// - Throws: ``OtherDatabase``, `DatabaseOpenError` where it cannot be told whether there is a file.
    static func check(_ url: DatabaseURL, keyFile: String, of server: ServerKind, in folder: DataFolder) throws {
        let mark = DatabaseMark(of: url, keyFile: keyFile)
        if let former = mark.former, former != mark.database {
            throw OtherDatabase(place: url.place, keyFile: keyFile, former: former, mark: mark.path, server: server)
        }
        // Of a server that was last started before there were such marks.
        guard case .postgresql = url, !mark.isThere else { return }
        let folders = [folder.path, URL(fileURLWithPath: keyFile).deletingLastPathComponent().path]
        if let file = try folders.map({ "\($0)/\(server.fileName).sqlite" }).first(where: isFilled) {
            throw OtherDatabase(place: url.place, keyFile: keyFile, former: file, mark: nil, server: server)
        }
    }

    /// One that cannot be looked into counts: its folder takes no log, it is another user's, or it is damaged. It may be the server's all the same, and a new
    /// one beside it is what nobody wants.
    private static func isFilled(_ path: String) throws(DatabaseOpenError) -> Bool {
        guard try DatabaseFile.status(at: path) != nil else { return false }
        do { try checkContent(.ours, of: .sqlite(path: path)) } catch {
            switch error {
            case .empty, .notOurs, .unfinishedMove: return false
            default: return true
            }
        }
        return true
    }
}
