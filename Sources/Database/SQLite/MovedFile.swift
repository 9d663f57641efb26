import Foundation

/// That the rows of a database file are in another database since a move: a file beside it with that one's URL. No row and no page of the database says it,
/// so that a move changes none; and it is still there when the file was removed.
enum MovedFile {
    /// Beside a database file, by whatever name that was given.
    static func path(of database: String) -> String { URL(fileURLWithPath: database).resolvingSymlinksInPath().path + ".moved" }

    /// - Throws: ``DatabaseOpenError/movedAway(path:target:mark:)``; ``DatabaseOpenError/cannotOpen(path:reason:)`` of what no move has left.
    static func check(_ database: String) throws(DatabaseOpenError) {
        if let found = FileWay.stranger(at: path(of: database)) { throw .cannotOpen(path: database, reason: found) }
        if let word = word(beside: database) { throw .movedAway(path: database, target: word.target, mark: word.mark) }
    }

    /// What it says, if it is there.
    static func word(beside database: String) -> MovedWord? {
        let path = path(of: database)
        // A link that leads nowhere, or where this process may not look, is there as well: a file that was moved away would be started on for one that was not.
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        guard access(path, R_OK) == 0 else { return MovedWord(target: nil, mark: .unreadFile(path, reason: readingReason(errno, of: path))) }
        // A pipe would be waited for.
        if let found = FileWay.stranger(at: path) { return MovedWord(target: nil, mark: .unreadFile(path, reason: found)) }
        let text = FileManager.default.contents(atPath: path).flatMap { String(bytes: $0.prefix(4096), encoding: .utf8) } ?? ""
        let target = operatorLine(text)
        return MovedWord(target: target.isEmpty ? nil : target, mark: .file(path))
    }

    /// - Throws: ``SQLError/cannotWrite(path:reason:)``.
    static func leave(beside database: String, target: String) throws(SQLError) {
        let path = path(of: database)
        // One of which half was written would be the word of another move.
        let part = path + ".part"
        // What a killed move has left, or anybody put there, is not written into: root would have the content and the owner of another's file.
        guard unlink(part) == 0 || errno == ENOENT else {
            let code = errno
            // One that stays, since its folder only grows, is nobody's trouble but the folder's.
            throw .cannotWrite(path: path, reason: makingReason(code, of: code == EISDIR ? part : path))
        }
        let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotWrite(path: path, reason: makingReason(errno, of: part)) }
        // Before the other database may be started on: a power cut would take the mark, and this one could be, too.
        let refusal = failure(writing: Array("\(target)\n".utf8), to: descriptor)
        close(descriptor)
        let code = refusal != nil || rename(part, path) == 0 ? 0 : errno
        if refusal != nil || code != 0 {
            unlink(part)
            throw .cannotWrite(path: path, reason: refusal ?? makingReason(code, of: path))
        }
        synchronizeFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    /// Of a file that takes the rows of a move itself, or has them already.
    /// - Throws: ``SQLError/cannotWrite(path:reason:)``.
    static func remove(beside database: String) throws(SQLError) {
        let path = path(of: database)
        guard unlink(path) == 0 || errno == ENOENT else { throw .cannotWrite(path: path, reason: makingReason(errno, of: path)) }
        synchronizeFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }
}
