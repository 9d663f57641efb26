import OstiaryProtocol
import OstiaryTokens

/// Tells who calls an API. One for an API, made at its start: it holds the provider's keys and what it remembers.
///
/// ```swift
/// let verifier = try ResourceVerifier(issuer: "https://login.example", audience: "https://api.example.com/timesheets", base: "https://api.example.com")
/// let caller = try await verifier.caller(of: request)
/// try verifier.check(.scope("read:timesheets"), of: caller)
/// ```
public struct ResourceVerifier: Sendable {
    let tokens: TokenVerifier?
    let sessions: SessionQuestion?
    let proofs: ProofCheck
    let webNonceField: String?
    let realm: String
    let tolerance: UInt64
    let clock: @Sendable () -> Instant
    let identity = VerifierIdentity()

    /// Who calls, when what they bring is good.
    ///
    /// A proof of possession is spent by it: ask once for each request.
    /// - Throws: ``ResourceRefusal``; what the caller hears then is ``answer(to:for:)``.
    public func caller(of request: ResourceRequest) async throws(ResourceRefusal) -> VerifiedCaller {
        try await unmarkedCaller(of: request).verified(by: identity)
    }

    /// Whether it was this verifier that let them in, so that they need not be verified again for the same request.
    package func letIn(_ caller: VerifiedCaller) -> Bool { caller.verifier == identity }

    private func unmarkedCaller(of request: ResourceRequest) async throws(ResourceRefusal) -> VerifiedCaller {
        let credential = try PresentedCredential(request, webNonceField: webNonceField)
        let now = clock()
        switch credential.scheme {
        case .webNonce:
            guard let sessions else { throw .token(.kindNotTaken) }
            return try await sessions.caller(of: credential.text, at: now)
        case .bearer:
            return try await token(credential.text, proof: nil, at: now)
        case .dpop:
            let proof = try self.proof(of: request, for: credential.text, at: now)
            let caller = try await token(credential.text, proof: proof.thumbprint, at: now)
            // The clock anew: whoever was asked about the token took their time, in which the proof may have ended and been forgotten.
            try await proofs.spend(proof, at: clock())
            return caller
        }
    }

    /// Whether this caller may do what a route does.
    /// - Throws: ``ResourceRefusal/forbidden(_:)``, ``ResourceRefusal/stepUp(_:)``.
    public func check(_ policy: AccessPolicy, of caller: VerifiedCaller) throws(ResourceRefusal) {
        switch policy.verdict(on: caller, at: clock().seconds, tolerance: tolerance) {
        case .met: break
        case .forbidden(let missing): throw .forbidden(missing)
        case .stepUp(let wanted): throw .stepUp(wanted)
        }
    }

    /// What a caller hears who is not let in.
    public func answer(to refusal: ResourceRefusal, for request: ResourceRequest) -> RefusalAnswer {
        let tried: CredentialScheme? = if let field = webNonceField, !request.values(of: field).isEmpty { .webNonce } else { scheme(of: request) }
        let ways: [CredentialScheme] = (tokens == nil ? [] : [.bearer, .dpop]) + (sessions == nil ? [] : [.webNonce])
        return RefusalAnswer(
            to: refusal, AnswerContext(realm: realm, ways: ways, scheme: tried, nonce: proofs.nonces?.current(at: clock())))
    }

    /// The value of `DPoP-Nonce` for the answer to a request that was let in with a proof, so that the next proof has a nonce that is good (RFC 9449 §8.2);
    /// nil where none is asked for.
    public func proofNonce(for request: ResourceRequest) -> String? {
        guard scheme(of: request) == .dpop else { return nil }
        return proofs.nonces?.current(at: clock())
    }

    private func scheme(of request: ResourceRequest) -> CredentialScheme? { tokens == nil ? nil : PresentedCredential.scheme(of: request) }

    private func token(_ text: String, proof: Thumbprint?, at now: Instant) async throws(ResourceRefusal) -> VerifiedCaller {
        guard let tokens else { throw .token(.kindNotTaken) }
        return try await tokens.caller(of: text, proof: proof, at: now)
    }

    private func proof(of request: ResourceRequest, for token: String, at now: Instant) throws(ResourceRefusal) -> DPoPProof {
        do {
            return try proofs.verified(request.values(of: "DPoP"), method: request.method, target: request.target, token: token, at: now)
        } catch { throw .proof(error) }
    }
}
