import Crypto

/// How many rows a table has, and a hash over all of them in the order of their key.
///
/// A text with U+0000 in it, or with the character that stands for it in PostgreSQL, has another place there than in SQLite. Rows with such a key are hashed
/// behind all others, in the order of their hashes.
struct TableDigest: Equatable, Sendable {
    let rows: Int
    /// SHA-256.
    let hash: [UInt8]

    /// Reads a table, page by page.
    /// - Parameter tell: told how many rows were read, after each page.
    /// - Throws: ``SQLError``.
    static func of(_ table: TableShape, in database: any Database, batch: Int, _ tell: (Int) -> Void = { _ in }) async throws -> TableDigest {
        var hash = RowHash(table)
        let (database, statements) = (database.patient, TableStatements(table, most: batch))
        var last: [SQLValue]?
        while true {
            let page = try await database.read { [last] in try statements.page(after: last, on: $0) }
            for row in page { hash.add(row) }
            tell(hash.rows)
            guard page.count == batch, let end = page.last else { return hash.finish() }
            last = statements.key(of: end)
        }
    }
}

/// The hash over rows, while they come.
struct RowHash {
    private(set) var rows = 0
    private var inOrder = SHA256()
    private var displaced: [[UInt8]] = []
    private let keyPlaces: [Int]

    init(_ table: TableShape) {
        keyPlaces = table.keyPlaces
        Self.add(ValueCoding.bytes(of: ([table.name] + table.columns).map(SQLValue.text)), to: &inOrder)
    }

    mutating func add(_ row: [SQLValue]) {
        rows += 1
        let bytes = ValueCoding.bytes(of: row)
        guard keyPlaces.contains(where: { row[$0].isDisplaced }) else { return Self.add(bytes, to: &inOrder) }
        var own = SHA256()
        Self.add(bytes, to: &own)
        displaced.append(Array(own.finalize()))
    }

    func finish() -> TableDigest {
        var whole = inOrder
        for hash in displaced.sorted(by: { $0.lexicographicallyPrecedes($1) }) { Self.add([0xFF] + hash, to: &whole) }
        return TableDigest(rows: rows, hash: Array(whole.finalize()))
    }

    private static func add(_ bytes: [UInt8], to hash: inout SHA256) { bytes.withUnsafeBytes { hash.update(bufferPointer: $0) } }
}

extension SQLValue {
    /// Whether engines differ about what it stands before and behind.
    fileprivate var isDisplaced: Bool {
        guard case .text(let text) = self else { return false }
        return text.unicodeScalars.contains { $0.value == 0 || $0.value == 0xFFFE }
    }
}
