/// Copies the rows of one table, batch by batch, from where it was left.
struct RowCopy: Sendable {
    private let table: String
    private let statements: TableStatements
    private let batch: Int
    private let source: any Database
    private let target: any Database

    init(_ table: TableShape, batch: Int, from source: any Database, to target: any Database) {
        self.table = table.name
        statements = TableStatements(table, most: batch)
        self.batch = batch
        (self.source, self.target) = (source.patient, target.patient)
    }

    /// - Throws: ``MoveRefusal/disturbed(_:)``, ``SQLError``.
    func run(_ counter: MoveCounter) async throws {
        let table = table
        var progress = try await target.read { try TableProgress(of: table, on: $0) }
        while !progress.isWhole {
            let after = progress.lastKey
            let page = try await source.read { [statements] in try statements.page(after: after, on: $0) }
            progress = try await write(page, at: progress)
            counter.copied(page.count, of: table, isWhole: progress.isWhole)
        }
    }

    /// Looked at again it finds by the mark that the page is there, and writes it once.
    private func write(_ page: [[SQLValue]], at former: TableProgress) async throws -> TableProgress {
        var next = former
        next.copied += page.count
        next.isWhole = page.count < batch
        if let last = page.last { next.lastKey = statements.key(of: last) }
        let (table, statements, reached) = (table, statements, next)
        try await target.transaction { connection, _ -> Void in
            let present = try TableProgress(of: table, on: connection)
            if present == reached { return }
            guard present == former else { throw MoveRefusal.disturbed(table) }
            try statements.insert(page, on: connection)
            try reached.save(for: table, on: connection)
        }
        return reached
    }
}
