import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

/// Lists of the provider as columns of text: words with a space between two, or lines of which the first word is a key. None of what stands in them has
/// a space or an end of line, by its own type; it goes in through the same door again.
enum TextColumns {
    static func lines(_ texts: some Sequence<String>) -> SQLValue { .text(texts.joined(separator: "\n")) }
    static func words(_ texts: some Sequence<String>) -> SQLValue { .text(texts.joined(separator: " ")) }

    /// One line for each API: its identifier, and the scopes.
    static func scopes(byAPI apis: [APIIdentifier: ScopeSet]) -> SQLValue {
        lines(apis.sorted { $0.key.text < $1.key.text }.map { "\($0.key.text) \($0.value.text)" })
    }

    static func thumbprint(_ thumbprint: Thumbprint?) -> SQLValue { SQLValue(thumbprint?.bytes) }
}

extension SQLRow {
    func lines(_ column: StaticString) throws -> [String] { try text(column).split(separator: "\n").map(String.init) }
    func words(_ column: StaticString) throws -> [String] { try text(column).split(separator: " ").map(String.init) }

    /// The words of a column, each of which is one of a few.
    func words<Word: RawRepresentable<String>>(_ column: StaticString, as _: Word.Type = Word.self) throws -> [Word] {
        try words(column).map { try Self.required(Word(rawValue: $0), column) }
    }

    func word<Word: RawRepresentable<String>>(_ column: StaticString, as _: Word.Type = Word.self) throws -> Word {
        try Self.required(Word(rawValue: try text(column)), column)
    }

    func scopes(_ column: StaticString) throws -> ScopeSet { try Self.scopes(try text(column), column) }

    func scopesByAPI(_ column: StaticString) throws -> [APIIdentifier: ScopeSet] {
        try Dictionary(
            uniqueKeysWithValues: lines(column).map { line in
                let (key, rest) = Self.keyed(line)
                return (try Self.required(APIIdentifier(key), column), try Self.scopes(rest, column))
            })
    }

    func client(_ column: StaticString) throws -> ClientID { try Self.required(ClientID.stored(try text(column)), column) }

    func optionalAPI(_ column: StaticString) throws -> APIIdentifier? {
        try optionalText(column).map { try Self.required(APIIdentifier($0), column) }
    }

    func optionalThumbprint(_ column: StaticString) throws -> Thumbprint? {
        try optionalBlob(column).map { try Self.required(Thumbprint(text: Base64URL.encode($0)), column) }
    }

    /// A line as its first word and what follows.
    static func keyed(_ line: String) -> (key: String, rest: String) {
        let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count == 2 ? String(parts[1]) : "")
    }

    /// - Throws: ``SQLError/outOfRange(_:)`` for nil: nothing of ours wrote that.
    static func required<Value>(_ value: Value?, _ column: StaticString) throws -> Value {
        guard let value else { throw SQLError.outOfRange(column.description) }
        return value
    }

    private static func scopes(_ text: String, _ column: StaticString) throws -> ScopeSet {
        do { return try ScopeSet(parsing: text) } catch { throw SQLError.outOfRange(column.description) }
    }
}
