import Authentication
import OstiaryProtocol
import OstiaryTokens

/// Why the registration of clients may not be as it was said.
package enum RegistrationPolicyRefusal: Error, Equatable, Sendable {
    case mostWrong, unusedDaysWrong
    case apiUnknown(APIIdentifier)
    case scopeUnknown(APIIdentifier, Scope)
}

/// Why no initial access token is drawn.
package enum InitialTokenRefusal: Error, Equatable, Sendable {
    case lifeWrong, usesWrong
}

/// How the registration of clients stands.
package struct RegistrationStanding: Sendable {
    package let policy: RegistrationPolicy
    /// How many applications registered themselves.
    package let clients: Int
    /// How many initial access tokens can still be used.
    package let tokens: Int
}

/// What an operator says of clients that register themselves.
extension RegistryService {
    package static let mostClients = 1...1_000
    package static let unusedDays = 1...365
    /// Seconds for which an initial access token may be good.
    package static let tokenLife: ClosedRange<UInt64> = 60...31_536_000
    package static let tokenUses = 1...1_000

    package func registration(at server: ServerID, now: Instant) async throws -> RegistrationStanding {
        try await store.read { rows in
            RegistrationStanding(
                policy: try rows.registrationPolicy(of: server) ?? RegistrationPolicy(server: server),
                clients: try rows.registeredCount(of: server), tokens: try rows.initialTokenCount(of: server, at: now))
        }
    }

    /// Says who may register from now on, and for what. Those that are registered stay as they are.
    /// - Throws: `RegistrationPolicyRefusal`.
    package func setRegistration(_ policy: RegistrationPolicy, by actor: AuditActor, now: Instant) async throws {
        guard Self.mostClients.contains(policy.most) else { throw RegistrationPolicyRefusal.mostWrong }
        guard Self.unusedDays.contains(policy.unusedDays) else { throw RegistrationPolicyRefusal.unusedDaysWrong }
        try await store.write { rows in
            for (identifier, scopes) in policy.apis.sorted(by: { $0.key.text < $1.key.text }) {
                guard let api = try rows.api(identifier, of: policy.server) else { throw RegistrationPolicyRefusal.apiUnknown(identifier) }
                if let unknown = scopes.subtracting(api.allScopes).scopes.first {
                    throw RegistrationPolicyRefusal.scopeUnknown(identifier, unknown)
                }
            }
            // Said before, or written by the first look.
            guard try rows.registrationPolicy(of: policy.server) != policy else { return }
            try rows.save(policy)
            try rows.record(AuditEntry(.registrationSaved, server: policy.server, by: actor, at: now))
        }
    }

    /// Draws an initial access token. Who gets it registers `uses` clients in the next `life` seconds.
    /// - Throws: `InitialTokenRefusal`.
    package func drawInitialToken(
        at server: ServerID, life: UInt64, uses: Int, by actor: AuditActor, now: Instant
    ) async throws -> DrawnClientSecret {
        guard Self.tokenLife.contains(life) else { throw InitialTokenRefusal.lifeWrong }
        guard Self.tokenUses.contains(uses) else { throw InitialTokenRefusal.usesWrong }
        let drawn = DrawnClientSecret(using: random)
        let hash = InitialAccessToken.hash(of: drawn.text)
        try await store.write { rows in
            guard try rows.initialToken(hash: hash, of: server) == nil else { return }
            try rows.save(InitialAccessToken(hash: hash, server: server, expiresAt: now + life, usesLeft: uses))
            try rows.record(AuditEntry(.registrationTokenDrawn, server: server, by: actor, at: now))
        }
        return drawn
    }

    /// Ends all initial access tokens. What was registered with them stays.
    package func endInitialTokens(at server: ServerID, by actor: AuditActor, now: Instant) async throws {
        try await store.write { rows in
            guard try rows.initialTokenCount(of: server, at: now) > 0 else { return }
            try rows.removeInitialTokens(of: server)
            try rows.record(AuditEntry(.registrationTokensEnded, server: server, by: actor, at: now))
        }
    }
}
