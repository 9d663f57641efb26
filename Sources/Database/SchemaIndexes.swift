/// The indexes that the steps of a schema have made, read from their statements, so that no list of them is kept beside: a database that was restored without
/// them holds every row, and fails at the first that says `ON CONFLICT`, or keeps a code twice.
struct SchemaIndexes: Equatable, Sendable {
    struct Named: Equatable, Sendable {
        var table: String
        let isUnique: Bool
        /// What makes it, in one line.
        var statement: String
    }

    /// What stands in the definition of a table.
    struct Table: Equatable, Sendable {
        let hasKey: Bool
        /// Columns, or groups of them, no two rows of which are the same. The engine names their indexes.
        var uniques: Int
    }

    private(set) var named: [String: Named] = [:]
    private(set) var tables: [String: Table] = [:]

    /// - Parameter statements: of all steps, in their order.
    init(after statements: [String]) {
        for statement in statements { follow(statement.split { $0.isWhitespace || "(),;".contains($0) }.map(String.init), of: statement) }
    }

    private mutating func follow(_ words: [String], of statement: String) {
        // `CREATE UNIQUE INDEX IF NOT EXISTS name ON table`, and less.
        let isUnique = words.dropFirst().first?.uppercased() == "UNIQUE"
        let verb = words.first?.uppercased() ?? ""
        var rest = words.dropFirst(isUnique ? 2 : 1)
        let kind = rest.popFirst()?.uppercased() ?? ""
        while let word = rest.first?.uppercased(), ["IF", "NOT", "EXISTS"].contains(word) { rest.removeFirst() }
        guard let name = rest.popFirst() else { return }
        switch (verb, kind) {
        case ("CREATE", "INDEX"):
            let line = statement.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            named[name] = Named(table: rest.dropFirst().first ?? "", isUnique: isUnique, statement: line)
        case ("DROP", "INDEX"): named[name] = nil
        case ("CREATE", "TABLE"): tables[name] = Table(hasKey: Self.hasKey(rest), uniques: Self.uniques(rest))
        case ("DROP", "TABLE"):
            tables[name] = nil
            named = named.filter { $0.value.table != name }
        case ("ALTER", "TABLE"): alter(name, rest)
        default: return
        }
    }

    private mutating func alter(_ name: String, _ words: ArraySlice<String>) {
        guard words.prefix(2).map({ $0.uppercased() }) == ["RENAME", "TO"], let new = words.dropFirst(2).first else {
            tables[name]?.uniques += Self.uniques(words)
            return
        }
        tables[new] = tables.removeValue(forKey: name)
        for (index, found) in named where found.table == name { named[index] = found.renamed(to: new) }
    }

    private static func uniques(_ words: ArraySlice<String>) -> Int { words.count { $0.uppercased() == "UNIQUE" } }

    private static func hasKey(_ words: ArraySlice<String>) -> Bool {
        zip(words, words.dropFirst()).contains { $0.uppercased() == "PRIMARY" && $1.uppercased() == "KEY" }
    }
}

extension SchemaIndexes.Named {
    /// The same of a table that has another name by now.
    fileprivate func renamed(to new: String) -> Self {
        var words = statement.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        if let place = words.firstIndex(where: { $0.uppercased() == "ON" }), place + 1 < words.count, words[place + 1].hasPrefix(table) {
            words[place + 1] = new + words[place + 1].dropFirst(table.count)
        }
        return Self(table: new, isUnique: isUnique, statement: words.joined(separator: " "))
    }
}

extension SchemaIndexes {
    /// One that is there.
    struct Found: Equatable, Sendable {
        let name: String
        let table: String
        let isKey: Bool
        let isUnique: Bool
        /// Whether it holds all rows, and whoever looks may ask it.
        let isValid: Bool

        init(_ row: SQLRow) throws {
            (name, table) = (try row.text("name"), try row.text("table_name"))
            (isKey, isUnique, isValid) = (try row.bool("is_key"), try row.bool("is_unique"), try row.bool("is_valid"))
        }
    }

    /// What of it is not there, for an operator's line. More than it is nobody's business.
    func lacking(in found: [Found]) -> [String] {
        let byName = Dictionary(found.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let valid = Dictionary(grouping: found.filter(\.isValid), by: \.table)
        let keys = tables.filter { table, wanted in wanted.hasKey && valid[table, default: []].allSatisfy { !$0.isKey } }.keys
        let uniques = tables.filter { table, wanted in
            valid[table, default: []].count { $0.isUnique && !$0.isKey && named[$0.name] == nil } < wanted.uniques
        }.keys
        let others = named.sorted { $0.key < $1.key }.compactMap { name, wanted -> String? in
            let words = "the index \(name) of \(wanted.table)"
            guard let there = byName[name], there.table == wanted.table else { return "\(words): \(wanted.statement)" }
            guard there.isValid else { return "\(words), which is not valid: REINDEX INDEX \(name)" }
            return wanted.isUnique && !there.isUnique ? "\(words), which is not unique: DROP INDEX \(name); \(wanted.statement)" : nil
        }
        return keys.sorted().map { "the primary key of \($0)" } + uniques.sorted().map { "a UNIQUE of \($0)" } + others
    }
}
