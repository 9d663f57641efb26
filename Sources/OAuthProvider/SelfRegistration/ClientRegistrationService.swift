import Authentication
import OstiaryProtocol
import OstiaryTokens

/// The endpoint at which clients register themselves (RFC 7591 §3), where an operator lets them.
package struct ClientRegistrationService: Sendable {
    /// Clients that one place may register in a day where anybody may, unless an operator says otherwise: a stranger with one address fills no list of a
    /// hundred before somebody has looked.
    package static let mostByPlace = 20

    let context: ProviderContext
    /// Of clients that are registered without a token, by where they come from.
    let budget: TryBudget

    /// - Parameter most: clients that one place may register in a day where anybody may.
    init(context: ProviderContext, byPlace most: Int = mostByPlace) {
        self.context = context
        budget = TryBudget(.registration, Pace(most, in: 86_400))
    }

    /// Makes an application of what a client says of itself. A token, or one of what its place may register, is used up by that and by nothing that is refused.
    /// - Throws: `RegistrationRefusal`, `NoProvider`.
    package func register(_ call: RegistrationCall, at now: Instant) async throws -> RegisteredClient {
        let keys = try await context.keyring.keys(of: call.server)
        let tokenHash = call.token.map { InitialAccessToken.hash(of: $0.text) }
        // Before anything is read: who may not register is told nothing of what they sent.
        let policy = try await context.store.read { rows in try rows.admitted(tokenHash, at: call.server, now: now).policy }
        // Whom an operator gave a token has as many uses as it says.
        if policy.mode == .open, let wait = try await context.wait(for: call.place, under: budget, at: now) {
            throw RegistrationRefusal.tooOften(seconds: wait)
        }
        return try await register(call, tokenHash, under: policy, keys, at: now)
    }

    private func register(
        _ call: RegistrationCall, _ tokenHash: [UInt8]?, under policy: RegistrationPolicy, _ keys: TokenKeys, at now: Instant
    ) async throws -> RegisteredClient {
        let drawn = DrawnClientSecret(using: context.random)
        let (id, mark) = (Self.id(using: context.random), context.tryMark())
        let application = try application(id, call, drawn, policy, keys)
        let budget = budget
        return try await context.store.write { rows, former in
            // Registered by the first look.
            if let former, try rows.application(id, of: call.server) != nil { return former }
            let (current, token) = try rows.admitted(tokenHash, at: call.server, now: now)
            guard current == policy else { throw RegistrationRefusal.changed }
            if policy.mode == .open { try rows.countRegistration(under: budget, from: call.place, mark, at: now) }
            guard try rows.registeredCount(of: call.server) < policy.most else { throw RegistrationRefusal.full }
            try rows.save(application)
            try rows.noteRegistered(id, of: call.server, at: now)
            if var token {
                token.usesLeft -= 1
                try rows.save(token)
            }
            try rows.record(AuditEntry(.applicationSaved, server: call.server, by: .client, at: now))
            return RegisteredClient(application: application, secret: application.secrets.isEmpty ? nil : drawn, issuedAt: now)
        }
    }

    private func application(
        _ id: ClientID, _ call: RegistrationCall, _ drawn: DrawnClientSecret, _ policy: RegistrationPolicy, _ keys: TokenKeys
    ) throws -> Application {
        guard call.isJSON, let members = try? JSONReader.object(call.body) else { throw RegistrationRefusal.bodyWrong }
        // RS256 is named in any case. A key of the third kind is one that some libraries don't know, and no stranger puts it beside the others.
        let algorithms = Set(keys.signers.keys).union([.es256, .rs256])
        var application = try ClientMetadata(members: members).application(id, under: policy, signedBy: algorithms)
        if application.authentication.needsSecret { application.secrets = [drawn.stored] }
        do { try ApplicationRules.check(application) } catch { throw RegistrationRefusal(error) }
        return application
    }

    /// Says of itself where the client comes from, for whoever reads it in a list or a log.
    private static func id(using random: any RandomSource) -> ClientID {
        guard let id = ClientID("registered.\(Base64URL.encode(random.bytes(16)))") else { preconditionFailure("base64url is visible") }
        return id
    }
}

/// A call of the endpoint.
package struct RegistrationCall: Sendable {
    let server: ServerID
    let token: PresentedSecret?
    let isJSON: Bool
    let body: [UInt8]
    let place: CallPlace

    /// - Parameters:
    ///   - authorization: the values of all `Authorization` header fields.
    ///   - contentType: the media type, without parameters.
    ///   - place: that it counts for.
    package init(server: ServerID, authorization: [String], contentType: String?, body: [UInt8], from place: CallPlace = .unknown) {
        self.server = server
        self.place = place
        let parts = authorization.count == 1 ? authorization[0].split(separator: " ", omittingEmptySubsequences: false) : []
        token = parts.count == 2 && parts[0].lowercased() == "bearer" && !parts[1].isEmpty ? PresentedSecret(String(parts[1])) : nil
        isJSON = contentType == "application/json"
        self.body = body
    }
}

extension OAuthRows {
    /// In the transaction that registers: what is refused after this is not counted.
    fileprivate func countRegistration(under budget: TryBudget, from place: CallPlace, _ mark: [UInt8], at now: Instant) throws {
        let tries = try tries(budget, from: place)
        if let wait = tries.wait(at: now) { throw RegistrationRefusal.tooOften(seconds: wait) }
        try save(tries.adding(mark, at: now), at: now)
    }

    /// The policy, and the token where one is needed.
    fileprivate func admitted(
        _ tokenHash: [UInt8]?, at server: ServerID, now: Instant
    ) throws -> (policy: RegistrationPolicy, token: InitialAccessToken?) {
        guard let policy = try registrationPolicy(of: server) else { throw RegistrationRefusal.closed }
        switch policy.mode {
        case .closed: throw RegistrationRefusal.closed
        case .open: return (policy, nil)
        case .token:
            guard let tokenHash else { throw RegistrationRefusal.tokenMissing }
            guard let token = try initialToken(hash: tokenHash, of: server), token.isGood(at: now) else { throw RegistrationRefusal.tokenWrong }
            return (policy, token)
        }
    }
}
