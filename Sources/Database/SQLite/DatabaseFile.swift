import Foundation

/// A look at the file of a database, before anybody decides what its absence means.
package enum DatabaseFile {
    /// What the system knows of it, of a link of where that leads; nil where there is nothing.
    ///
    /// That it may not be looked at is no absence: a folder on the way does not let this process through, and behind it may be all that a server has.
    /// - Throws: ``DatabaseOpenError/cannotOpen(path:reason:)`` for what is kept from this process, or cannot be told for another reason.
    package static func status(at path: String) throws(DatabaseOpenError) -> stat? {
        var status = stat()
        guard stat(path, &status) != 0 else { return status }
        let code = errno
        guard code == ENOENT || code == ENOTDIR else { throw .cannotOpen(path: path, reason: readingReason(code, of: path)) }
        return nil
    }

    /// Whether there is something, or may be: what this process may not look at counts.
    package static func mayBeThere(_ path: String) -> Bool {
        do { return try status(at: path) != nil } catch { return true }
    }
}
