import OstiaryProtocol
import OstiaryTokens

/// An API that tokens are for, as an operator registered it.
package struct ProtectedAPI: Equatable, Sendable {
    package enum TokenForm: String, CaseIterable, Sendable {
        /// RFC 9068: the API verifies it by itself.
        case jwt
        /// Random bytes, which the API asks the provider about.
        case opaque
    }

    /// Seconds.
    package static let defaultLife: UInt64 = 86_400
    /// Seconds: what a stop on the phone takes to reach an API that asks nobody (protocol §8).
    package static let defaultSessionLife: UInt64 = 300
    package static let longestLife: UInt64 = 2_592_000

    package let identifier: APIIdentifier
    package let server: ServerID
    package var name: String
    package var scopes: [APIScope] = []
    package var form = TokenForm.jwt
    package var algorithm = SignatureAlgorithm.es256
    /// Seconds for which an access token is good that hangs on no session: a machine's, or one with `offline_access`.
    package var life = ProtectedAPI.defaultLife
    /// Seconds for which an access token is good whose session may end before: what the API is not told of it accepts for as long.
    package var sessionLife = ProtectedAPI.defaultSessionLife
    package var allowsOfflineAccess = false
    /// The operator's own applications need no consent.
    package var firstPartySkipsConsent = true
    /// Whether a person gets only what a role of theirs permits; otherwise everybody may what their client may.
    package var checksPermissions = false
    /// What its tokens say of people besides what every token says. A machine's has none of it.
    package var addedClaims: [ClaimName: ClaimSource] = [:]

    package init(identifier: APIIdentifier, server: ServerID, name: String) {
        self.identifier = identifier
        self.server = server
        self.name = name
    }

    package var allScopes: ScopeSet { ScopeSet(scopes.map(\.scope)) }
}

/// A scope of an API, and what it means in words for people.
package struct APIScope: Hashable, Sendable {
    package let scope: Scope
    package let words: String

    package init(_ scope: Scope, words: String) {
        self.scope = scope
        self.words = words
    }
}

/// What somebody may do who has it: scopes of APIs under one name.
package struct Role: Equatable, Sendable {
    package let server: ServerID
    package let name: String
    package var permissions: [APIIdentifier: ScopeSet]

    package init(server: ServerID, name: String, permissions: [APIIdentifier: ScopeSet]) {
        self.server = server
        self.name = name
        self.permissions = permissions
    }
}
