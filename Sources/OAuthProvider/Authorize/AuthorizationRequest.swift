import OstiaryProtocol
import OstiaryTokens

/// An authorization request that passed its checks (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1).
package struct AuthorizationRequest: Equatable, Sendable {
    package let server: ServerID
    package let application: Application
    package let api: ProtectedAPI?
    package let redirect: Redirect
    package let mode: ResponseMode
    package let state: String?
    package internal(set) var nonce: String?
    package internal(set) var challenge: CodeChallenge
    /// The key that the code will be bound to (RFC 9449 §10).
    package internal(set) var boundKey: Thumbprint?
    /// What was asked, less what the client may not ask.
    package internal(set) var scopes: ScopeSet
    package internal(set) var prompts: Set<Prompt>
    /// Seconds that the login may be old.
    package internal(set) var maxAge: UInt32?
    /// Of the values asked for those that are known here, in the order of the request.
    package internal(set) var strengths: [LoginStrength]
    /// What of the person it asks for by name.
    package internal(set) var claims: AskedClaims
    /// The user's name, as the client suggests it.
    package internal(set) var loginHint: String?
    /// The one person whom the answer may be about (`sub`): by an ID token that the client sent back, or by its claims request.
    package internal(set) var hinted: String?
    package internal(set) var uiLocales: [String]
    /// The request that was sent ahead, which a code spends.
    package let pushedHash: [UInt8]?

    /// What the person is asked to let the client have, as far as they have not: its scopes, and those that stand for what it asks by name.
    package var wanted: ScopeSet { scopes.union(claims.scopes) }

    /// Whom the client expects, for the page on which somebody logs in: as it said, and nobody is looked up by it. Whoever made the link may have written
    /// it, so only a single word of at most 100 bytes is shown, and no sentence.
    package var expectedName: String? {
        guard let loginHint, PlainLine.allowsName(loginHint, cap: 100), !loginHint.contains(where: \.isWhitespace) else { return nil }
        return loginHint
    }

    package enum Prompt: String, CaseIterable, Sendable {
        case none, login, consent
        case selectAccount = "select_account"
    }
}

/// Where the browser goes with the answer.
package struct Redirect: Equatable, Sendable {
    package let registered: RedirectURI
    /// As it stood in the request; nil where the only registered one is meant.
    package let presented: String?

    package var text: String { presented ?? registered.text }
}
