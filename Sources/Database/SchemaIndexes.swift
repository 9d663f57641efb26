import Foundation

/// The indexes that the steps of a schema have made, read from their statements, so that no list of them is kept beside: a database that was restored without
/// them, or lost one at somebody's prompt, holds every row, and fails at the first that says `ON CONFLICT`, or keeps a code twice.
struct SchemaIndexes: Equatable, Sendable {
    struct Named: Equatable, Sendable {
        var table: String
        let isUnique: Bool
        /// What makes it, in one line.
        var statement: String
    }

    private(set) var named: [String: Named] = [:]
    private(set) var tables: [String: TableKeys] = [:]

    private static let read = OnceForStatements<SchemaIndexes>()

    /// - Parameter statements: of all steps, in their order.
    init(after statements: [String]) { self = Self.read.value(of: statements) { Self(reading: $0) } }

    private init(reading statements: [String]) { follow(statements) }

    /// - Parameter statements: of the next step.
    mutating func follow(_ statements: [String]) {
        for statement in statements { follow(TableKeys.words(of: statement), of: statement) }
    }

    /// The same for whoever asks for the names of tables alone. They stand before the first parenthesis of a statement, and no more of it is read.
    /// - Parameter statements: of the next step.
    mutating func followTables(_ statements: [String]) {
        follow(statements.map { String(decoding: $0.utf8.prefix { $0 != UInt8(ascii: "(") }, as: UTF8.self) })
    }

    private mutating func follow(_ words: [String], of statement: String) {
        // `CREATE UNIQUE INDEX IF NOT EXISTS name ON table`, and less.
        let isUnique = words.dropFirst().first?.uppercased() == "UNIQUE"
        let verb = words.first?.uppercased() ?? ""
        var rest = words.dropFirst(isUnique ? 2 : 1)
        let kind = rest.popFirst()?.uppercased() ?? ""
        while let word = rest.first?.uppercased(), ["IF", "NOT", "EXISTS"].contains(word) { rest.removeFirst() }
        guard let name = rest.popFirst().map(TableKeys.plain) else { return }
        switch (verb, kind) {
        case ("CREATE", "INDEX"):
            named[name] = Named(
                table: rest.dropFirst().first.map(TableKeys.plain) ?? "", isUnique: isUnique, statement: TableKeys.line(of: statement))
        case ("DROP", "INDEX"): named[name] = nil
        case ("CREATE", "TABLE"): tables[name] = TableKeys(defining: rest)
        case ("DROP", "TABLE"):
            tables[name] = nil
            named = named.filter { $0.value.table != name }
        case ("ALTER", "TABLE"): alter(name, rest)
        default: return
        }
    }

    private mutating func alter(_ name: String, _ words: ArraySlice<String>) {
        guard words.prefix(2).map({ $0.uppercased() }) == ["RENAME", "TO"], let new = words.dropFirst(2).first.map(TableKeys.plain) else {
            tables[name]?.alter(words)
            return
        }
        tables[new] = tables.removeValue(forKey: name)
        for (index, found) in named where found.table == name { named[index] = found.renamed(to: new) }
    }
}

extension SchemaIndexes.Named {
    /// The same of a table that has another name by now.
    fileprivate func renamed(to new: String) -> Self {
        guard let on = statement.range(of: " ON ", options: .caseInsensitive) else {
            return Self(table: new, isUnique: isUnique, statement: statement)
        }
        let rest = statement[on.upperBound...]
        // In quotes it is as it is, else in whatever case.
        let old = rest.hasPrefix("\"") ? TableKeys.quoted(table) : table
        let behind = rest.prefix(old.count).lowercased() == old.lowercased() ? rest.dropFirst(old.count) : rest
        let renamed = String(statement[..<on.upperBound]) + TableKeys.written(new) + String(behind)
        return Self(table: new, isUnique: isUnique, statement: renamed)
    }
}

extension SchemaIndexes {
    /// One that is there.
    struct Found: Equatable, Sendable {
        let name: String
        let table: String
        let isKey: Bool
        /// At each row, and not at the end of a transaction: only that answers `ON CONFLICT`.
        let isUnique: Bool
        /// Whether it holds all rows, and whoever looks may ask it.
        let isValid: Bool
        /// Of which columns; none where it is of some rows only, or of more than columns.
        let columns: [String]

        init(_ row: SQLRow) throws {
            (name, table) = (try row.text("name"), try row.text("table_name"))
            (isKey, isUnique, isValid) = (try row.bool("is_key"), try row.bool("is_unique"), try row.bool("is_valid"))
            columns = try row.text("columns").split(separator: SQLCatalogue.columnSeparator).map(String.init)
        }
    }

