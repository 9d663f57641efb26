// Database: databases for tests, which behave as badly as one may, or tell what was asked of them.
//
// `DatabaseEngine` says on which engine a test runs, and `attackRounds` how often there; `SchemaTemplate` has databases with every step of a schema.
// `RerunningDatabase` runs each body twice and holds both runs to each other (`RecordingConnection`, `TwoRuns`, `Sameness`); `LosingDatabase` does not know
// what became of a commit. `CountingDatabase` counts statements and commits, `PageLog` what SQLite writes. `AdditiveStep` looks at the steps of a schema.
// What is not here: PostgreSQL itself, which is started and cut off in the folder of its name.
// Start reading at RerunningDatabase.swift, then SchemaTemplate.swift.
