import Database

/// Looks whether a step of a schema only adds, so that programs of the version before go on while and after it is made (docs/decisions/0051).
package struct AdditiveStep {
    private let statements: [String]
    /// Tables that the step makes itself: nobody reads them yet, and nothing in them is long.
    private let own: Set<String>
    /// Tables that are there, and to which so little is written that whoever does may wait until an index of theirs is built.
    private let calm: Set<String>
    private let changesRows: Bool

    package init(_ migration: Migration, in dialect: SQLDialect, calm: Set<String> = []) {
        self.calm = calm
        statements = migration.statements(dialect).map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
        own = Set(statements.compactMap { Self.name(in: $0, after: ["CREATE", "TABLE"]) })
        changesRows = migration.rows != nil
    }

    /// Why an earlier program might not go on with it, or wait long; empty when it does.
    package var objections: [String] {
        (changesRows ? ["goes over rows that others change"] : [])
            + statements.compactMap { statement in objection(to: statement).map { "\($0): \(statement)" } }
    }

    private func objection(to statement: String) -> String? {
        if Self.name(in: statement, after: ["CREATE", "TABLE"]) != nil { return nil }
        let isIndex = [["CREATE", "INDEX"], ["CREATE", "UNIQUE", "INDEX"]].contains { Self.name(in: statement, after: $0) != nil }
        if isIndex { return objection(toIndex: statement) }
        if let table = Self.name(in: statement, after: ["INSERT", "INTO"]) {
            return own.contains(table) ? nil : "adds rows to a table that is there"
        }
        guard Self.name(in: statement, after: ["ALTER", "TABLE"]) != nil else { return "is none of the statements that only add" }
        let words = statement.uppercased().split(separator: " ").map(String.init)
        guard words.count > 5, words[3] == "ADD", words[4] == "COLUMN" else { return "changes what is there" }
        let definition = Set(words.dropFirst(6))
        guard definition.isDisjoint(with: ["UNIQUE", "REFERENCES", "CHECK", "PRIMARY", "GENERATED"]) else { return "adds a column with a condition" }
        return definition.contains("NULL") && definition.contains("NOT") && !definition.contains("DEFAULT")
            ? "adds a column that an earlier program does not fill" : nil
    }

    private func objection(toIndex statement: String) -> String? {
        let words = statement.split(separator: " ").map(String.init)
        guard let place = words.firstIndex(where: { $0.uppercased() == "ON" }), place + 1 < words.count else { return "is of no table" }
        let table = String(words[place + 1].prefix { $0 != "(" })
        guard !own.contains(table) else { return nil }
        guard calm.contains(table) else { return "holds up whoever writes to a table that is there" }
        // One that takes long is built by an operator beforehand.
        guard Self.name(in: statement, after: ["CREATE", "INDEX", "IF", "NOT", "EXISTS"]) != nil else {
            return "does not find an index that was built before it, or may refuse rows that are there"
        }
        return nil
    }

    /// What a statement that begins so names next.
    private static func name(in statement: String, after beginning: [String]) -> String? {
        let words = statement.split(separator: " ").map(String.init)
        guard words.count > beginning.count, words.prefix(beginning.count).map({ $0.uppercased() }) == beginning else { return nil }
        return String(words[beginning.count].prefix { $0 != "(" })
    }
}
