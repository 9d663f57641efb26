import GRDB
import GRDBSQLite

extension SQLError {
    /// What the last call on a connection failed with.
    init(sqlite connection: OpaquePointer?) {
        let path = sqlite3_db_filename(connection, "main").map { String(cString: $0) }
        self.init(code: sqlite3_extended_errcode(connection), message: String(cString: sqlite3_errmsg(connection)), path: path)
    }

    /// What a call on a file of a connection answered.
    init(sqlite connection: OpaquePointer?, code: Int32) {
        let path = sqlite3_db_filename(connection, "main").map { String(cString: $0) }
        self.init(code: code, message: String(cString: sqlite3_errstr(code)), path: path)
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

    init(grdb error: GRDB.DatabaseError) {
        self.init(code: error.extendedResultCode.rawValue, message: error.message ?? "no detail", path: nil)
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
            self = .diskFails(path: path ?? "the database", reason: "\(message), \(code)")
        default: self = .fault(code: Int(code), message: message)
        }
    }
}
