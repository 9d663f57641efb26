import Foundation

/// A file that holds 32 secret bytes as 64 hexadecimal digits and that nobody but its owner can read.
package enum KeyFile {
    /// Reads a file, which is made with mode 0600 if the path does not exist.
    ///
    /// The file appears complete or not at all; of two processes that make it at once, both end with the same key.
    /// - Parameters:
    ///   - inDataFolder: whether the server writes other files beside it.
    ///   - newKey: 32 bytes for a new file.
    /// - Throws: ``KeyFileError``.
    package static func read(orMakeAt path: String, inDataFolder: Bool = false, newKey: () -> [UInt8]) throws(KeyFileError) -> [UInt8] {
        if isMissing(path) { try make(at: path, holding: newKey()) }
        return try read(path, inDataFolder: inDataFolder)
    }

    /// Whether there is nothing at a path. What cannot be looked at may be there, and so may what a link leads to, be it the file or a folder above it: the
    /// disk is not mounted, perhaps, and no other key is made meanwhile.
    package static func isMissing(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 && errno == ENOENT && FileWay.trouble(above: path) == nil
    }

    /// - Throws: ``KeyFileError/unreadable(path:reason:)`` of a file that this process may not read, whatever is in it.
    package static func checkReadable(_ path: String) throws(KeyFileError) {
        guard access(path, R_OK) != 0 else { return }
        throw .unreadable(path: path, reason: readingReason(errno, of: path))
    }

    /// Reads a file that must be there, and removes what a start that was killed while it made the file has left beside it.
    /// - Parameter inDataFolder: whether the server writes other files beside it.
    /// - Returns: 32 bytes.
    /// - Throws: ``KeyFileError``.
    package static func read(_ path: String, inDataFolder: Bool = false) throws(KeyFileError) -> [UInt8] {
        let key = try content(of: path, inDataFolder: inDataFolder)
        KeyDraft.removeLeft(of: path)
        return key
    }

    /// Whether a text is what a key file holds, in small digits or large. Not of a file that is missing or cannot be used, which whoever opens it is told. Takes
    /// the same time wherever the two differ.
    package static func holds(_ text: String, at path: String) -> Bool {
        guard let ours = bytes(hexadecimal: text), let theirs = try? content(of: path) else { return false }
        return zip(ours, theirs).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Gives a key file that was made under another name its own. Of a file that has that name already both stay, unless it holds the same.
    /// - Parameter text: what the draft holds, in digits.
    /// - Throws: ``KeyFileError/unwritable(path:reason:)``, ``KeyFileError/taken(path:draft:)``.
    package static func rename(_ draft: String, holding text: String, to path: String) throws(KeyFileError) {
        let code = link(draft, path) == 0 ? 0 : errno
        if code != 0 {
            let isThere = code == EEXIST || code == ENOENT && !isMissing(path)
            guard isThere else { throw .unwritable(path: path, reason: makingReason(code, of: path)) }
            // Else another start in the same folder was first, with the same draft.
            guard holds(text, at: path) else { throw .taken(path: path, draft: draft) }
        }
        remove(draft)
    }

    /// Removes one that nobody is to have, as far as that can be done.
    package static func remove(_ path: String) {
        unlink(path)
        synchronizeFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    private static func content(of path: String, inDataFolder: Bool = false) throws(KeyFileError) -> [UInt8] {
        // A pipe that nobody writes into would be waited for without end.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(path: path, reason: readingReason(errno, of: path, inDataFolder: inDataFolder)) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable(path: path, reason: systemReason()) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .unreadable(path: path, reason: "no regular file") }
        guard status.st_mode & 0o077 == 0 else { throw .readableByOthers(path: path) }
        guard let data = try? file.read(upToCount: 256), let text = String(data: data, encoding: .utf8) else { throw .malformed(path: path) }
        let digits = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let key = bytes(hexadecimal: digits) else { throw .malformed(path: path) }
        return key
    }

    /// Writes a new key beside the path, then gives it the name in one step that fails if the name is taken.
    private static func make(at path: String, holding key: [UInt8]) throws(KeyFileError) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .unwritable(path: path, reason: folderReason(error, of: path))
        }
        let draft = try KeyDraft(of: path)
        defer {
            unlink(draft.path)
            // Said, so that it is open until then.
            try? draft.file.close()
        }
        try write(Array((hexadecimal(key) + "\n").utf8), to: draft.file.fileDescriptor, of: path)
        guard link(draft.path, path) == 0 || errno == EEXIST else { throw .unwritable(path: path, reason: makingReason(errno, of: path)) }
        synchronizeFolder(folder)
    }

    /// Writes the text of a key and waits until the disk has it.
    /// - Parameter path: of the key file that is made.
    static func write(_ text: [UInt8], to descriptor: Int32, of path: String) throws(KeyFileError) {
        if let reason = failure(writing: text, to: descriptor) { throw .unwritable(path: path, reason: reason) }
    }
}

/// Why a key file cannot be used. Each is told to the operator as one line.
package enum KeyFileError: Error, Equatable, Sendable {
    case unreadable(path: String, reason: String)
    case unwritable(path: String, reason: String)
    case readableByOthers(path: String)
    case malformed(path: String)
    /// Another key has the name that one is to get which was made under another name.
    case taken(path: String, draft: String)
    /// There is the database, and not its key.
    case missing(path: String, database: String)
    /// The same of a root key that is kept apart, which the database may never have had.
    case rootKeyMissing(path: String, database: String)
}

extension KeyFileError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadable(let path, let reason): "cannot read the key file \(path): \(reason)"
        case .unwritable(let path, let reason): "cannot make the key file \(path): \(reason)"
        case .readableByOthers(let path):
            "others than its owner can read the key file \(path): run chmod 600 \(shellWord(path)). Never write another key into it, which opens no "
                + "database that is there, and nothing exchanges one; whoever may have read it must not come by the database or a copy of it"
        case .malformed(let path):
            "the key file \(path) does not hold 64 hexadecimal digits: put back the copy that was kept of it (of several nodes all have the same file); never make "
                + "a new one for a database that is there, which no other key opens. The file was left as it is, and nothing of it is told; for a new server "
                + "openssl rand -hex 32 makes what belongs in it"
        case .taken(let path, let draft):
            "the key file \(path) holds another key than \(draft), which was to get its name: both were left as they are"
        case .missing(let path, let database):
            "the key file \(path) of the database \(database) is missing: put back the copy that was kept of it, or name the file that belongs to "
                + "the database (of several nodes all have the same: copy that of the first one); no other key opens it, so none was made"
        case .rootKeyMissing(let path, let database):
            "the key file \(path) of the database \(database) is missing: put back the copy that was kept of it, or name the file that belongs to "
                + "the database; a database that was made without --root-key takes none later: start it without"
        }
    }
}

private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.reduce(into: "") { $0 += String(UInt16($1) + 256, radix: 16).dropFirst() }
}

/// The 32 bytes of 64 hexadecimal digits, or nil for anything else.
private func bytes(hexadecimal text: String) -> [UInt8]? {
    guard text.utf8.count == 64, text.allSatisfy(\.isHexDigit) else { return nil }
    let digits = Array(text)
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    return bytes.count == 32 ? bytes : nil
}
