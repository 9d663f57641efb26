import Database

extension CountingDatabase {
    /// The steps of the plan by which SQLite carries a statement out, whatever its arguments are.
    package func plan(of statement: String) async throws -> [String] {
        let parameters = (1...40).filter { statement.contains("$\($0)") }.max() ?? 0
        return try await transaction { connection in
            try connection.query("EXPLAIN QUERY PLAN \(statement)", [SQLValue](repeating: .null, count: parameters)).map { try $0.text("detail") }
        }
    }
}
