import CLibPQ

/// What became of one message.
final class PostgreSQLAnswer {
    private let result: OpaquePointer

    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    var fault: PostgreSQLFault? {
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: nil
        default: PostgreSQLFault(result)
        }
    }

    /// What was done, in the server's word: `COMMIT`, `INSERT 0 1`.
    var word: String { String(cString: PQcmdStatus(result)) }

    /// How many rows were inserted, updated or deleted.
    var changes: Int {
        let word = word
        guard ["INSERT ", "UPDATE ", "DELETE "].contains(where: word.hasPrefix) else { return 0 }
        return word.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }

    /// Of a description: the types of the arguments.
    var parameterTypes: [Oid] { (0..<PQnparams(result)).map { PQparamtype(result, $0) } }

    /// The names of the columns.
    var columns: SQLColumns { SQLColumns(names: (0..<PQnfields(result)).map { PQfname(result, $0).map { String(cString: $0) } ?? "" }) }

    /// - Parameter columns: of this answer, as they were described.
    /// - Throws: ``SQLError``.
    func rows(_ columns: SQLColumns) throws -> [SQLRow] {
        let types = columns.names.indices.map { PQftype(result, Int32($0)) }
        return try (0..<PQntuples(result)).map { row in
            SQLRow(
                columns: columns,
                values: try types.indices.map { column in try value(row, Int32(column), of: types[column], in: columns.names[column]) })
        }
    }

    private func value(_ row: Int32, _ column: Int32, of type: Oid, in name: String) throws -> SQLValue {
        if PQgetisnull(result, row, column) == 1 { return .null }
        let bytes = UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
        return try SQLValue(bytes, of: type, in: name)
    }
}
