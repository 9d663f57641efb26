import Database
import OstiaryTesting

/// Lends a database to which readers and the writer come by different connections: a file, or one of PostgreSQL where the test runs on that. Nothing is run
/// twice on it.
func withSeparateConnections(_ body: (any Database) async throws -> Void) async throws {
    guard DatabaseEngine.current == .sqlite else { return try await body(try await SchemaTemplate.authentication.ofEngine()) }
    let folder = try TemporaryFolder()
    let database = try await SchemaTemplate.authentication.file(folder.file("as.sqlite"))
    try await body(database)
    try await database.close()
}
