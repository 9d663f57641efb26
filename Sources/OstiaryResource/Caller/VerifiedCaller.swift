/// Who calls, and what they may do, when all of it was verified. Only ``ResourceVerifier`` makes one.
public struct VerifiedCaller: Hashable, Sendable {
    /// What proved it.
    public enum Evidence: Hashable, Sendable {
        /// The provider's `getSession` said that this person is logged in now.
        case webNonce
        /// A signature by the provider: it was so when the token was made (RFC 9068).
        case jwt
        /// The provider said that the token is good now (RFC 7662).
        case introspection
    }

    /// `sub`: the person, or of a machine the client; of a webNonce the user as the business backend named it. By this an API knows whose data it is.
    public let subject: String
    /// The account, which is one phone of one user, base64url; only of a webNonce.
    public let account: String?
    /// `client_id`: the program that calls; nil where nothing told it, and of a webNonce.
    public let clientID: String?
    /// What the program was given (`scope`), one by one.
    public let scopes: Set<String>
    /// What the person may do in any case, where the provider tells it (`permissions`).
    public let permissions: Set<String>
    /// How strongly they logged in (`acr`), in the provider's words; nil where nobody did, or nothing told it.
    public let acr: String?
    /// By what (`amr`, RFC 8176).
    public let amr: [String]
    /// When they last showed themself, in Unix seconds; nil where nothing told it.
    public let authTime: UInt64?
    /// Until when what proved it is good, in Unix seconds; nil where nothing told it.
    public let expiresAt: UInt64?
    public let provedBy: Evidence
    /// `jkt`: the SHA-256 thumbprint of the key that was proved along with it, base64url; nil for what anybody who holds it may use (RFC 9449 §6).
    public let keyThumbprint: String?
    /// Everything that the token, or the answer about it, says, also what a provider's operator added: `claims["https://api.example.com/email"]?.string`.
    public let claims: [String: ClaimValue]
    /// Which verifier let them in; nil until it has.
    private(set) var verifier: VerifierIdentity?

    /// Whether the program was given this scope. A name that begins like another is another.
    public func has(scope: String) -> Bool { scopes.contains(scope) }

    /// Whether the person has this permission.
    public func has(permission: String) -> Bool { permissions.contains(permission) }

    init(
        subject: String, account: String? = nil, clientID: String? = nil, scopes: Set<String>, permissions: Set<String> = [], acr: String?,
        amr: [String], authTime: UInt64?, expiresAt: UInt64?, provedBy: Evidence, keyThumbprint: String? = nil, claims: [String: ClaimValue]
    ) {
        self.subject = subject
        self.account = account
        self.clientID = clientID
        self.scopes = scopes
        self.permissions = permissions
        self.acr = acr
        self.amr = amr
        self.authTime = authTime
        self.expiresAt = expiresAt
        self.provedBy = provedBy
        self.keyThumbprint = keyThumbprint
        self.claims = claims
    }

    func verified(by verifier: VerifierIdentity) -> VerifiedCaller {
        var caller = self
        caller.verifier = verifier
        return caller
    }
}
