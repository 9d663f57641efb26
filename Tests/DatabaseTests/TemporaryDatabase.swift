import Database
import Foundation
import OstiaryTesting

extension TemporaryFolder {
    var databasePath: String { file("test.sqlite") }

    func mode(of name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file(name))[.posixPermissions] as? Int
    }
}

/// The ways to have a database; every promise that is not about files holds for all.
enum Backend: String, CaseIterable, Sendable {
    case file, memory
    /// Where one is installed; `scripts/test` sees to it.
    case postgresql

    static var allCases: [Backend] { PostgreSQLCluster.isInstalled ? [.file, .memory, .postgresql] : [.file, .memory] }

    /// What this engine calls something.
    func word(sqlite: String, postgresql: String) -> String { self == .postgresql ? postgresql : sqlite }

    /// Runs `body` on a new database with a table of counters and one of notes, and closes it.
    @discardableResult
    func withDatabase<Value>(_ body: (any Database) async throws -> Value) async throws -> Value {
        try await withEmptyDatabase { database in
            try await database.migrate(sampleSchema)
            return try await body(database)
        }
    }

    /// Runs `body` on a new database without tables, and closes it.
    @discardableResult
    func withEmptyDatabase<Value>(_ body: (any Database) async throws -> Value) async throws -> Value {
        let folder = try TemporaryFolder()
        let database: any Database
        switch self {
        case .file: database = try SQLiteDatabase.open(path: folder.databasePath)
        case .memory: database = try SQLiteDatabase.inMemory()
        case .postgresql: return try await PostgreSQLDatabase.lend { try await body($0) }
        }
        let value = try await body(database)
        try await database.close()
        return value
    }
}

let sampleSchema = [
    Migration(1, "counters") { dialect in
        [
            "CREATE TABLE counter (name TEXT NOT NULL PRIMARY KEY, value \(dialect.integer) NOT NULL CHECK (value >= 0)) \(dialect.tableOptions)",
            """
            CREATE TABLE note (
                id \(dialect.countedKey),
                counter TEXT NOT NULL REFERENCES counter (name),
                parent \(dialect.integer) REFERENCES note (id) DEFERRABLE INITIALLY DEFERRED,
                body \(dialect.blob),
                remark TEXT
            ) \(dialect.tableOptions)
            """,
            "INSERT INTO counter (name, value) VALUES ('hits', 0)",
        ]
    }
]

/// All that it has made.
let sampleTables = SchemaTables(after: sampleSchema)

extension Database {
    /// The value of the counter `hits`.
    func hits() async throws -> Int {
        try await read { try $0.one("SELECT value FROM counter WHERE name = $1", [.text("hits")])?.int("value") ?? -1 }
    }

    /// Two thousand notes of a hundred bytes: a file of many pages.
    func fillNotes() async throws {
        try await transaction { connection in
            for number in 0..<2000 {
                try connection.execute(
                    "INSERT INTO note (counter, body) VALUES ('hits', $1)", [.blob([UInt8](repeating: UInt8(number % 256), count: 100))])
            }
        }
    }

    func countHit() async throws { try await hit(.hard) }

    func hit(_ durability: Durability) async throws {
        try await transaction(durability) { try $0.execute("UPDATE counter SET value = value + 1 WHERE name = $1", [.text("hits")]) }
    }
}

/// An error of a test's own body.
struct Refused: Error, Equatable {
    let number: Int
}
