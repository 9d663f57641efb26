import OstiaryProtocol
import OstiaryTokens

extension SQLKeyRows {
    /// The keys of tokens of a server, and which there should be.
    func tokenKeys(of server: ServerID) throws -> TokenKeyRows {
        let wanted = try tokenAlgorithms(of: server)
        let kinds = Set(TokenKeyRows.kinds.map(\.name))
        let keys = try keys(of: server).filter { kinds.contains($0.key.kind) }
        return TokenKeyRows(wanted: wanted.isEmpty ? nil : wanted.union([.es256]), keys: keys.sorted { $0.isBefore($1) })
    }
}

/// The keys of tokens of one server as they are kept, in the order in which they begin to sign, and what the rules of ``KeyKind`` make of them.
struct TokenKeyRows: Equatable, Sendable {
    /// The algorithms that its APIs and applications ask for, and the one of tokens for no API; nil while it has neither API nor application.
    let wanted: Set<SignatureAlgorithm>?
    let keys: [KeyRow]

    static let kinds = SignatureAlgorithm.allCases.map(KeyKind.token) + [.tokenSecret]

    func keys(_ kind: KeyKind) -> [KeyRow] { keys.filter { $0.key.kind == kind.name } }

    /// The one that is used at `now`: of those that have begun and are not over the one that began last. What never ends is used whatever a clock says.
    func used(_ kind: KeyKind, at now: Instant) -> KeyRow? {
        keys(kind).last { kind.life == nil || $0.notBefore <= now && now < kind.end(of: $0) }
    }

    /// What signs at `now`, at most one for each algorithm.
    func signing(at now: Instant) -> [KeyRow] { SignatureAlgorithm.allCases.compactMap { used(.token($0), at: now) } }

    /// What clients are shown: what signs, what will, and what did, the latest first.
    func published(at now: Instant) -> [KeyRow] {
        let signing = signing(at: now)
        let others = keys.filter { $0.key.kind != KeyKind.tokenSecret.name && !signing.contains($0) && now <= $0.notAfter }
        return signing + others.filter { now < $0.notBefore } + others.filter { $0.notBefore <= now }.reversed()
    }

    /// The kinds that there should be.
    var wantedKinds: [KeyKind] {
        guard let wanted else { return [] }
        return SignatureAlgorithm.allCases.filter(wanted.contains).map(KeyKind.token) + [.tokenSecret]
    }

    /// Those of which there is no key that can be used now.
    func missing(at now: Instant) -> [KeyKind] { wantedKinds.filter { used($0, at: now) == nil } }

    /// Those of which a key is to be made now. One that a clock made which ran far ahead begins when its time comes, and counts for nothing before.
    func due(at now: Instant) -> [KeyKind] {
        wantedKinds.filter { kind in
            let soon = now + kind.ahead + KeyKind.clockSlack
            let end = keys(kind).filter { $0.notBefore <= soon }.map(kind.end).max()
            return used(kind, at: now) == nil || kind.life != nil && kind.isDue(after: end, at: now)
        }
    }

    /// Those that nobody looks at any more.
    func over(at now: Instant) -> [KeyRow] { keys.filter { $0.notAfter < now } }
}

extension KeyRow {
    /// The same order at every node, whoever made the keys.
    fileprivate func isBefore(_ other: KeyRow) -> Bool {
        guard notBefore == other.notBefore else { return notBefore < other.notBefore }
        return (key.kind, Base64URL.encode(key.id)) < (other.key.kind, Base64URL.encode(other.key.id))
    }
}

extension KeyKind {
    /// When a key is used no more. It is shown for longer.
    func end(of row: KeyRow) -> Instant { row.notAfter - after }
}
