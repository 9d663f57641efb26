import Database
import OstiaryTesting
import Testing

@testable import SecondFactorServer

/// A database in memory that runs every body twice.
func openInMemory() throws -> any Database { misbehaving(try SQLiteDatabase.inMemory()) }
func openFile(_ path: String) throws -> any Database { try SQLiteDatabase.open(path: path) }

/// One of the engine that the test runs on, with the schema of today, that runs every body twice.
func openOfEngine() async throws -> any Database { misbehaving(try await SchemaTemplate.secondFactor.ofEngine()) }

private func misbehaving(_ base: any Database) -> any Database {
    // Told on SQLite only: numbers that PostgreSQL counts up are not taken back, so two runs always differ.
    RerunningDatabase(base) { if base.dialect == .sqlite { Issue.record("\($0)") } }
}

extension SchemaTemplate {
    static let secondFactor = SchemaTemplate(secondFactorMigrations) { Issue.record("\($0)") }
}
