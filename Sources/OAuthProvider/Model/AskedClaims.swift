import OstiaryTokens

extension PersonClaim {
    /// The scope that stands for it (OpenID Connect Core §5.4), in whose words people are asked.
    package var scope: Scope {
        switch self {
        case .name, .picture: .profile
        case .email, .emailVerified: .email
        }
    }
}

extension ScopeSet {
    /// What of a person they stand for.
    package var claims: Set<PersonClaim> { Set(PersonClaim.allCases.filter { contains($0.scope) }) }
}

/// What of a person a client asks for by name, in a claims request (OpenID Connect Core §5.5): besides what its scopes stand for, and there only.
package struct AskedClaims: Hashable, Sendable {
    package static let none = AskedClaims()

    package var idToken: Set<PersonClaim>
    package var userInfo: Set<PersonClaim>

    package init(idToken: Set<PersonClaim> = [], userInfo: Set<PersonClaim> = []) {
        self.idToken = idToken
        self.userInfo = userInfo
    }

    /// The scopes that stand for them. People are asked about these, and the client gets what it named.
    package var scopes: ScopeSet { ScopeSet(PersonClaim.allCases.filter { idToken.union(userInfo).contains($0) }.map(\.scope)) }
}
