/// What the definition of a table makes an index of by itself: its primary key, and what no two rows have the same. The engine names these indexes.
struct TableKeys: Equatable, Sendable {
    /// Its columns, in order; nil for none.
    private(set) var key: [String]?
    /// Columns, or groups of them.
    private(set) var uniques: [[String]] = []

    init(key: [String]? = nil, uniques: [[String]] = []) { (self.key, self.uniques) = (key, uniques) }

    /// - Parameter words: behind the name in `CREATE TABLE`, as ``words(of:)`` has them.
    init(defining words: ArraySlice<String>) { for part in Self.parts(words) { add(part[...]) } }

    /// - Parameter words: behind the name in `ALTER TABLE`; nothing of a new name of the table. One change: what comes behind a comma would go unread, and of
    ///   which columns a constraint is that goes by its name is not said there. None of our steps says either.
    mutating func alter(_ words: ArraySlice<String>) {
        precondition(!Self.outer(words).contains(","), "a step changes one thing of a table by one statement")
        var rest = words.dropFirst()
        if rest.first?.uppercased() == "COLUMN" { rest.removeFirst() }
        while let word = rest.first?.uppercased(), ["IF", "NOT", "EXISTS"].contains(word) { rest.removeFirst() }
        let verb = words.first?.uppercased()
        precondition(verb == "ADD" || rest.first?.uppercased() != "CONSTRAINT", "a step changes no constraint by its name")
        switch verb {
        case "ADD": add(rest)
        case "DROP":
            guard let column = rest.first.map(Self.plain) else { return }
            uniques.removeAll { $0.contains(column) }
            if key?.contains(column) == true { key = nil }
        case "RENAME":
            guard let old = rest.first.map(Self.plain), let new = rest.dropFirst(2).first.map(Self.plain) else { return }
            uniques = uniques.map { $0.map { $0 == old ? new : $0 } }
            key = key?.map { $0 == old ? new : $0 }
        default: return
        }
    }

    /// A column, or what is said of several behind them.
    private mutating func add(_ part: ArraySlice<String>) {
        let words = part.first?.uppercased() == "CONSTRAINT" ? part.dropFirst(2) : part
        switch words.first?.uppercased() {
        case nil, "CHECK", "FOREIGN", "EXCLUDE": return
        case "PRIMARY": key = Self.columns(words)
        case "UNIQUE": uniques.append(Self.columns(words))
        default:
            let (name, said) = (Self.plain(words[words.startIndex]), Self.outer(words).map { $0.uppercased() })
            if zip(said, said.dropFirst()).contains(where: { $0 == "PRIMARY" && $1 == "KEY" }) { key = [name] }
            if said.contains("UNIQUE") { uniques.append([name]) }
        }
    }
}

// MARK: Words

extension TableKeys {
    /// A statement as words, in which parentheses and commas are words, too, and what is in quotes is part of one. It goes by bytes, since each start reads all
    /// steps: what means something to SQL is ASCII.
    static func words(of statement: String) -> [String] {
        var (words, word, quote) = ([String](), [UInt8](), UInt8?.none)
        func end() {
            if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
            word.removeAll(keepingCapacity: true)
        }
        for byte in statement.utf8 {
            switch byte {
            case _ where quote != nil:
                word.append(byte)
                if byte == quote { quote = nil }
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                word.append(byte)
                quote = byte
            case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ","):
                end()
                words.append(String(UnicodeScalar(byte)))
            case _ where isSpace(byte), UInt8(ascii: ";"): end()
            default: word.append(byte)
            }
        }
        end()
        return words
    }

    /// A statement in one line, with one blank wherever it had several, or a new line.
    static func line(of statement: String) -> String {
        statement.utf8.split(whereSeparator: isSpace).map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || UInt8(ascii: "\t")...UInt8(ascii: "\r") ~= byte }

    /// What stands between the commas of the first parentheses.
    private static func parts(_ words: ArraySlice<String>) -> [[String]] {
        var (parts, depth) = ([[String]()], 0)
        for word in words {
            if word == ")" { depth -= 1 }
            if word == ")", depth == 0 { return parts }
            if depth == 1, word == "," {
                parts.append([])
            } else if depth > 0 {
                parts[parts.count - 1].append(word)
            }
            if word == "(" { depth += 1 }
        }
        return parts
    }

    /// The names in the first parentheses.
    private static func columns(_ words: ArraySlice<String>) -> [String] { parts(words).compactMap { $0.first.map(plain) } }

    /// Without what is in parentheses: a condition may speak of anything.
    private static func outer(_ words: ArraySlice<String>) -> [String] {
        var depth = 0
        return words.filter { word in
            if word == "(" { depth += 1 }
            defer { if word == ")" { depth -= 1 } }
            return depth == 0
        }
    }

    /// As the catalogue has a name.
    static func plain(_ name: String) -> String {
        name.hasPrefix("\"") ? String(name.dropFirst().dropLast()) : name.lowercased()
    }
}

extension TableKeys {
    /// What makes a primary key again, of a table that has lost it.
    static func addingKey(_ columns: [String], to table: String) -> String { "ALTER TABLE \(quoted(table)) ADD PRIMARY KEY (\(list(columns)))" }

    /// The same of a `UNIQUE`.
    static func addingUnique(_ columns: [String], to table: String) -> String { "ALTER TABLE \(quoted(table)) ADD UNIQUE (\(list(columns)))" }

    private static func list(_ columns: [String]) -> String { columns.map(quoted).joined(separator: ", ") }

    /// A name in a statement, in quotes where it needs them.
    static func written(_ name: String) -> String {
        let (letters, digits) = ("abcdefghijklmnopqrstuvwxyz_", "0123456789")
        let isPlain = name.first.map { letters.contains($0) } ?? false
        return isPlain && name.allSatisfy { letters.contains($0) || digits.contains($0) } ? name : quoted(name)
    }

    /// A name in a statement, whatever it is.
    static func quoted(_ name: String) -> String { "\"" + name.map { $0 == "\"" ? "\"\"" : "\($0)" }.joined() + "\"" }
}
