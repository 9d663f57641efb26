import GRDB
import GRDBSQLite

extension SQLError {
    /// What the last call on a connection failed with.
    init(sqlite connection: OpaquePointer?) {
        self.init(
            code: sqlite3_extended_errcode(connection), message: String(cString: sqlite3_errmsg(connection)), path: Self.path(of: connection))
    }

    /// What a call on a file of a connection answered.
    init(sqlite connection: OpaquePointer?, code: Int32) {
        self.init(code: code, message: String(cString: sqlite3_errstr(code)), path: Self.path(of: connection))
    }

    /// Nil for a database in memory.
    private static func path(of connection: OpaquePointer?) -> String? {
        guard let name = sqlite3_db_filename(connection, "main"), name.pointee != 0 else { return nil }
        return String(cString: name)
    }

    /// Whether the file, or the disk under it, is not what it was: primary codes IOERR, CORRUPT and NOTADB.
    var isDoubt: Bool {
        switch self {
        case .diskFails: true
        case .fault(let code, _): [11, 26].contains(code & 0xFF)
        default: false
        }
    }

    /// The same fault of a file that is damaged beyond doubt: CORRUPT and NOTADB. Nil for any other.
    func damage(of path: String) -> SQLError? {
        guard case .fault(let code, let message) = self, [11, 26].contains(code & 0xFF) else { return nil }
        return .damaged(path: path, reason: message)
    }

    /// What a statement could not be compiled for.
    init(grdb error: GRDB.DatabaseError, on connection: OpaquePointer?) {
        self.init(code: error.extendedResultCode.rawValue, message: error.message ?? "no detail", path: Self.path(of: connection))
    }

    /// SQLite's extended result code in our words (sqlite.org/rescode.html).
    private init(code: Int32, message: String, path: String?) {
        let detail = message.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? message
        switch ResultCode(rawValue: code) {
        case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID: self = .uniqueViolation(detail)
        case .SQLITE_CONSTRAINT_FOREIGNKEY: self = .foreignKeyViolation
        case let result where result.primaryResultCode == .SQLITE_CONSTRAINT: self = .checkViolation(detail)
        case let result where result.primaryResultCode == .SQLITE_BUSY: self = .busy
        case let result where result.primaryResultCode == .SQLITE_READONLY: self = .readOnly
        // The index of the log has to grow, too.
        case .SQLITE_FULL, .SQLITE_IOERR_SHMSIZE: self = .diskFull(path: path ?? "the database")
        // By its number: at a commit the system's own reason is not kept.
        case let result where result.primaryResultCode == .SQLITE_IOERR:
            let limit = result == .SQLITE_IOERR_WRITE ? FileSizeLimit.refusal(near: path) : nil
            self = limit ?? .diskFails(path: path ?? "the database", reason: "\(message), \(code)")
        // SQLite has no number for it. Of our own statements none names a table that its schema does not have.
        case .SQLITE_ERROR where message.hasPrefix("no such table: "): self = .tableMissing(path: path ?? "in memory")
        // Nor does one have a conflict with a key that its schema does not have.
        case .SQLITE_ERROR where message.hasSuffix("ON CONFLICT clause does not match any PRIMARY KEY or UNIQUE constraint"):
            self = .indexMissing(path: path ?? "in memory")
        default: self = .fault(code: Int(code), message: message)
        }
    }
}
