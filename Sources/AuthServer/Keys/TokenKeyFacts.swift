import OstiaryProtocol
import OstiaryTokens

/// A key of tokens as an operator is told of it.
package struct TokenKeyFacts: Equatable, Sendable {
    package enum Use: String, CaseIterable, Sendable {
        case signs
        /// Its time comes, and clients are shown it already.
        case next
        /// What it signed may still be good.
        case former
    }

    /// `kid`.
    package let id: String
    package let algorithm: SignatureAlgorithm
    package let use: Use
    /// It signs from this second until before that one, and less long when another begins before its end.
    package let signsFrom: Instant
    package let signsUntil: Instant
    /// The last second in which clients are shown it.
    package let publishedUntil: Instant
}

extension TokenKeyRows {
    /// What is published at `now`, in that order.
    func facts(at now: Instant) -> [TokenKeyFacts] {
        let signing = signing(at: now)
        return published(at: now).compactMap { row in
            SignatureAlgorithm.allCases.first { KeyKind.token($0).name == row.key.kind }.map { algorithm in
                TokenKeyFacts(
                    id: Base64URL.encode(row.key.id), algorithm: algorithm,
                    use: signing.contains(row) ? .signs : now < row.notBefore ? .next : .former, signsFrom: row.notBefore,
                    signsUntil: KeyKind.token(algorithm).end(of: row), publishedUntil: row.notAfter)
            }
        }
    }
}
