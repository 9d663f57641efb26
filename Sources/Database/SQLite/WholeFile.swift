import Foundation

/// A small file that is there whole or not at all: half of one would be the word of something else. It is written as `FILE.part`, and gets its name when the
/// disk has it. What a process leaves that is killed between has a name that is known: the next that writes the file takes it, and it goes with the file.
package enum WholeFile {
    /// - Parameter text: short enough for one write.
    /// - Throws: ``SQLError/cannotWrite(path:reason:)``.
    package static func put(_ text: String, at path: String) throws(SQLError) { try put(text, at: path, owner: nil) }

    /// - Parameter owner: whose it becomes, where root writes it.
    static func put(_ text: String, at path: String, owner: FileOwner?) throws(SQLError) {
        let part = part(of: path)
        do throws(SQLError) {
            try write(text, to: part, of: path, owner: owner)
            guard rename(part, path) == 0 else { throw .cannotWrite(path: path, reason: systemReason()) }
        } catch {
            unlink(part)
            throw error
        }
        synchronizeFolder(folder(of: path))
    }

    /// - Throws: ``SQLError/cannotWrite(path:reason:)``.
    static func remove(_ path: String) throws(SQLError) {
        for file in [part(of: path), path] {
            guard unlink(file) == 0 || errno == ENOENT else { throw .cannotWrite(path: path, reason: systemReason()) }
        }
        synchronizeFolder(folder(of: path))
    }

    static func part(of path: String) -> String { path + ".part" }

    private static func folder(of path: String) -> String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

    private static func write(_ text: String, to part: String, of path: String, owner: FileOwner?) throws(SQLError) {
        let descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotWrite(path: path, reason: systemReason()) }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        owner?.take(descriptor)
        guard fchmod(descriptor, 0o600) == 0, Foundation.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
            throw .cannotWrite(path: path, reason: systemReason())
        }
    }
}
