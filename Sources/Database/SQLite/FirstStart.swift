import Foundation

/// The mark of a server's first start: an empty file beside the database, there before anything else is made and until the database holds tables.
///
/// A database without tables, with a key file, a log or a lock file near it, has two stories: a database that was lost, of which no new server may be
/// made, or a first start that was killed or met a full disk. While the mark is there it is the second. A database that is no file of ours has nothing
/// near it, and no mark.
package struct FirstStart: Sendable {
    private let database: String?

    package init(of url: DatabaseURL) {
        switch url {
        case .sqlite(let path): database = path
        case .postgresql: database = nil
        }
    }

    package var isUnderWay: Bool { mark.map { access($0.mark, F_OK) == 0 } ?? false }

    private var mark: (database: String, mark: String)? { database.map { ($0, $0 + ".first-start") } }

    /// Leaves the mark, with the folder, on stable storage.
    /// - Throws: ``DatabaseOpenError/cannotOpen(path:reason:)``.
    package func begin() throws(DatabaseOpenError) {
        guard let (database, mark) = mark else { return }
        let folder = URL(fileURLWithPath: mark).deletingLastPathComponent().path
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .cannotOpen(path: database, reason: folderReason(error, of: mark))
        }
        let descriptor = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotOpen(path: database, reason: "\(mark): \(makingReason(errno, of: mark))") }
        close(descriptor)
        synchronizeFolder(folder)
    }

    /// Removes the mark, of a database that holds tables. A mark that stayed would make a new server of a database that is lost later.
    /// - Throws: ``DatabaseOpenError/cannotOpen(path:reason:)``.
    package func end() throws(DatabaseOpenError) {
        guard let (database, mark) = mark else { return }
        guard unlink(mark) == 0 || errno == ENOENT else { throw .cannotOpen(path: database, reason: "\(mark): \(makingReason(errno, of: mark))") }
        synchronizeFolder(URL(fileURLWithPath: mark).deletingLastPathComponent().path)
    }
}

/// Makes names that were made or removed in a folder survive a power cut.
func synchronizeFolder(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
}
