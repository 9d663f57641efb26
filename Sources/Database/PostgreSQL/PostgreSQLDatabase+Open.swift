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
        if address.hosts.count > 1 { try looking(by: connector) { link in try connector.checkSoleWriter(beside: link) } }
        try checkContent(content, of: connector)
        return PostgreSQLDatabase(connector)
    }

    /// Looks whether a database holds what it must. Changes nothing of it: it may be somebody else's.
    /// - Throws: ``DatabaseOpenError/empty(path:)``, ``DatabaseOpenError/notOurs(path:)``, ``DatabaseOpenError/unfinishedMove(path:source:target:)``,
    ///   ``DatabaseOpenError/cannotOpen(path:reason:)``.
    static func checkContent(_ content: DatabaseContent, of address: PostgreSQLAddress) throws(DatabaseOpenError) {
        try checkContent(content, of: PostgreSQLConnector(address: address, settings: PostgreSQLSettings()))
    }

    private static func checkContent(_ content: DatabaseContent, of connector: PostgreSQLConnector) throws(DatabaseOpenError) {
        let found = try tables(of: connector)
        if content == .any { return }
        if let source = found.move {
            if content == .nothingOrMoved { return }
            throw .unfinishedMove(path: connector.place, source: source, target: DatabaseURL.postgresql(connector.address).text)
        }
        if found.count == 0, content != .ours { return }
        guard found.count > 0 else { throw .empty(path: connector.place) }
        guard found.areOurs else { throw .notOurs(path: connector.place) }
    }

    /// How many things there are, tables or others, whether one is the table in which `migrate` counts its steps, and from where a move comes that has not
    /// come to its end.
    private static func tables(of connector: PostgreSQLConnector) throws(DatabaseOpenError) -> (count: Int, areOurs: Bool, move: String?) {
        try looking(by: connector) { link in
            guard let found = try row(of: tableQuestion, on: link) else { throw PostgreSQLLink.Loss(reason: "its tables cannot be listed") }
            let move = try found.int("moves") > 0 ? try row(of: UnfinishedMove.question, on: link)?.text("source") ?? "" : nil
            return (count: try found.int("objects"), areOurs: try found.int("columns") == 2, move: move)
        }
    }

    /// - Throws: ``DatabaseOpenError/cannotOpen(path:reason:)`` where no connection is to be had.
    static func schemaSign(of address: PostgreSQLAddress) throws(DatabaseOpenError) -> SchemaSign? {
        var settings = PostgreSQLSettings()
        // Whoever has locked the table is told by the start, which waits for it.
        settings.lockTimeout = 200
        return try looking(by: PostgreSQLConnector(address: address, settings: settings)) { link -> SchemaSign? in
            guard let found = try? row(of: tableQuestion, on: link), (try? found.int("columns")) == 2 else { return nil }
            if let step = try? row(of: StepTables.firstQuestion, on: link) { return (try? step.text("name")).map(SchemaSign.firstStep) }
            // Of a role without a right there, before it is advised to take the tables over.
            guard let named = try? row(of: nameQuestion, on: link), let names = try? named.optionalText("names") else { return nil }
            return .tables(Set(names.split(separator: ",").map(String.init)))
        }
    }

    /// - Throws: ``DatabaseOpenError/movedAway(path:target:mark:)``, ``DatabaseOpenError/cannotOpen(path:reason:)``.
    static func checkNotMoved(_ address: PostgreSQLAddress) throws(DatabaseOpenError) {
        let connector = PostgreSQLConnector(address: address, settings: PostgreSQLSettings())
        let comment: String? = try looking(by: connector) { link in try row(of: movedQuestion, on: link)?.optionalText("comment") }
        if let target = target(in: comment) { throw .movedAway(path: connector.place, target: target, mark: .comment) }
    }

    /// Looks at a database by a connection that ends with that.
    /// - Throws: ``DatabaseOpenError/cannotOpen(path:reason:)`` where there is none, with what to do, or where `look` throws.
    private static func looking<Value>(
        by connector: PostgreSQLConnector, _ look: (PostgreSQLLink) throws -> Value
    ) throws(DatabaseOpenError) -> Value {
        do { return try look(try connector.connect()) } catch let loss as PostgreSQLLink.Loss {
            throw .cannotOpen(path: connector.place, reason: loss.told)
        } catch {
            throw .cannotOpen(path: connector.place, reason: "\(error)")
        }
    }

    private static func row(of question: String, on link: PostgreSQLLink) throws -> SQLRow? {
        let answer = try link.exchange([.once(question)]).first
        guard let answer, answer.fault == nil else {
            throw PostgreSQLLink.Loss(reason: "its tables cannot be listed (\(answer?.fault?.message ?? "no answer"))")
        }
        return try answer.rows(answer.columns).first
    }

    private static let nameQuestion = """
        SELECT string_agg(c.relname::text, ',') AS names FROM pg_class c WHERE c.relnamespace = \(SQLCatalogue.ourSchema) AND c.relkind IN ('r', 'p')
        """

    private static let tableQuestion = """
        SELECT (SELECT COUNT(*) FROM (\(SQLCatalogue.madeObjects)) AS made) AS objects,
        (SELECT COUNT(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE c.relnamespace = \(SQLCatalogue.ourSchema)
        AND c.relname = 'schema_version' AND a.attname IN ('number', 'name') AND NOT a.attisdropped) AS columns,
        (SELECT COUNT(*) FROM pg_class WHERE relnamespace = \(SQLCatalogue.ourSchema) AND relname = '\(UnfinishedMove.table)') AS moves
        """
}
