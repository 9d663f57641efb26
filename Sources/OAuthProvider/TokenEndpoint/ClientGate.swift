import OstiaryProtocol
import OstiaryTokens

/// Who calls, and with what key: what every endpoint for clients asks before its own question.
package struct ClientGate: Sendable {
    let store: any OAuthStore
    /// The address of the token endpoint, for which an assertion may be at any of them.
    let tokenEndpoint: String

    package init(store: any OAuthStore, tokenEndpoint: String) {
        self.store = store
        self.tokenEndpoint = tokenEndpoint
    }

    /// The client, if it is who it says. Its assertion is still to be spent.
    func client(_ presented: PresentedClient, of call: TokenCall, _ keys: TokenKeys, at now: Instant) async throws -> AuthenticatedClient {
        let application = try await store.read { rows in try rows.application(presented.id, of: call.server) }
        let authentication = ClientAuthentication(issuer: keys.issuer, endpoints: [tokenEndpoint, call.target.description])
        do { return try authentication.check(presented, of: application, at: now) } catch { throw TokenRefusal.client(error) }
    }

    /// The proof that came along, verified; nil where none came and none is needed. It is still to be spent.
    func proof(_ unverified: UnverifiedDPoPProof?, of call: TokenCall, isNeeded: Bool, _ keys: TokenKeys, at now: Instant) throws(TokenRefusal)
        -> DPoPProof?
    {
        guard let unverified else {
            guard !isNeeded else { throw .proof(.missing) }
            return nil
        }
        let use = DPoPUse(method: call.method, target: call.target, nonces: call.asksNonce ? keys.nonces : nil)
        do { return try unverified.verified(for: use, at: now) } catch { throw .proof(error) }
    }
}

extension SpentRows {
    /// Takes assertion and proof, each once.
    func spend(_ client: AuthenticatedClient, _ proof: DPoPProof?, by redemption: RedemptionID) throws {
        do { try spend(client, by: redemption) } catch let refusal as ClientRefusal { throw TokenRefusal.client(refusal) }
        guard let proof else { return }
        guard try spend(proof.spentAs, by: redemption, until: proof.goodUntil) else { throw TokenRefusal.proof(.replayed) }
    }
}

extension OAuthRows {
    /// The client as it is in this transaction: it may have been disabled since it was authenticated.
    func current(_ client: AuthenticatedClient) throws -> Application {
        guard let application = try application(client.application.id, of: client.application.server), application.isEnabled else {
            throw TokenRefusal.client(.disabled)
        }
        return application
    }
}
