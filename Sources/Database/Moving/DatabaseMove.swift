/// Moves the rows of one database into another, and goes on where an earlier run was ended.
package struct DatabaseMove: Sendable {
    let source: MoveEnd
    let target: MoveEnd
    let schema: MovableSchema
    /// Rows that are read and committed together.
    let batch: Int
    let stepPatience: StepPatience

    /// - Parameters:
    ///   - source: its schema has every step that this program knows, but for such as wait: ``MovableSchema/of(_:among:)``.
    ///   - target: it holds nothing, or what an earlier run has left.
    ///   - stepPatience: how the steps of the schema wait there, and who is told of it.
    package init(from source: MoveEnd, to target: MoveEnd, schema: MovableSchema, batch: Int = 500, stepPatience: StepPatience = StepPatience()) {
        (self.source, self.target, self.schema, self.batch, self.stepPatience) = (source, target, schema, batch, stepPatience)
    }

    /// Copies what is not there yet, and compares all of it.
    /// - Parameter tell: told how far it is, after each batch.
    /// - Throws: ``MoveRefusal``, ``DatabaseOpenError``, ``SQLError``, ``Unreachable``. After an error nothing of the source has changed, and the same move
    ///   may be begun again.
    package func run(_ tell: @Sendable @escaping (MoveProgress) -> Void = { _ in }) async throws -> MoveReport {
        // One of the two is a file, which says nothing of the other.
        try await source.tellingWhy { try await target.tellingWhy { try await go(tell) } }
    }

    private func go(_ tell: @Sendable @escaping (MoveProgress) -> Void) async throws -> MoveReport {
        try await source.checkAlone()
        // Of this very move, which came to its end or nearly so.
        let word = try await source.checkNotMoved(besides: target.url)
        let movedAway = word.map { MoveRefusal.movedAway(source.name, $0) }
        let tables = try await TableShape.inOrder(of: source.database)
        let counts = try await counts(of: tables, in: source.database)
        // The steps of the schema are taken, and not copied.
        let total = counts.values.reduce(0, +) + Self.copiedRows(counts)
        let counter = MoveCounter(total: total, tell: tell)
        let mark = MoveMark(target.database, source: source.url, identity: try await identity(tables))
        switch try await mark.look() {
        case .none: return try await moved(before: tables, counts, counter, orElse: movedAway ?? .targetNotEmpty(target.name))
        case .foreign(let other): throw MoveRefusal.otherSource(target: target.name, source: other)
        case .own(let isPrepared): return try await goAlone(on: mark, isPrepared: isPrepared, tables, counter)
        case .empty:
            // What the word names was removed, or made anew.
            if let movedAway { throw movedAway }
            // A server that began in the same moment has it.
            guard try await mark.set() else { throw MoveRefusal.targetNotEmpty(target.name) }
            return try await goAlone(on: mark, isPrepared: false, tables, counter)
        }
    }

    /// Of two runs at once, from copies of one database, the slower is told of the other: by a row that is there already, or by a mark that is gone.
    private func goAlone(on mark: MoveMark, isPrepared: Bool, _ tables: [TableShape], _ counter: MoveCounter) async throws -> MoveReport {
        try await target.forgetMoved()
        do { return try await go(on: mark, isPrepared: isPrepared, tables, counter) } catch SQLError.uniqueViolation {
            throw MoveRefusal.disturbed(UnfinishedMove.progressTable)
        } catch let fault as SQLError {
            let mayBeOfTables =
                switch fault {
                case .fault, .tableMissing, .indexMissing: true
                default: false
                }
            if mayBeOfTables, (try? await mark.look()) == MoveMark.Finding.none { throw MoveRefusal.disturbed(UnfinishedMove.progressTable) }
            throw fault
        }
    }

    private func go(on mark: MoveMark, isPrepared: Bool, _ tables: [TableShape], _ counter: MoveCounter) async throws -> MoveReport {
        if !isPrepared { try await target.database.migrate(try await stepsOfSource(), patience: stepPatience, isTarget: true) }
        try check(tables, areThoseOf: try await TableShape.inOrder(of: target.database))
        let moved = tables.filter { !MovableSchema.stepTables.contains($0.name) }
        if !isPrepared { try await mark.prepare(moved) }
        let copied = try await mark.copied()
        counter.start(at: copied)
        for table in moved { try await RowCopy(table, batch: batch, from: source.database, to: target.database).run(counter) }
        for table in moved where table.isCounted { try await countOn(table) }
        let compared = try await compare(tables, counter)
        // Whoever came meanwhile may have written behind what was read.
        try await source.checkAlone()
        // Another run, to another target, may have come to its end meanwhile: then this one's keeps its mark.
        // Killed between the two, neither is one on which a server starts.
        let isNoted = try await noteMoved()
        try await mark.remove()
        return MoveReport(tables: compared, resumedAt: copied, wasMoved: false, isNoted: isNoted)
    }

    /// A step that still waits in the source is none of the move's: the server that starts on the target takes it, as it would have in the source.
    private func stepsOfSource() async throws -> [Migration] {
        let rows = try await source.database.read { try $0.query("SELECT number FROM schema_version").map { try $0.int("number") } }
        let taken = Set(rows)
        return schema.migrations.filter { taken.contains($0.number) || !$0.mayWait }
    }

    /// - Returns: whether the source says now where its rows are; not where that is another role's to say.
    private func noteMoved() async throws -> Bool {
        do { try await source.noteMoved(target.url) } catch SQLError.notAllowed { return false }
        return true
    }

    /// What names the database for good, whatever its file or address: the rows that a server makes of itself at its first start.
    private func identity(_ tables: [TableShape]) async throws -> [UInt8] {
        var identity: [UInt8] = []
        for table in tables where schema.identifiedBy.contains(table.name) {
            identity += try await TableDigest.of(table, in: source.database, batch: batch).hash
        }
        return identity
    }

    private func counts(of tables: [TableShape], in database: any Database) async throws -> [String: Int] {
        let names = tables.map(\.name)
        return try await database.patient.read { connection in
            var counts: [String: Int] = [:]
            for name in names { counts[name] = try connection.one("SELECT COUNT(*) AS rows FROM \"\(name)\"")?.int("rows") ?? 0 }
            return counts
        }
    }

    /// How many rows are copied, of so many in each table.
    private static func copiedRows(_ counts: [String: Int]) -> Int {
        counts.filter { !MovableSchema.stepTables.contains($0.key) }.values.reduce(0, +)
    }

    private func check(_ tables: [TableShape], areThoseOf others: [TableShape]) throws {
        let (ours, theirs) = (Set(tables), Set(others.filter { !MoveMark.tables.contains($0.name) }))
        let unlike = Set(ours.symmetricDifference(theirs).map(\.name)).sorted()
        guard unlike.isEmpty else { throw MoveRefusal.unlikeTables(unlike) }
    }

    /// A number that was given out in the source is not given out in the target.
    private func countOn(_ table: TableShape) async throws {
        let name = table.name
        guard let last = try await lastCounted(name, in: source.database), last >= 1 else { return }
        let statements = target.database.dialect.catalogue.countOn
        try await target.database.transaction { connection, _ -> Void in
            for statement in statements { try connection.execute(statement, [.text(name), .integer(last)]) }
        }
    }

    func lastCounted(_ name: String, in database: any Database) async throws -> Int64? {
        let question = database.dialect.catalogue.lastCounted
        return try await database.read { try $0.one(question, [.text(name)])?.optionalInteger("last") }
    }
}

