import Foundation

/// Finds a full disk, an exhausted quota or a file system that became read-only, by writing a little into a file without a name.
///
/// A transaction that is taken back would find none of these: it never leaves memory. And one that is kept costs a wait for the disk each time.
enum DiskProbe {
    /// More than any transaction of ours, so that the probe fails first.
    static let size = 65_536

    /// - Parameter path: of the database file, whose folder is written to.
    static func write(beside path: String) throws(SQLError) {
        let name = path + ".probe"
        let descriptor = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SQLError(writing: errno, path: path) }
        defer { Foundation.close(descriptor) }
        unlink(name)
        try fill(descriptor, for: path)
    }

    static func fill(_ descriptor: Int32, for path: String) throws(SQLError) {
        let block = [UInt8](repeating: 0, count: 16_384)
        for _ in 0..<(size / block.count) {
            let written = Foundation.write(descriptor, block, block.count)
            guard written >= 0 else { throw SQLError(writing: errno, path: path) }
            guard written == block.count else { throw .diskFull(path: path) }
        }
    }
}

extension SQLError {
    fileprivate init(writing code: Int32, path: String) {
        switch code {
        case ENOSPC, EDQUOT: self = .diskFull(path: path)
        case EFBIG: self = FileSizeLimit.refusal(of: path)
        default: self = .cannotWrite(path: path, reason: String(cString: strerror(code)).lowercased())
        }
    }
}
