import Synchronization

/// The tables of a server: which its steps have made, with what indexes, and what its statements do with the rows of each. By it readiness knows what is gone, and
/// which right the role of the program lacks (docs/decisions/0058).
package struct SchemaTables: Sendable {
    /// By which step each was made. Those that a later step has dropped are not among them.
    let steps: [String: Int]
    /// All steps that this program knows, in the order of their numbers.
    private let migrations: [Migration]
    /// Tables whose rows stay as they were added, until they go.
    package let unchanged: Set<String>
    /// Tables whose rows stay for good.
    package let kept: Set<String>
    /// Tables to which a start writes, and a server that runs does not.
    private let ofStarts: Set<String>
    private let lastIndexes = LastIndexes()

    /// It reads the beginning of every statement: for what is kept.
    /// - Parameter migrations: all that this program knows.
    package init(after migrations: [Migration], unchanged: Set<String> = [], kept: Set<String> = [], ofStarts: Set<String> = []) {
        var (schema, steps) = (SchemaIndexes(after: []), [String: Int]())
        self.migrations = migrations.sorted { $0.number < $1.number }
        for migration in self.migrations {
            // Names are the same on each engine.
            schema.followTables(migration.statements(.sqlite))
            let former = steps
            steps = Dictionary(uniqueKeysWithValues: schema.tables.keys.map { ($0, former[$0] ?? migration.number) })
        }
        self.steps = steps
        (self.unchanged, self.kept, self.ofStarts) = (unchanged, kept, ofStarts)
    }

    package var names: Set<String> { Set(steps.keys) }

    /// Those to which a server that runs writes: whoever holds another against writers is in no request's way.
    package var written: Set<String> { names.subtracting(ofStarts) }

    /// Those that should be there and are not, in order. Of steps that this program does not know it can tell nothing, and tells nothing.
    /// - Parameter taken: the steps that the database has.
    func missing(among found: [TableStanding], after taken: Set<Int>) -> [String] {
        guard knows(taken) else { return [] }
        let present = Set(found.map(\.name))
        return steps.filter { taken.contains($0.value) && !present.contains($0.key) }.keys.sorted()
    }

    /// What the steps have made on them; nil where this program does not know them all, and can tell nothing. A database is asked again and again, and its
    /// steps stay the same.
    func indexes(after taken: Set<Int>, _ dialect: SQLDialect) -> SchemaIndexes? {
        guard knows(taken) else { return nil }
        return lastIndexes.of(taken, dialect) {
            SchemaIndexes(ofDatabaseAfter: migrations.filter { taken.contains($0.number) }.flatMap { $0.statements(dialect) }, dialect)
        }
    }

    private func knows(_ taken: Set<Int>) -> Bool { taken.allSatisfy { $0 <= migrations.last?.number ?? 0 } }

    /// What our statements need and the role may not, of the first table where that is so; nil where there is none.
    /// - Parameter found: of ours.
    func lack(in found: [TableStanding]) -> (table: String, rights: [TableRight])? {
        for table in found {
            let lacking = TableRight.allCases.filter { needs($0, on: table.name) && !table.rights.contains($0) }
            if !lacking.isEmpty { return (table.name, lacking) }
        }
        return nil
    }

    private func needs(_ right: TableRight, on table: String) -> Bool {
        switch right {
        // Whoever changes or removes a row looks for it.
        case .select, .insert: true
        case .update: !unchanged.contains(table)
        case .delete: !kept.contains(table)
        }
    }
}

/// The indexes that were asked for last.
private final class LastIndexes: Sendable {
    private struct Reading {
        let taken: Set<Int>
        let dialect: SQLDialect
        let indexes: SchemaIndexes
    }

    private let last = Mutex<Reading?>(nil)

    func of(_ taken: Set<Int>, _ dialect: SQLDialect, read: () -> SchemaIndexes) -> SchemaIndexes {
        if let last = last.withLock({ $0 }), last.taken == taken, last.dialect == dialect { return last.indexes }
        let indexes = read()
        last.withLock { $0 = Reading(taken: taken, dialect: dialect, indexes: indexes) }
        return indexes
    }
}