// MARK: Comparing

extension DatabaseMove {
    /// Reads all rows of both sides anew.
    /// - Throws: ``MoveRefusal/differs(tables:source:target:)`` with every table that does.
    private func compare(_ tables: [TableShape], _ counter: MoveCounter) async throws -> [ComparedTable] {
        var (compared, unlike): ([ComparedTable], [String]) = ([], [])
        for table in tables {
            if let same = try await compare(table, counter) { compared.append(same) } else { unlike.append(table.name) }
        }
        guard unlike.isEmpty else { throw MoveRefusal.differs(tables: unlike, source: source.name, target: target.name) }
        return compared
    }

    /// Nil for tables that are not the same.
    private func compare(_ table: TableShape, _ counter: MoveCounter) async throws -> ComparedTable? {
        async let reading = TableDigest.of(table, in: target.database, batch: batch)
        let ours = try await TableDigest.of(table, in: source.database, batch: batch) { counter.compared($0, of: table.name) }
        guard try await reading == ours else { return nil }
        if table.isCounted {
            let last = (try await lastCounted(table.name, in: source.database), try await lastCounted(table.name, in: target.database))
            guard last.1 ?? 0 >= last.0 ?? 0 else { return nil }
        }
        counter.finished(table.name)
        return ComparedTable(name: table.name, rows: ours.rows, hash: ours.hash)
    }

    /// Of a target that has tables and no mark: a move that was ended behind its last step, which a look tells apart from all else.
    private func moved(
        before tables: [TableShape], _ counts: [String: Int], _ counter: MoveCounter, orElse refusal: MoveRefusal
    ) async throws -> MoveReport {
        let theirs = try await TableShape.listed(of: target.database)
        guard Set(theirs) == Set(tables), try await self.counts(of: tables, in: target.database) == counts else { throw refusal }
        counter.start(at: Self.copiedRows(counts))
        let compared: [ComparedTable]
        do { compared = try await compare(tables, counter) } catch MoveRefusal.differs { throw refusal }
        // Or there and back, with nothing in between: in this order, so that never both say nothing.
        let isNoted = try await noteMoved()
        try await target.forgetMoved()
        return MoveReport(tables: compared, resumedAt: 0, wasMoved: true, isNoted: isNoted)
    }
}
