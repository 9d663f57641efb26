extension PostgreSQLDatabase {
    /// Opens a database that is there. What is in it is left as it is.
    ///
    /// Blocks while it looks at the server: for the start of a program, not for a request.
    /// - Parameter content: what must be in it already.
    /// - Throws: ``DatabaseOpenError``.
    package static func open(
        _ address: PostgreSQLAddress, content: DatabaseContent = .any, settings: PostgreSQLSettings = PostgreSQLSettings()
    ) throws(DatabaseOpenError) -> PostgreSQLDatabase {
        var settings = settings
        settings.connections = address.connections ?? settings.connections
        let connector = PostgreSQLConnector(address: address, settings: settings)
        try checkContent(content, of: connector)
        return PostgreSQLDatabase(connector)
    }

    /// Looks whether a database holds what it must. Changes nothing of it: it may be somebody else's.
    /// - Throws: ``DatabaseOpenError/empty(path:)``, ``DatabaseOpenError/notOurs(path:)``, ``DatabaseOpenError/cannotOpen(path:reason:)``.
    static func checkContent(_ content: DatabaseContent, of address: PostgreSQLAddress) throws(DatabaseOpenError) {
        try checkContent(content, of: PostgreSQLConnector(address: address, settings: PostgreSQLSettings()))
    }

    private static func checkContent(_ content: DatabaseContent, of connector: PostgreSQLConnector) throws(DatabaseOpenError) {
        let found = try tables(of: connector)
        if content == .any { return }
        if found.count == 0, content == .nothingOrOurs { return }
        guard found.count > 0 else { throw .empty(path: connector.place) }
        guard found.areOurs else { throw .notOurs(path: connector.place) }
    }

    /// How many tables there are, and whether one is that in which `migrate` counts its steps.
    private static func tables(of connector: PostgreSQLConnector) throws(DatabaseOpenError) -> (count: Int, areOurs: Bool) {
        do {
            let answers = try connector.connect().exchange([.once(tableQuestion)])
            guard let answer = answers.first, answer.fault == nil, let row = try answer.rows(answer.columns).first else {
                throw PostgreSQLLink.Loss(reason: "its tables cannot be listed (\(answers.first?.fault?.message ?? "no answer"))")
            }
            return (try row.int("tables"), try row.int("columns") == 2)
        } catch let loss as PostgreSQLLink.Loss {
            throw .cannotOpen(path: connector.place, reason: loss.reason)
        } catch {
            throw .cannotOpen(path: connector.place, reason: "\(error)")
        }
    }

    private static let tableQuestion = """
        SELECT (SELECT COUNT(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')) AS tables,
        (SELECT COUNT(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE c.relnamespace = current_schema()::regnamespace
        AND c.relname = 'schema_version' AND a.attname IN ('number', 'name') AND NOT a.attisdropped) AS columns
        """
}
