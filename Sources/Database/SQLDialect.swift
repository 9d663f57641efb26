/// The words of DDL in which engines differ. Statements that read and change rows are spelled the same everywhere.
package struct SQLDialect: Sendable, Equatable {
    /// Column type of bytes.
    package let blob: String
    /// Column type of a signed 64-bit number.
    package let integer: String
    /// Column type and constraint of a row number that the engine counts up itself and never uses twice.
    package let countedKey: String
    /// What follows the closing parenthesis of `CREATE TABLE`.
    package let tableOptions: String
    /// The same of a table whose rows are little more than their key: they stand in its index and nowhere else.
    package let keyedTableOptions: String
    /// Sixteen random bytes of the engine's own, others in each row; for a migration only.
    package let sixteenRandomBytes: String
    /// Begins a step of the schema: of several programs that would take it at once the others wait. Nil where only one can have the database open.
    package let stepLock: String?
    /// Follows it: how long each statement of the step waits for what others hold. Who asks for a lock of a table stands in everybody's way while it waits.
    package let stepLimit: String?
    /// Finds out which programs have the database open; nil where only one can.
    package let programs: ProgramStatements?
    /// How the engine is asked for the tables that it has.
    package let catalogue: SQLCatalogue

    package init(
        blob: String, integer: String, countedKey: String, tableOptions: String, keyedTableOptions: String, sixteenRandomBytes: String,
        stepLock: String? = nil, stepLimit: String? = nil, programs: ProgramStatements? = nil, catalogue: SQLCatalogue
    ) {
        self.blob = blob
        self.integer = integer
        self.countedKey = countedKey
        self.tableOptions = tableOptions
        self.keyedTableOptions = keyedTableOptions
        self.sixteenRandomBytes = sixteenRandomBytes
        self.stepLock = stepLock
        self.stepLimit = stepLimit
        self.programs = programs
        self.catalogue = catalogue
    }

    /// SQLite: strict tables, so that a column holds what its type says.
    package static let sqlite = SQLDialect(
        blob: "BLOB", integer: "INTEGER", countedKey: "INTEGER PRIMARY KEY AUTOINCREMENT", tableOptions: "STRICT",
        keyedTableOptions: "STRICT, WITHOUT ROWID", sixteenRandomBytes: "randomblob(16)", catalogue: .sqlite)
}

/// How programs that share a database know of each other.
package struct ProgramStatements: Sendable, Equatable {
    /// Says of this program, as long as its connection lasts, which step is the last that it knows: `$1`, as text.
    package let announce: String
    /// Has a row when another program knows no step as late as `$1`. One that has said nothing knows `$2`.
    package let older: String
    /// For whom connections of this program wait, each because of a table: a row for each, with its `session`, what that calls itself as `program`, and which
    /// table is `waited` for.
    package let waits: String

    package init(announce: String, older: String, waits: String) {
        self.announce = announce
        self.older = older
        self.waits = waits
    }
}

extension SQLDialect {
    /// Moves the rows of a table into the index of their key, for a migration: how a table keeps them cannot be changed, so they go to a new one. Its other
    /// indexes go with the former, and so would rows of others that refer to it.
    /// - Parameter definition: of the same columns in the same order, as between the parentheses of `CREATE TABLE`.
    package func rebuilt(_ name: String, _ definition: String) -> [String] {
        [
            "CREATE TABLE lean_\(name) (\(definition)) \(keyedTableOptions)", "INSERT INTO lean_\(name) SELECT * FROM \(name)",
            "DROP TABLE \(name)", "ALTER TABLE lean_\(name) RENAME TO \(name)",
        ]
    }
}
