import Foundation

/// The mark of a server's first start: a file beside the database, there before its key is made and until the database holds tables. It names the key.
///
/// A database without tables, with a key file, a log or a lock file near it, has two stories: a database that was lost, of which no new server may be
/// made, or a first start that was killed or met a full disk. While the mark is there, and no other key, it is the second. A start that was refused leaves the
/// mark as well: a key that is put back afterwards is another one, and that of a database that was lost. A database that is no file of ours has nothing
/// near it, and no mark.
package struct FirstStart: Sendable {
    private let database: String?

    package init(of url: DatabaseURL) {
        switch url {
        case .sqlite(let path): database = path
        case .postgresql: database = nil
        }
    }

    /// Whether one has begun, and not come to its end, by which what is there now was made.
    /// - Parameter keyID: of the key that is there, 4 bytes; nil where none is, or none can be read, and whoever goes on reads none either. Asked for
    ///   where a mark is there alone.
    package func isUnderWay(withKey keyID: @autoclosure () -> [UInt8]?) -> Bool {
        guard let (_, mark) = mark, access(mark, F_OK) == 0 else { return false }
        let named = FileManager.default.contents(atPath: mark) ?? Data()
        // Programs of before left it empty.
        guard !named.isEmpty, let keyID = keyID() else { return true }
        return named == Self.name(of: keyID)
    }

    /// A line.
    private static func name(of keyID: [UInt8]) -> Data {
        let digits = keyID.map { String(UInt16($0) + 256, radix: 16).dropFirst() }
        return Data("\(digits.joined())\n".utf8)
    }

    private var mark: (database: String, mark: String)? { database.map { ($0, $0 + ".first-start") } }

    /// Leaves the mark, with the folder, on stable storage, in the place of one that is there.
    /// - Parameter keyID: of the key that is made next, or was there before, 4 bytes.
    /// - Throws: ``DatabaseOpenError/cannotOpen(path:reason:)``.
    package func begin(withKey keyID: [UInt8]) throws(DatabaseOpenError) {
        guard let (database, mark) = mark else { return }
        let folder = URL(fileURLWithPath: mark).deletingLastPathComponent().path
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .cannotOpen(path: database, reason: folderReason(error, of: mark))
        }
        let part = mark + ".part"
        if let reason = Self.refusal(ofMark: part, naming: keyID) {
            unlink(part)
            throw .cannotOpen(path: database, reason: "\(mark): \(reason)")
        }
        guard rename(part, mark) == 0 else { throw .cannotOpen(path: database, reason: "\(mark): \(makingReason(errno, of: mark))") }
        synchronizeFolder(folder)
    }

    private static func refusal(ofMark part: String, naming keyID: [UInt8]) -> String? {
        let descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return makingReason(errno, of: part) }
        defer { close(descriptor) }
        return failure(writing: Array(name(of: keyID)), to: descriptor)
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
