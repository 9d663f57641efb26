extension Database {
    /// Whether the disk takes what is written, and the role of this program may write it: what a server's readiness says of its storage.
    /// - Parameter migrations: all that this program knows.
    /// - Throws: ``Unreachable``; what ``checkWritable()`` and ``checkRights(after:)`` throw.
    package func checkStorage(after migrations: [Migration]) async throws {
        try await tellingWhy {
            try await checkWritable()
            try await checkRights(after: migrations)
        }
    }

    /// Whether the role of this program may write to every table that these steps have made. Nothing is written: it is asked of the catalogue.
    /// - Parameter migrations: all that this program knows. Of tables of others it asks nothing.
    /// - Throws: ``SQLError/notAllowed(path:reason:)`` with the first of those that it may not, ``SQLError``.
    package func checkRights(after migrations: [Migration]) async throws {
        guard let question = dialect.catalogue.unwritable else { return }
        let found = try await read { try $0.query(question).map { try $0.text("name") } }
        // As a rule none: the steps are not read then.
        guard !found.isEmpty else { return }
        let statements = migrations.sorted { $0.number < $1.number }.flatMap { $0.statements(dialect) }
        let ours = SchemaIndexes(after: statements).tables
        guard let table = found.first(where: { ours[$0] != nil }) else { return }
        throw SQLError.notAllowed(path: place, reason: "it may not write to the table \(table)")
    }
}
