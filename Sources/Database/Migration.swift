/// One step of the schema: a number, a name, statements, and what is done with rows that no statement can do. Steps only add, and take away what nothing
/// reads any more; a step that was released is never edited.
package struct Migration: Sendable {
    package let number: Int
    package let name: String
    /// The program whose last step has this number goes on beside this step, and so does every later one: it reads what it read before, and what it writes
    /// the program of this step reads. Its own number where no earlier one does (docs/decisions/0051).
    package let readableFrom: Int
    /// Whether this program goes on without the step, and takes it later, where programs share a database: another that cannot go on with it may be away for
    /// a moment only. What the step is for is then not done yet, and nothing relies on it (docs/decisions/0068).
    package let mayWait: Bool
    package let statements: @Sendable (SQLDialect) -> [String]
    /// Goes over rows after the statements, in their transaction.
    package let rows: (@Sendable (any SQLConnection) throws -> Void)?

    package init(
        _ number: Int, _ name: String, readableFrom: Int? = nil, mayWait: Bool = false, statements: @Sendable @escaping (SQLDialect) -> [String],
        rows: (@Sendable (any SQLConnection) throws -> Void)? = nil
    ) {
        self.number = number
        self.name = name
        self.readableFrom = readableFrom ?? number
        self.mayWait = mayWait
        self.statements = statements
        self.rows = rows
    }
}

/// How long a step of a schema waits for what others hold, where it stands aside between its tries so that nobody has to wait behind it.
package struct StepPatience: Sendable {
    /// Tries in all; a second each, and a second between them.
    package var mostTries = 300
    /// Tries after which a program that cannot go on with the step is believed to be one: another that starts just now has not said yet what it knows.
    package var mostDoubts = 5
    /// Waits a second, or shorter in a task that was cancelled.
    package var pause: @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(1)) }
    /// Told what is waited for, now and then, for as long as it lasts; nil where nobody listens.
    package var tell: (@Sendable (StepWait) -> Void)?
    /// Waits until it is told again. Throws in a task that was cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    package init() {}
}

extension Database {
    /// Brings the schema up to the last of `migrations`, unless it is further and this program goes on with it. Each step commits by itself, so an interrupted
    /// run goes on where it stopped. What a step that goes over rows has replaced stays in none of the engine's files.
    ///
    /// Where programs share a database, others go on meanwhile: one that would make the same step waits for it, and one that cannot go on with it keeps it
    /// from being made. A step that may wait is not taken by a start there, unless the database is new: who runs at this moment says nothing of who is away
    /// (``StepWatch``).
    /// - Parameters:
    ///   - migrations: all that this program knows; they are applied in the order of their numbers.
    ///   - takesWaiting: whether steps that may wait are tried, once: one that others are in the way of is left for a later call.
    /// - Throws: ``DatabaseOpenError/newerThanProgram(version:)``, ``DatabaseOpenError/olderBesideServer(version:)``,
    ///   ``DatabaseOpenError/olderPrograms(version:step:)``, ``DatabaseOpenError/stepBlocked(number:)``, ``DatabaseOpenError/missingIndexes(_:)``,
    ///   ``DatabaseOpenError/foreignMigration(number:expected:found:)``, ``DatabaseOpenError/unfinishedMove(path:source:target:)``, ``SQLError/tableMissing(path:name:)`` with
    ///   all that are gone, ``SQLError``.
    package func migrate(_ migrations: [Migration], patience: StepPatience = StepPatience(), takesWaiting: Bool = false) async throws {
        var patience = patience
        if takesWaiting { patience.mostTries = 1 }
        try await migrate(migrations, patience: patience, takesWaiting: takesWaiting, isTarget: false)
    }

    /// - Parameter isTarget: whether it is a move that takes the steps, in its own target: all of them.
    func migrate(_ migrations: [Migration], patience: StepPatience = StepPatience(), takesWaiting: Bool = false, isTarget: Bool) async throws {
        let migrations = migrations.sorted { $0.number < $1.number }
        try await beginSchema(isTarget: isTarget)
        let found = try await standing(for: migrations, patience)
        let known = migrations.last?.number ?? 0
        guard found.newest <= known else {
            guard found.isReadable else { throw DatabaseOpenError.newerThanProgram(version: found.newest) }
            return
        }
        // Before what would lie on them: nobody makes an index of a table that is gone.
        if let gone = found.gone { throw SQLError.tableMissing(path: place, name: gone) }
        guard found.lacking.isEmpty else { throw DatabaseOpenError.missingIndexes(found.lacking) }
        let takesAll = takesWaiting || isTarget || found.newest == 0 || dialect.programs == nil
        let missing = migrations.filter { !found.applied.contains($0.number) && (takesAll || !$0.mayWait) }
        // It would go on writing what the new tables no longer mean.
        guard missing.isEmpty || !hasServerBeside else { throw DatabaseOpenError.olderBesideServer(version: found.newest) }
        for migration in missing {
            let isLeft = takesWaiting && migration.mayWait
            do {
                try await make(migration, over: found, patience)
            } catch DatabaseOpenError.olderPrograms where isLeft {
                continue
            } catch DatabaseOpenError.stepBlocked where isLeft {
                continue
            }
        }
        // A new one has nothing to forget.
        if found.newest > 0, missing.contains(where: { $0.rows != nil }) { try await purge() }
    }

