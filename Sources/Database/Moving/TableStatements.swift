/// The statements by which the rows of a table are read in the order of their key, and written.
struct TableStatements: Sendable {
    private let first: String
    private let next: String
    private let keyPlaces: [Int]
    private let beginning: String
    private let width: Int

    /// - Parameter most: rows of one page.
    init(_ table: TableShape, most: Int) {
        let (columns, key) = (Self.list(table.columns), Self.list(table.key))
        let places = table.key.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        first = "SELECT \(columns) FROM \"\(table.name)\" ORDER BY \(key) LIMIT \(most)"
        next = "SELECT \(columns) FROM \"\(table.name)\" WHERE (\(key)) > (\(places)) ORDER BY \(key) LIMIT \(most)"
        keyPlaces = table.keyPlaces
        beginning = "INSERT INTO \"\(table.name)\" (\(columns)) VALUES "
        width = table.columns.count
    }

    /// The page behind a key; the first for nil.
    func page(after key: [SQLValue]?, on connection: any SQLConnection) throws -> [[SQLValue]] {
        try (key.map { try connection.query(next, $0) } ?? connection.query(first)).map(\.values)
    }

    func key(of row: [SQLValue]) -> [SQLValue] { keyPlaces.map { row[$0] } }

    /// Many in a statement; what is left one by one, so that there are two texts for a table.
    func insert(_ rows: [[SQLValue]], on connection: any SQLConnection) throws {
        let many = max(1, Self.mostArguments / width)
        var rest = rows[...]
        while !rest.isEmpty {
            let count = rest.count >= many ? many : 1
            try connection.execute(insertion(of: count), rest.prefix(count).flatMap { $0 })
            rest = rest.dropFirst(count)
        }
    }

    private func insertion(of count: Int) -> String {
        let rows = (0..<count).map { row in "(" + (1...width).map { "$\(row * width + $0)" }.joined(separator: ", ") + ")" }
        return beginning + rows.joined(separator: ", ")
    }

    private static func list(_ names: [String]) -> String { names.map { "\"\($0)\"" }.joined(separator: ", ") }
    private static let mostArguments = 1000
}
