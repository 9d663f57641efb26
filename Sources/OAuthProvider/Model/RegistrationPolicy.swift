import OstiaryProtocol

/// Whether clients may register themselves at a virtual server, and for what (RFC 7591). An operator says it.
package struct RegistrationPolicy: Equatable, Sendable {
    package enum Mode: String, CaseIterable, Sendable {
        case closed
        /// With an initial access token, which an operator drew (RFC 7591 §3).
        case token
        /// Anybody may.
        case open
    }

    package static let usualUnusedDays = 30

    package let server: ServerID
    package var mode = Mode.closed
    /// What a client that registered itself may ask of each API; of any other it may ask nothing.
    package var apis: [APIIdentifier: ScopeSet] = [:]
    /// How many such clients there may be at a time.
    package var most = 100
    /// Days without a grant after which one goes.
    package var unusedDays = Self.usualUnusedDays

    package init(server: ServerID) { self.server = server }
}

/// A token with which clients may register (RFC 7591 §1.2), of which the hash is kept: 32 random bytes, so a fast hash hides it.
package struct InitialAccessToken: Equatable, Sendable {
    /// SHA of the text.
    package let hash: [UInt8]
    package let server: ServerID
    package let expiresAt: Instant
    /// How many clients may still register with it.
    package var usesLeft: Int

    package init(hash: [UInt8], server: ServerID, expiresAt: Instant, usesLeft: Int) {
        self.hash = hash
        self.server = server
        self.expiresAt = expiresAt
        self.usesLeft = usesLeft
    }

    package static func hash(of text: String) -> [UInt8] { SHA(text.utf8) }

    func isGood(at now: Instant) -> Bool { now < expiresAt && usesLeft > 0 }
}
