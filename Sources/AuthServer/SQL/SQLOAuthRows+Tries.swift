import Authentication
import Database
import OAuthProvider
import OstiaryProtocol

/// What places tried lately.
extension SQLOAuthRows {
    private static let tries = SQLTable("oauth_tries", key: ["kind", "level", "name"], columns: ["tries", "until"])

    func tries(of kind: TriedKind, from: TriedFrom) throws -> RecentTries {
        let row = try connection.one(
            "SELECT tries FROM oauth_tries WHERE kind = $1 AND level = $2 AND name = $3", [.text(kind.rawValue), from.level, .text(from.name)])
        return try row.map { RecentTries(try Self.counted(try $0.blob("tries"))) } ?? RecentTries()
    }

    func save(_ tries: RecentTries, of kind: TriedKind, from: TriedFrom, until end: Instant) throws {
        var writer = ByteWriter()
        for one in tries.tries {
            writer.fixed(one.mark, CountedTry.markCount)
            writer.instant(one.at)
            // Nothing was tried when time began.
            writer.instant(one.noticedAt ?? Instant(0))
        }
        try Self.tries.save([.text(kind.rawValue), from.level, .text(from.name), .blob(writer.bytes), SQLValue(end)], on: connection)
    }

    private static func counted(_ bytes: [UInt8]) throws -> [CountedTry] {
        let length = CountedTry.markCount + 16
        guard bytes.count.isMultiple(of: length) else { throw SQLError.outOfRange("tries") }
        var reader = ByteReader(bytes)
        return try (0..<bytes.count / length).map { _ in
            let (mark, at, noticed) = (try reader.fixed(CountedTry.markCount), try reader.instant(), try reader.instant())
            return CountedTry(mark: mark, at: at, noticedAt: noticed == Instant(0) ? nil : noticed)
        }
    }

    /// Of which nothing follows any more.
    func removeTries(at now: Instant, limit: Int) throws -> Int {
        try connection.execute(
            """
            DELETE FROM oauth_tries WHERE (kind, level, name) IN
            (SELECT kind, level, name FROM oauth_tries WHERE until < $1 ORDER BY until LIMIT $2)
            """, [SQLValue(now), SQLValue(limit)])
    }
}

extension TriedFrom {
    /// Never another number for the same: it stands in rows.
    fileprivate var level: SQLValue {
        switch self {
        case .address: .integer(0)
        case .network: .integer(1)
        case .proxy: .integer(2)
        }
    }

    fileprivate var name: String {
        switch self {
        case .address(let name), .network(let name), .proxy(let name): name
        }
    }
}
