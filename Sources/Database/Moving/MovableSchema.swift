/// What a server keeps, as far as a move has to know.
package struct MovableSchema: Sendable {
    /// Every step that this program knows.
    package let migrations: [Migration]
    /// Tables that hold a server's own identity, from its first start on.
    let identifiedBy: Set<String>

    package init(migrations: [Migration], identifiedBy: Set<String>) {
        self.migrations = migrations.sorted { $0.number < $1.number }
        self.identifiedBy = identifiedBy
    }

    /// Whether a database that shows this is this server's.
    package func isShown(by sign: SchemaSign) -> Bool {
        switch sign {
        case .firstStep(let name): name == migrations.first?.name
        case .tables(let names): !firstTables.isEmpty && firstTables.isSubset(of: names)
        }
    }

    /// Those that the first step has made, and no later one has dropped: no two servers have one of them in common.
    private var firstTables: Set<String> {
        let first = migrations.first?.number
        return Set(SchemaTables(after: migrations).steps.filter { $0.value == first }.keys)
    }

    /// The tables of steps. The target gets their rows by taking these steps.
    static let stepTables = StepTables.names

    /// Which of several a database has, every step of it but such as may wait: neither does a move take steps for a server, nor does it leave out what it does
    /// not know.
    /// - Returns: its place in `schemas`.
    /// - Throws: ``MoveRefusal``, ``DatabaseOpenError``, ``SQLError``.
    package static func of(_ end: MoveEnd, among schemas: [MovableSchema]) async throws -> Int {
        let steps = try await end.database.read { connection in
            try connection.query("SELECT number, name FROM schema_version ORDER BY number").map { Step(try $0.int("number"), try $0.text("name")) }
        }
        guard let first = steps.first else { throw MoveRefusal.notStarted(end.name) }
        guard let place = schemas.firstIndex(where: { $0.steps.first == first }) else { throw DatabaseOpenError.notOurs(path: end.name) }
        let known = schemas[place].steps
        for step in steps {
            guard let expected = known.first(where: { $0.number == step.number }) else {
                throw DatabaseOpenError.newerThanProgram(version: steps[steps.count - 1].number)
            }
            guard step == expected else {
                throw DatabaseOpenError.foreignMigration(number: expected.number, expected: expected.name, found: step.name)
            }
        }
        let needed = schemas[place].migrations.filter { !$0.mayWait }.map(\.number)
        // One in the middle may be missing, too.
        guard Set(needed).isSubset(of: steps.map(\.number)) else {
            // No server is to be started there.
            if let word = try await end.word() { throw MoveRefusal.movedAway(end.name, word) }
            throw MoveRefusal.olderSource(end.name, version: steps[steps.count - 1].number)
        }
        return place
    }

    private struct Step: Equatable, Sendable {
        let number: Int
        let name: String

        init(_ number: Int, _ name: String) { (self.number, self.name) = (number, name) }
    }

    private var steps: [Step] { migrations.map { Step($0.number, $0.name) } }
}
