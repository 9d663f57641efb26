import Database
import OstiaryTesting

/// From which engine to which.
struct MoveDirection: Sendable, CaseIterable, CustomStringConvertible {
    let from: Backend
    let to: Backend

    static var allCases: [MoveDirection] {
        let both = [MoveDirection(from: .file, to: .postgresql), MoveDirection(from: .postgresql, to: .file)]
        return [MoveDirection(from: .memory, to: .memory)] + (PostgreSQLCluster.isInstalled ? both : [])
    }

    var description: String { "\(from) to \(to)" }

    /// Lends a source with rows, and a target without a table.
    func run(_ body: (_ source: any Database, _ target: any Database) async throws -> Void) async throws {
        try await from.withEmptyDatabase { source in
            try await source.fillForMove()
            try await to.withEmptyDatabase { try await body(source, $0) }
        }
    }
}

/// Tables whose names stand before those that they refer to, counted keys, keys of texts and of two columns; and a step that writes rows.
let movedSteps = [
    Migration(1, "things") { d in
        [
            "CREATE TABLE owner (id \(d.blob) NOT NULL PRIMARY KEY, name TEXT) \(d.tableOptions)",
            """
            CREATE TABLE item (
                owner \(d.blob) NOT NULL REFERENCES owner (id), name TEXT NOT NULL, number \(d.integer) NOT NULL, body \(d.blob), remark TEXT,
                PRIMARY KEY (owner, name)
            ) \(d.keyedTableOptions)
            """,
            "CREATE TABLE line (position \(d.countedKey), owner \(d.blob) NOT NULL REFERENCES owner (id)) \(d.tableOptions)",
            "CREATE TABLE named (key TEXT NOT NULL PRIMARY KEY, value \(d.integer) NOT NULL) \(d.tableOptions)",
        ]
    },
    Migration(2, "what a step writes") { _ in
        ["INSERT INTO named (key, value) VALUES ('kept', 1)", "INSERT INTO named (key, value) VALUES ('deleted', 2)"]
    },
]

let movedSchema = MovableSchema(migrations: movedSteps, identifiedBy: ["owner"])

/// Texts that are hard to keep apart or in order, as keys.
private let texts = ["", "a", "a\0b", "a\u{1}", "\u{FFFE}", "\u{FFFE}0", "\u{FFFE}1", "\u{E4}", "a\u{308}", "\u{1F512}", "\u{FFFF}"]
private let numbers = [Int64.min, Int64.max, -1, 0, 1]
private let owners: [[UInt8]] = [[0], [0, 0], [0xFF, 0x80]]

extension Database {
    /// Takes the steps of the schema and writes rows. What the second step wrote is partly gone, and so is the last line.
    func fillForMove() async throws {
        try await migrate(movedSteps)
        try await transaction { connection -> Void in
            for (place, owner) in owners.enumerated() {
                try connection.execute("INSERT INTO owner (id, name) VALUES ($1, $2)", [.blob(owner), place == 0 ? .null : .text("owner \(place)")])
            }
            for (place, text) in texts.enumerated() {
                let body: SQLValue = [.null, .blob([]), .blob([0, 1, 0xFF])][place % 3]
                let remark: SQLValue = [.null, .text(""), .text("line\nfeed\0 and more"), .text("null")][place % 4]
                try connection.execute(
                    "INSERT INTO item (owner, name, number, body, remark) VALUES ($1, $2, $3, $4, $5)",
                    [.blob(owners[place % 2]), .text(text), .integer(numbers[place % numbers.count]), body, remark])
            }
            for place in 0..<7 { try connection.execute("INSERT INTO line (owner) VALUES ($1)", [.blob(owners[place % owners.count])]) }
            try connection.execute("DELETE FROM line WHERE position = 7")
            try connection.execute("DELETE FROM named WHERE key = 'deleted'")
            try connection.execute("UPDATE named SET value = 11 WHERE key = 'kept'")
        }
    }

    /// All rows of these tables and of the steps, texts by their bytes: two spellings of one letter are not the same.
    func movedRows() async throws -> [String: Set<[SQLValue]>] {
        try await read { connection in
            var rows: [String: Set<[SQLValue]>] = [:]
            for table in ["owner", "item", "line", "named", "schema_version", "schema_reader"] {
                rows[table] = Set(try connection.query("SELECT * FROM \(table)").map { $0.values.map(\.byBytes) })
            }
            return rows
        }
    }

    /// Adds a line.
    /// - Returns: the number that it got.
    func nextLine() async throws -> Int {
        try await transaction { connection in
            try connection.one("INSERT INTO line (owner) VALUES ($1) RETURNING position", [.blob(owners[0])])?.int("position") ?? 0
        }
    }

    /// Moves the rows of this one.
    @discardableResult
    func move(
        to target: any Database, batch: Int = 2, _ tell: @Sendable @escaping (MoveProgress) -> Void = { _ in }
    ) async throws -> MoveReport {
        let (from, to) = (MoveEnd(self, url: "sqlite:old", name: "the old one"), MoveEnd(target, url: "sqlite:new", name: "the new one"))
        return try await DatabaseMove(from: from, to: to, schema: movedSchema, batch: batch).run(tell)
    }
}

extension SQLValue {
    fileprivate var byBytes: SQLValue { if case .text(let text) = self { .blob([0xFD] + Array(text.utf8)) } else { self } }
}
