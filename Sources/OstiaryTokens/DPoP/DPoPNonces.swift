import OstiaryProtocol

/// Nonces that a server gives out for proofs, so that none can be made far ahead of its use (RFC 9449 §8). Kept nowhere: every node makes and knows
/// the same.
package struct DPoPNonces: Sendable {
    /// Seconds for which one is given out; it is taken for as long again.
    package static let period: UInt64 = 180

    private let key: [UInt8]

    /// - Parameter key: 32 random bytes of the server.
    package init(key: [UInt8]) { self.key = key }

    /// 22 characters of base64url.
    package func current(at now: Instant) -> String { nonce(period: now.seconds / Self.period) }

    package func accepts(_ nonce: String, at now: Instant) -> Bool {
        let period = now.seconds / Self.period
        let given = Array(nonce.utf8)
        return matches(given, Array(self.nonce(period: period).utf8)) || period > 0 && matches(given, Array(self.nonce(period: period - 1).utf8))
    }

    private func nonce(period: UInt64) -> String {
        var input = ByteWriter()
        input.raw(Array("oauth/dpop-nonce".utf8) + [0])
        input.u64(period)
        return Base64URL.encode(Array(HMACSHA256.tag(over: input.bytes, key: key).prefix(16)))
    }
}

extension DPoPNonces: CustomStringConvertible, CustomReflectable {
    package var description: String { "DPoPNonces ‹secret›" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
