// OstiaryTesting: what tests of several targets need, and later tests of apps.
//
// Owns: databases that behave as badly as a database may. `RerunningDatabase` runs each body twice, `LosingDatabase` does not know what became of a
// commit.
// Leaves to others: every expectation. It knows no testing library; what it finds it hands to whoever made it.
// Start reading here, then `RerunningDatabase`.
//
//     let database = RerunningDatabase(try SQLiteDatabase.inMemory()) { Issue.record("\($0)") }
//     let losing = LosingDatabase(database, .each(.kept))
