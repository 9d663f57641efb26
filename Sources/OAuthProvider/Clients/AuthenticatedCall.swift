import OstiaryProtocol
import OstiaryTokens

/// A call whose client is who it says: what every endpoint for clients asks before its own question. What was shown is still to be spent.
struct AuthenticatedCall: Sendable {
    let call: TokenCall
    let client: AuthenticatedClient
    let keys: TokenKeys
    /// By which the call finds again what it did itself.
    let redemption: RedemptionID

    var application: Application { client.application }

    /// - Parameters:
    ///   - application: what the store knows by the name that was presented.
    ///   - redemption: drawn for this call.
    /// - Throws: `TokenRefusal`.
    fileprivate init(
        _ call: TokenCall, from presented: PresentedClient, of application: Application?, with keys: TokenKeys, _ redemption: RedemptionID,
        at now: Instant
    ) throws(TokenRefusal) {
        self.call = call
        self.keys = keys
        self.redemption = redemption
        do { client = try ClientAuthentication(issuer: keys.issuer).check(presented, of: application, at: now) } catch { throw .client(error) }
    }

    /// The proof that came along, verified; nil where none came and none is needed. It is still to be spent.
    func proof(_ unverified: UnverifiedDPoPProof?, isNeeded: Bool, at now: Instant) throws(TokenRefusal) -> DPoPProof? {
        guard let unverified else {
            guard !isNeeded else { throw .proof(.missing) }
            return nil
        }
        let use = DPoPUse(method: call.method, target: call.target, nonces: call.asksNonce ? keys.nonces : nil)
        do { return try unverified.verified(for: use, at: now) } catch { throw .proof(error) }
    }
}

extension ProviderContext {
    /// A form and who sends it, in that order: of two faults the client's is told before those of what it asks.
    func authenticated(_ call: TokenCall, at now: Instant) async throws -> AuthenticatedCall {
        try call.checkForm()
        return try await authenticated(call, as: try call.presentedClient(), at: now)
    }

    func authenticated(_ call: TokenCall, as presented: PresentedClient, at now: Instant) async throws -> AuthenticatedCall {
        let keys = try await keyring.keys(of: call.server)
        let application = try await store.read { rows in try rows.application(presented.id, of: call.server) }
        return try AuthenticatedCall(call, from: presented, of: application, with: keys, RedemptionID(using: random), at: now)
    }

    /// Who sends it, and an answer that takes nothing, in one look at the rows: nobody waits for those that write.
    /// - Parameter redemption: drawn for this call.
    /// - Returns: nil for a client that shows an assertion, which is verified outside every transaction and taken once, and where the body says so.
    func reading<Value: Sendable>(
        _ call: TokenCall, as presented: PresentedClient, named redemption: RedemptionID, at now: Instant,
        _ body: @Sendable @escaping (AuthenticatedCall, any OAuthRows) throws -> Value?
    ) async throws -> Value? {
        if case .assertion = presented { return nil }
        let keys = try await keyring.keys(of: call.server)
        return try await store.read { rows in
            let application = try rows.application(presented.id, of: call.server)
            return try body(AuthenticatedCall(call, from: presented, of: application, with: keys, redemption, at: now), rows)
        }
    }

    /// The one transaction of a call that writes: takes what its client showed, once, and does the work for the client as it is now.
    func write<Value: Sendable>(
        for call: AuthenticatedCall, with proof: DPoPProof? = nil, _ body: @Sendable @escaping (any OAuthRows, Application) throws -> Value
    ) async throws -> Value {
        try await write(for: call, with: proof) { rows, application, _ in try body(rows, application) }
    }

    /// The same, for a body that others may undo before it looks again: `former` is what its first run answered, and is good where a row says that it
    /// was kept.
    func write<Value: Sendable>(
        for call: AuthenticatedCall, with proof: DPoPProof? = nil,
        _ body: @Sendable @escaping (any OAuthRows, Application, _ former: Value?) throws -> Value
    ) async throws -> Value {
        try await store.write { rows, former in
            try rows.spend(call, proof)
            return try body(rows, try rows.current(call.client), former)
        }
    }
}

extension OAuthRows {
    /// Takes assertion and proof, each once.
    fileprivate func spend(_ call: AuthenticatedCall, _ proof: DPoPProof?) throws {
        do { try spend(call.client, by: call.redemption) } catch let refusal as ClientRefusal { throw TokenRefusal.client(refusal) }
        guard let proof else { return }
        guard try spend(proof.spentAs, by: call.redemption, until: proof.goodUntil) else { throw TokenRefusal.proof(.replayed) }
    }

    /// The client as it is in this transaction: it may have been disabled since it was authenticated.
    func current(_ client: AuthenticatedClient) throws -> Application {
        guard let application = try application(client.application.id, of: client.application.server), application.isEnabled else {
            throw TokenRefusal.client(.disabled)
        }
        return application
    }
}