    /// Makes the tables in which the steps are counted, if there are none: the first that a database of ours holds. A move that has come before is seen in
    /// the same transaction.
    /// - Throws: ``DatabaseOpenError/unfinishedMove(path:source:target:)``, ``DatabaseOpenError/olderBesideServer(version:)``, ``SQLError``.
    package func beginSchema() async throws { try await beginSchema(isTarget: false) }

    private func beginSchema(isTarget: Bool) async throws {
        // What somebody has made since this one looked fails a statement; the second look sees it.
        do { try await makeStepTables(isTarget: isTarget) } catch SQLError.uniqueViolation, SQLError.tableMissing, SQLError.fault {
            try await makeStepTables(isTarget: isTarget)
        }
    }

    private func makeStepTables(isTarget: Bool) async throws {
        let (dialect, place, hasServerBeside) = (dialect, place, hasServerBeside)
        try await transaction { connection, _ -> Void in
            let present = try connection.madeNames(dialect)
            if !isTarget, present.contains(UnfinishedMove.table) {
                throw DatabaseOpenError.unfinishedMove(path: place, source: try connection.one(UnfinishedMove.question)?.text("source") ?? "")
            }
            // Whoever has an empty file makes the first table of it.
            guard !hasServerBeside || present.contains("schema_version") else { throw DatabaseOpenError.olderBesideServer(version: 0) }
            for statement in StepTables.definitions(dialect, besides: present) { try connection.execute(statement) }
        }
    }

    /// The number of the last migration that was applied, 0 for none. The table of versions must be there.
    package func schemaVersion() async throws -> Int {
        try await read { try $0.one("SELECT COALESCE(MAX(number), 0) AS newest FROM schema_version")?.int("newest") ?? 0 }
    }

    /// What is there, once nobody is in the middle of a step: a program that may not go on with it is either refused, or seen by whoever makes it.
    private func standing(for migrations: [Migration], _ patience: StepPatience) async throws -> SchemaStanding {
        let (dialect, programs) = (dialect, dialect.programs)
        guard let lock = dialect.stepLock else { return try await read { try SchemaStanding(for: migrations, on: $0, dialect: dialect) } }
        return try await tellingWaits(by: patience, isShort: true) {
            try await patient.transaction { connection, _ -> SchemaStanding in
                try connection.execute(lock)
                if let programs { _ = try connection.one(programs.announce, [.text("\(migrations.last?.number ?? 0)")]) }
                return try SchemaStanding(for: migrations, on: connection, dialect: dialect)
            }
        }
    }

    private func make(_ migration: Migration, over found: SchemaStanding, _ patience: StepPatience) async throws {
        let (dialect, patient, place) = (dialect, patient, place)
        var (tries, doubts) = (0, 0)
        while true {
            do {
                return try await tellingWaits(by: patience, isShort: false) {
                    try await patient.transaction { connection, _ -> Void in try apply(migration, over: found, on: connection, dialect: dialect) }
                }
            } catch let error as DatabaseOpenError {
                guard case .olderPrograms = error, !migration.mayWait, doubts < patience.mostDoubts else { throw error }
                doubts += 1
                await patience.pause()
            } catch SQLError.busy where dialect.stepLock != nil, SQLError.collided where dialect.stepLock != nil {
                tries += 1
                guard tries < patience.mostTries else { throw DatabaseOpenError.stepBlocked(number: migration.number) }
                if StepWaitTimes.isDue(after: tries) {
                    patience.tell?(.trying(step: migration.number, tries: tries, most: patience.mostTries, place: place))
                }
                await patience.pause()
            }
        }
    }
}

/// Applies one step, unless it was applied before.
private func apply(_ migration: Migration, over found: SchemaStanding, on connection: any SQLConnection, dialect: SQLDialect) throws {
    if let lock = dialect.stepLock { try connection.execute(lock) }
    if let row = try connection.one("SELECT name FROM schema_version WHERE number = $1", [SQLValue(migration.number)]) {
        return try migration.check(try row.text("name"))
    }
    // Nobody uses an empty one.
    if found.newest > 0, let programs = dialect.programs,
        try connection.one(programs.older, [SQLValue(migration.readableFrom), SQLValue(found.oldest)]) != nil
    {
        throw DatabaseOpenError.olderPrograms(version: found.newest, step: migration.number)
    }
    if let limit = dialect.stepLimit { try connection.execute(limit) }
    for statement in migration.statements(dialect) {
        try connection.execute(statement)
    }
    try migration.rows?(connection)
    let number = SQLValue(migration.number)
    try connection.execute("INSERT INTO schema_version (number, name) VALUES ($1, $2)", [number, .text(migration.name)])
    guard migration.readableFrom < migration.number else { return }
    try connection.execute(
        "INSERT INTO schema_reader (number, readable_from) VALUES ($1, $2)", [number, SQLValue(migration.readableFrom)])
}
