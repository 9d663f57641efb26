import Database
import OstiaryTesting
import Testing

/// A database in memory that runs every body twice.
func openInMemory() throws -> any Database { RerunningDatabase(try SQLiteDatabase.inMemory()) { Issue.record("\($0)") } }
func openFile(_ path: String) throws -> any Database { try SQLiteDatabase.open(path: path) }
