import OstiaryProtocol
import OstiaryTokens

/// The endpoint at which clients send authorization requests ahead (RFC 9126).
package struct PushService: Sendable {
    let context: ProviderContext
    /// Of requests that anybody may send ahead, and browsers may bring.
    let limit: WaitingLimit

    package struct Pushed: Sendable {
        package let requestURI: String
        /// Seconds.
        package let life: UInt64

        package var json: JSONObject {
            JSONObject(["request_uri": .string(requestURI), "expires_in": .integer(Int64(clamping: life))])
        }
    }

    /// Checks the request as if a browser had brought it, and keeps it. One of a client without credentials is anybody's, and counts where it comes from.
    /// - Throws: `TokenRefusal` for the client, `AuthorizeRefusal` for the request, ``TooManyWaiting``: all are told as JSON here.
    package func push(_ call: TokenCall, from place: CallPlace = .unknown, at now: Instant) async throws -> Pushed {
        let authenticated = try await context.authenticated(call, at: now)
        let proof = try authenticated.proof(try call.presentedProof(), isNeeded: false, at: now)
        let parameters = Self.kept(call.parameters, of: authenticated.application, proof)
        let hint = AuthorizeInput.Hint(in: parameters, authenticated.keys)
        let name = Base64URL.encode(context.random.bytes(32))
        let limit = limit
        try await context.write(for: authenticated, with: proof) { rows, application, former -> Void in
            let counted = application.isPublic ? place.name : nil
            let kept = PushedRequest(
                hash: SHA(name.utf8), server: call.server, client: application.id, parameters: parameters.all,
                expiresAt: now + PushedRequest.life, place: counted)
            // Kept by the first look.
            if former != nil, try rows.pushedRequest(hash: kept.hash, of: call.server) != nil { return }
            let input = try rows.input(parameters, proofKey: proof?.thumbprint, hint: hint, isBeingPushed: true, at: call.server)
            if let refusal = AuthorizeRules.check(input, issuer: authenticated.keys.issuer).refusal { throw refusal }
            if let counted { try rows.checkRoom(for: .visits, of: kept.client, from: counted, at: call.server, under: limit, now: now) }
            try rows.save(kept)
        }
        return Pushed(requestURI: PushedRequest.prefix + name, life: PushedRequest.life)
    }

    /// What a rule reads: anything else is nobody's, and would be kept for whoever sends much of it. What a client shows to be known is not among it.
    package static let read: Set<String> = [
        "response_type", "response_mode", "redirect_uri", "scope", "state", "nonce", "code_challenge", "code_challenge_method", "dpop_jkt",
        "audience", "resource", "prompt", "max_age", "acr_values", "claims", "login_hint", "id_token_hint", "ui_locales", "request", "request_uri",
    ]

    /// The key of its proof is part of a request from here on.
    static func kept(_ parameters: Parameters, of application: Application, _ proof: DPoPProof? = nil) -> Parameters {
        var kept = parameters.all.filter { read.contains($0.name) } + [Parameter("client_id", application.id.text)]
        if let proof, parameters["dpop_jkt"] == nil { kept.append(Parameter("dpop_jkt", proof.thumbprint.text)) }
        return Parameters(kept)
    }
}
