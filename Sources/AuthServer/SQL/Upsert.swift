/// `INSERT … ON CONFLICT DO UPDATE` over the columns of a table: adds a row or puts it in the place of its former self.
struct Upsert: Sendable {
    let sql: String

    /// - Parameter key: the columns of the primary key or of a unique index, which stand first in `columns`.
    init(_ table: String, key: [String], columns: [String]) {
        let places = (1...columns.count).map { "$\($0)" }.joined(separator: ", ")
        let updates = columns.filter { !key.contains($0) }.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        sql = """
            INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(places))
            ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE SET \(updates)
            """
    }
}
