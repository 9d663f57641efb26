import Database
import Foundation

/// A new database was to be made in the folder in which the other server has its own: one thief, or one backup, would have both with their keys.
struct OtherServersFolder: Error, CustomStringConvertible {
    /// The other server's database.
    let database: String

    var description: String {
        "the folder is that of the other server (\(database)): name a folder of its own for this one (--data); nothing was made"
    }

    /// - Parameters:
    ///   - url: of a database that holds nothing yet.
    ///   - other: file name, without its end, of the other server's database.
    /// - Throws: ``OtherServersFolder``.
    static func check(_ url: DatabaseURL, other: String) throws {
        switch url {
        case .sqlite(let path):
            let theirs = URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent("\(other).sqlite").path
            // That of its own is the one that is told where the folder lets nobody in.
            _ = try DatabaseFile.status(at: path)
            guard try theirs == URL(fileURLWithPath: path).path || DatabaseFile.status(at: theirs) == nil else {
                throw OtherServersFolder(database: theirs)
            }
        // One that holds the other server's tables is an ``OtherServersDatabase``.
        case .postgresql: return
        }
    }
}