    /// Those of a database that has steps: the tables in which steps are counted have theirs, too.
    /// - Parameter statements: of all steps that were taken, in their order.
    init(ofDatabaseAfter statements: [String], _ dialect: SQLDialect) {
        self.init(after: StepTables.definitions(dialect, besides: []) + statements)
    }

    /// The same but for what lies on some tables.
    func without(_ names: Set<String>) -> Self {
        var others = self
        others.tables = tables.filter { !names.contains($0.key) }
        others.named = named.filter { !names.contains($0.value.table) }
        return others
    }

    /// What of it the catalogue has not, as ``lacking(in:)`` says it; by its name alone where no statement makes it.
    func lacking(on connection: any SQLConnection, _ catalogue: SQLCatalogue) throws -> [String] {
        let names = SQLValue.text(tables.keys.sorted().joined(separator: ","))
        let found = try connection.query(catalogue.indexes, [names]).map(Found.init)
        return lackingKeys(in: found).map { catalogue.makesKeys ? $0 : Self.name(in: $0) } + lackingNamed(in: found)
    }

    /// What an operator is told of a database that lacks some. Of many it is the names alone: whoever lacks so much restores a backup, and runs no statements.
    static func troubleLacking(_ lacking: [String]) -> String {
        let few = lacking.count <= mostStatements ? lacking : lacking.map { name(in: $0) }
        return "has not all that its schema has (\(few.joined(separator: "; ")))"
    }

    /// What to do about it.
    static let remedy =
        "it was restored in part, presumably. Restore the whole backup while no server runs, of PostgreSQL the section post-data too; or, where it is known why "
        + "one of them is not there, run the statement behind it. This program makes none by itself"

    private static let mostStatements = 5

    /// What is lacking without what makes it.
    static func name(in words: String) -> String { String(words.prefix { $0 != ":" }) }

    /// What of it is not there, for an operator's line: its name, and what makes it. More than it is nobody's business.
    func lacking(in found: [Found]) -> [String] { lackingKeys(in: found) + lackingNamed(in: found) }

    private func lackingKeys(in found: [Found]) -> [String] {
        let byTable = Dictionary(grouping: found, by: \.table)
        let sorted = tables.sorted { $0.key < $1.key }
        let keys = sorted.compactMap { table, keys in keys.key.flatMap { lackingKey($0, of: table, in: byTable[table, default: []]) } }
        let uniques = sorted.flatMap { table, keys in keys.uniques.compactMap { lackingUnique($0, of: table, in: byTable[table, default: []]) } }
        return keys + uniques
    }

    private func lackingKey(_ columns: [String], of table: String, in found: [Found]) -> String? {
        let name = "the primary key of \(table)"
        if let other = found.first(where: { $0.isKey && !($0.isUnique && $0.columns == columns) }) {
            // A table has one at most.
            let dropping = "ALTER TABLE \(TableKeys.quoted(table)) DROP CONSTRAINT \(TableKeys.quoted(other.name))"
            return "\(name), which is another one: \(dropping); \(TableKeys.addingKey(columns, to: table))"
        }
        return Self.words(name, in: found.filter(\.isKey), else: TableKeys.addingKey(columns, to: table))
    }

    /// One of the same columns in another order is another one: it finds no rows by the first of them.
    private func lackingUnique(_ columns: [String], of table: String, in found: [Found]) -> String? {
        let same = found.filter { $0.isUnique && !$0.isKey && named[$0.name] == nil && $0.columns == columns }
        return Self.words("a UNIQUE of \(table)", in: same, else: TableKeys.addingUnique(columns, to: table))
    }

    /// - Parameters:
    ///   - found: all that would do, if it is valid.
    ///   - statement: what makes it where there is none.
    /// - Returns: nil where one does.
    private static func words(_ name: String, in found: [Found], else statement: @autoclosure () -> String) -> String? {
        if found.contains(where: \.isValid) { return nil }
        return found.first.map { "\(name), which is not valid: REINDEX INDEX \(TableKeys.quoted($0.name))" } ?? "\(name): \(statement())"
    }

    private func lackingNamed(in found: [Found]) -> [String] {
        let byName = Dictionary(found.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        return named.sorted { $0.key < $1.key }.compactMap { name, wanted -> String? in
            let words = "the index \(name) of \(wanted.table)"
            guard let there = byName[name], there.table == wanted.table else { return "\(words): \(wanted.statement)" }
            guard there.isValid else { return "\(words), which is not valid: REINDEX INDEX \(TableKeys.written(name))" }
            guard wanted.isUnique, !there.isUnique else { return nil }
            return "\(words), which is not unique: DROP INDEX \(TableKeys.written(name)); \(wanted.statement)"
        }
    }
}
