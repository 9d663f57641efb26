/// Which steps a database has, as a program sees it.
struct SchemaStanding: Sendable {
    let applied: Set<Int>
    /// 0 for none.
    let newest: Int
    /// The last step of the oldest program that goes on with all of them.
    let oldest: Int
    /// Whether this program does.
    let isReadable: Bool
    /// Tables that its steps have made and that are not there, as an operator's line has them; nil where there is none. Of steps that this program does not
    /// know it can tell nothing, and tells nothing.
    let gone: String?
    /// Indexes likewise. Where a table is gone its own are among them, and are nothing to make: that the table is gone is the better word.
    let lacking: [String]

    init(for migrations: [Migration], on connection: any SQLConnection, dialect: SQLDialect) throws {
        let rows = try connection.query("SELECT number, name FROM schema_version ORDER BY number")
        let names = Dictionary(try rows.map { (try $0.int("number"), try $0.text("name")) }, uniquingKeysWith: { first, _ in first })
        // Before the numbers are compared: those of another program say nothing about this one.
        for migration in migrations {
            guard let found = names[migration.number] else { continue }
            try migration.check(found)
        }
        let readers = try connection.query("SELECT number, readable_from FROM schema_reader").map {
            (try $0.int("number"), try $0.int("readable_from"))
        }
        let readableFrom = Dictionary(readers, uniquingKeysWith: { first, _ in first })
        (applied, newest) = (Set(names.keys), names.keys.max() ?? 0)
        let steps = names.keys.sorted(by: >)
        var (oldest, needed) = (newest, 0)
        for (place, step) in steps.enumerated() {
            // Whoever does not know this step must know that one.
            needed = max(needed, readableFrom[step] ?? step)
            guard needed < step else { break }
            oldest = max(needed, place + 1 < steps.count ? steps[place + 1] : 0)
        }
        self.oldest = oldest
        let known = migrations.last?.number ?? 0
        isReadable = known >= oldest
        guard newest <= known else {
            (gone, lacking) = (nil, [])
            return
        }
        let taken = migrations.filter { names[$0.number] != nil }.flatMap { $0.statements(dialect) }
        let indexes = SchemaIndexes(ofDatabaseAfter: taken, dialect)
        gone = try Self.missing(indexes.tables.keys.sorted(), on: connection, dialect.catalogue)
        lacking = try indexes.lacking(on: connection, dialect.catalogue)
    }

    private static func missing(_ wanted: [String], on connection: any SQLConnection, _ catalogue: SQLCatalogue) throws -> String? {
        let found = Set(try connection.query(catalogue.tables, [.text(wanted.joined(separator: ","))]).map { try $0.text("name") })
        let gone = wanted.filter { !found.contains($0) }
        if gone.isEmpty { return nil }
        let told = gone.prefix(mostTold).joined(separator: ", ")
        return gone.count > mostTold ? "\(told) and \(gone.count - mostTold) more" : told
    }

    /// Tables that one line names.
    private static let mostTold = 5
}

extension Migration {
    func check(_ found: String) throws {
        guard found == name else { throw DatabaseOpenError.foreignMigration(number: number, expected: name, found: found) }
    }
}
