import Foundation
import OstiaryProtocol
import OstiaryTokens

// Tokens: an app as a client of an OAuth and OpenID Connect provider.
//
// Owns: what an app says of itself (TokenSettings) and hears (TokenCredentials, TokenError); the code with PKCE (AuthorizationVisit), the exchange of a
// webNonce, refresh, revocation and logout, as extensions of one actor; what is checked of answers (ProviderEndpoints, TokenAnswer, IDTokenCheck); where
// logins are kept (StoredTokens, TokenVault) and who may change them (TokenTurn); the calls (ProviderLine) and their proofs (DeviceProof).
// Leaves to others: the browser, the lock and the stores (Ports/), and the AppLogin, which API/ brings along as an AppLoginSource.
// Start reading here, then TokenClient+Login and TokenClient+Refresh.

/// An app's tokens at one provider, for one API: gets them, keeps them, renews them, ends them.
///
///     let client = TokenClient(settings, ports: ports)
///     try await client.logIn(in: browser)
///     let rows = try await client.performWithFreshToken { token in
///         try await fetch("GET", url, fields: token.fields(method: "GET", url: url))
///     }
///
/// Make one for the app and keep it; an extension of the app makes its own over the same stores. A refresh is one at a time for all of them. Tokens are
/// stored before anybody gets them, the refresh token above all, so that an app that is killed at any moment is still logged in.
public actor TokenClient {
    let settings: TokenSettings
    let clock: any DeviceClock
    let random: any RandomSource
    let keys: any KeyStore
    let line: ProviderLine
    let turn: TokenTurn
    /// The login to the app itself, which is exchanged where no login of this client lasts; nil for none.
    let source: (any AppLoginSource)?
    private let documents: (any AccountStore)?

    private var metadata: ProviderEndpoints?
    private var keySet: JWKSet?
    /// What was read last, under the name that it has in the document.
    var cached: TokenVault.Kept?
    /// What an AppLogin was exchanged for: it ends with it, and is kept nowhere.
    var exchanged: (session: UUID, secret: LoginSecret, keyName: String)?
    /// The refresh or exchange that is going on, for all who ask meanwhile.
    var renewal: Task<Result<FreshToken, TokenError>, Never>?
    /// What the API said last in `DPoP-Nonce`.
    var apiNonce: String?
    /// A login or logout in a browser is going on.
    var isVisiting = false

    /// A client of the platform's ports, of which it needs `tokens`, `keys`, `transport` and `clock`.
    public init(_ settings: TokenSettings, ports: Ports) {
        self.init(settings, ports: ports, source: nil, random: SystemRandomSource())
    }

    init(_ settings: TokenSettings, ports: Ports, source: (any AppLoginSource)?, random: any RandomSource) {
        self.settings = settings
        self.source = source
        self.random = random
        clock = ports.clock
        keys = ports.keys
        documents = ports.tokens
        line = ProviderLine(transport: ports.transport, clock: ports.clock)
        turn = TokenTurn(lock: ports.tokenLock, clock: ports.clock)
    }

    /// What there is of the login, as it was stored last; nil where nobody is logged in. It asks nobody.
    /// - Throws: `storeUnavailable`, `storeUnreadable`, `keyStore`.
    public func credentials() async throws(TokenError) -> TokenCredentials? {
        if let kept = try kept() { return TokenCredentials(kept.secret) }
        guard let exchanged = try await currentExchange() else { return nil }
        return TokenCredentials(exchanged.secret)
    }

    /// Whether somebody is logged in and let the app do this: for what is shown. False as well where that cannot be read.
    public func hasScope(_ scope: String) async -> Bool { (try? await credentials())?.hasScope(scope) ?? false }

    // MARK: For the extensions

    /// Whether there is a store, or should be one: a client of AppLogins needs none.
    var hasStore: Bool { documents != nil || source == nil }

    func vault() throws(TokenError) -> TokenVault {
        guard let documents else { throw .storeUnavailable }
        return TokenVault(documents: documents, keys: keys, random: random)
    }

    /// The login that is stored, out of the key store only where the document says that it is another than before.
    func kept() throws(TokenError) -> TokenVault.Kept? {
        guard hasStore else { return nil }
        let vault = try vault()
        var gone: StoredTokens.Login?
        while let login = try vault.document().login(settings.login), login != gone {
            if let cached, cached.login == login { return cached }
            do throws(TokenError) {
                let kept = TokenVault.Kept(login: login, secret: try vault.secret(of: login))
                cached = kept
                return kept
            } catch {
                guard error == .notLoggedIn else { throw error }
                // Nobody waits to read: another process may have put another in its place since, and destroyed this one.
                gone = login
            }
        }
        cached = nil
        return nil
    }

    /// What the AppLogin was exchanged for, as long as it is the same one and goes on.
    func currentExchange() async throws(TokenError) -> (session: UUID, secret: LoginSecret, keyName: String)? {
        guard let source, let known = exchanged else { return nil }
        guard let grant = try await source.appLogin(), grant.session == known.session else {
            exchanged = nil
            return nil
        }
        return known
    }

    func endpoints() async throws(TokenError) -> ProviderEndpoints {
        if let metadata { return metadata }
        try settings.check()
        let bytes = try await line.get(try ProviderEndpoints.address(of: settings), patience: patience)
        let fresh = try ProviderEndpoints(bytes, for: settings)
        metadata = fresh
        return fresh
    }

    /// The keys that ID tokens are signed with: those that are known, or for a name that is not among them those that there are now.
    /// - Parameter former: keys that did not verify what names one of them; nil before that.
    func keySet(for header: JOSEHeader, otherThan former: JWKSet? = nil, at endpoints: ProviderEndpoints) async throws(TokenError) -> JWKSet {
        if let keySet, keySet != former, keySet.hasKey(for: header.algorithm, id: header.keyID) { return keySet }
        let bytes = try await line.get(endpoints.keys, patience: patience)
        guard let fresh = try? JWKSet(json: bytes) else { throw .serverAnswer }
        keySet = fresh
        return fresh
    }

    /// The provider's time, as far as it is known.
    var now: Instant { Instant(line.now) }

    var patience: Double { settings.patience.inSeconds }

    func proof(keyNamed name: String) throws(TokenError) -> DeviceProof {
        try DeviceProof(keyNamed: name, in: keys, random: random) { [line] in line.now }
    }

    /// Nil for bearer tokens, which have no key.
    func proof(ofKey name: String?) throws(TokenError) -> DeviceProof? {
        guard let name else { return nil }
        return try proof(keyNamed: name)
    }

    func freshToken(_ secret: LoginSecret, keyName: String?) throws(TokenError) -> FreshToken {
        FreshToken(
            value: secret.accessToken, kind: secret.kind, scopes: TokenScope.parts(secret.scope), nonce: secret.kind == .dpop ? apiNonce : nil,
            proof: secret.kind == .dpop ? try proof(ofKey: keyName) : nil)
    }

    func isFresh(_ secret: LoginSecret) -> Bool { secret.isFresh(at: clock.wall, margin: settings.renewsBefore.wholeSeconds ?? 0) }
}

extension TokenCredentials {
    init(_ secret: LoginSecret) {
        self.init(
            profile: secret.profile, scopes: TokenScope.parts(secret.scope), isLasting: secret.refreshToken != nil, isBound: secret.kind == .dpop)
    }
}
