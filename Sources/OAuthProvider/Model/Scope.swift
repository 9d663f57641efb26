/// One word of a scope (RFC 6749 §3.3).
package struct Scope: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// Nil for anything but visible ASCII without quotation mark and backslash.
    package init?(_ text: some StringProtocol) {
        guard (1...128).contains(text.utf8.count), text.utf8.allSatisfy(NQCharacter.isOne) else { return nil }
        self.text = String(text)
    }

    private init(known: StaticString) { text = "\(known)" }

    package var description: String { text }

    /// An ID token, please (OpenID Connect Core §3.1.2.1).
    package static let openID = Scope(known: "openid")
    /// Name and picture (§5.4).
    package static let profile = Scope(known: "profile")
    package static let email = Scope(known: "email")
    /// A refresh token that outlives the session (§11).
    package static let offlineAccess = Scope(known: "offline_access")

    /// What is the provider's own and belongs to no API.
    package static let identity: ScopeSet = [.openID, .profile, .email, .offlineAccess]
}

/// Why a text is no list of scopes.
package enum ScopeError: Error, Equatable, Sendable {
    case badGrammar, tooMany
}

/// Scopes in the order in which they were asked for, each once.
package struct ScopeSet: Hashable, Sendable, ExpressibleByArrayLiteral {
    package static let most = 64

    package let scopes: [Scope]

    package init(_ scopes: some Sequence<Scope>) {
        var seen: Set<Scope> = []
        self.scopes = scopes.filter { seen.insert($0).inserted }
    }

    package init(arrayLiteral scopes: Scope...) { self.init(scopes) }

    /// Words with one space between two (RFC 6749 §3.3); an empty text is none.
    package init(parsing text: String) throws(ScopeError) {
        guard !text.isEmpty else {
            self.init([])
            return
        }
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count <= Self.most else { throw .tooMany }
        let parsed = words.compactMap { Scope($0) }
        guard parsed.count == words.count else { throw .badGrammar }
        self.init(parsed)
    }

    package var text: String { scopes.map(\.text).joined(separator: " ") }
    package var isEmpty: Bool { scopes.isEmpty }

    package func contains(_ scope: Scope) -> Bool { scopes.contains(scope) }
    package func isSubset(of other: ScopeSet) -> Bool { scopes.allSatisfy(other.contains) }
    package func intersection(_ other: ScopeSet) -> ScopeSet { ScopeSet(scopes.filter(other.contains)) }
    package func subtracting(_ other: ScopeSet) -> ScopeSet { ScopeSet(scopes.filter { !other.contains($0) }) }
    package func union(_ other: ScopeSet) -> ScopeSet { ScopeSet(scopes + other.scopes) }

    /// What of them a person gives away in a login. A code that was typed may have been read out to somebody, so nothing outlives the session that it began
    /// (decision 0045).
    func given(byOfflineCode isTyped: Bool) -> ScopeSet { isTyped ? subtracting([.offlineAccess]) : self }
}
