import Foundation

/// How large the system lets this process make a file (RLIMIT_FSIZE: `ulimit -f`, `LimitFSIZE=`). Beyond it a write is refused while the disk has room.
enum FileSizeLimit {
    /// In bytes; more than any file has where there is none.
    static var bytes: UInt64 {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? UInt64(limit.rlim_cur) : .max
    }

    /// Whether what is probed of the disk would find room below it in each file of a database. A file beside them shows nothing of it: it is a small one.
    /// - Parameter limit: in bytes.
    /// - Throws: ``SQLError/diskFails(path:reason:)``.
    static func check(_ path: String, limit: UInt64 = FileSizeLimit.bytes) throws(SQLError) {
        for name in [path, path + "-wal"] {
            guard size(of: name) + UInt64(DiskProbe.size) <= limit else { throw refusal(of: name, limit: limit) }
        }
    }

    /// What whoever writes beyond it is told.
    static func refusal(of path: String, limit: UInt64 = FileSizeLimit.bytes) -> SQLError { .diskFails(path: path, reason: words(limit)) }

    /// The same of a write of SQLite that has failed, where this may be why; nil where there is room below it. SQLite keeps no reason of the system's.
    /// - Parameter path: of the database; nil of one in memory.
    static func refusal(near path: String?, limit: UInt64 = FileSizeLimit.bytes) -> SQLError? {
        guard let path else { return nil }
        do { try check(path, limit: limit) } catch { return error }
        return nil
    }

    /// Why a file of this size cannot be written; nil where it may be.
    static func reason(against size: Int, limit: UInt64 = FileSizeLimit.bytes) -> String? { limit < size ? words(limit) : nil }

    static func words(_ limit: UInt64) -> String { "a file of this process may have \(limit) bytes: ulimit -f, LimitFSIZE" }

    /// 0 where there is none.
    private static func size(of path: String) -> UInt64 {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(status.st_size) : 0
    }

    #if canImport(Glibc)
    static let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
    static let resource = RLIMIT_FSIZE
    #endif
}
