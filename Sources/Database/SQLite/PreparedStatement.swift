import GRDB
import GRDBSQLite

/// A compiled statement: binds arguments and reads rows.
final class PreparedStatement {
    private let statement: GRDB.Statement
    private var columns: SQLColumns
    let parameterCount: Int
    let isReadOnly: Bool

    init(_ statement: GRDB.Statement) {
        self.statement = statement
        columns = SQLColumns(names: statement.columnNames)
        parameterCount = Int(sqlite3_bind_parameter_count(statement.sqliteStatement))
        isReadOnly = statement.isReadonly
    }

    var pointer: OpaquePointer { statement.sqliteStatement }

    /// Ready for the next use; lets go of the rows' lock and of the arguments, which may be secrets.
    func reset() {
        sqlite3_reset(pointer)
        sqlite3_clear_bindings(pointer)
    }

    /// - Parameter fail: called when SQLite refuses an argument; throws.
    func bind(_ arguments: [SQLValue], orFail fail: () throws -> Void) throws {
        for (offset, argument) in arguments.enumerated() {
            if bind(argument, at: Int32(offset + 1)) != SQLITE_OK { try fail() }
        }
    }

    private func bind(_ value: SQLValue, at index: Int32) -> Int32 {
        switch value {
        case .null: sqlite3_bind_null(pointer, index)
        case .integer(let number): sqlite3_bind_int64(pointer, index, number)
        case .double(let number): sqlite3_bind_double(pointer, index, number)
        case .text(let text): sqlite3_bind_text(pointer, index, text, Int32(text.utf8.count), copyIt)
        case .blob(let bytes):
            bytes.isEmpty
                ? sqlite3_bind_zeroblob(pointer, index, 0)
                : bytes.withUnsafeBytes { sqlite3_bind_blob(pointer, index, $0.baseAddress, Int32($0.count), copyIt) }
        }
    }

    /// The row that the last step came to.
    func row() -> SQLRow {
        let count = sqlite3_column_count(pointer)
        if Int(count) != columns.names.count { columns = SQLColumns(names: statement.columnNames) }
        return SQLRow(columns: columns, values: (0..<count).map(value(at:)))
    }

    private func value(at column: Int32) -> SQLValue {
        switch sqlite3_column_type(pointer, column) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(pointer, column))
        case SQLITE_FLOAT: .double(sqlite3_column_double(pointer, column))
        case SQLITE_TEXT: .text(String(decoding: bytes(sqlite3_column_text(pointer, column), at: column), as: UTF8.self))
        case SQLITE_BLOB: .blob(Array(bytes(sqlite3_column_blob(pointer, column), at: column)))
        default: .null
        }
    }

    private func bytes(_ start: UnsafeRawPointer?, at column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(pointer, column)))
    }
}

/// Tells SQLite to copy an argument before the call returns.
private let copyIt = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
