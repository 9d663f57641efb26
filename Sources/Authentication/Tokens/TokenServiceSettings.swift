import OstiaryProtocol

/// What an operator says of the token service of a virtual server.
package struct TokenServiceSettings: Sendable {
    private let store: any AuthenticationStore
    private let random: any RandomSource

    package init(store: any AuthenticationStore, random: any RandomSource) {
        self.store = store
        self.random = random
    }

    /// - Throws: `UnknownServer`, ``NoTokenService``.
    package func service(of server: ServerID) async throws -> TokenService {
        try await store.read { rows in
            _ = try rows.existing(server)
            guard let service = try rows.tokenService(of: server) else { throw NoTokenService() }
            return service
        }
    }

    /// Says where the service is and how long it may think. A service at another origin is another service: it is never shown the secret of the former one,
    /// so one is drawn for it.
    /// - Parameter isTrial: tells what would be there, and keeps nothing.
    /// - Throws: `UnknownServer`.
    package func set(
        _ address: TokenServiceAddress, patience: UInt64, at server: ServerID, isTrial: Bool = false, by actor: AuditActor, now: Instant
    ) async throws -> TokenServiceOutcome {
        let fresh = TokenServiceSecret(using: random)
        let body = { @Sendable (rows: any AuthenticationRows) throws -> TokenServiceOutcome in
            _ = try rows.existing(server)
            let former = try rows.tokenService(of: server)
            let kept = former?.address.origin == address.origin ? former?.secret : nil
            let service = TokenService(server: server, address: address, secret: kept ?? fresh.stored, patience: patience)
            if !isTrial, service != former {
                try rows.save(service)
                try rows.record(AuditEntry(.tokenServiceSaved, server: server, by: actor, at: now))
            }
            // Also where the first look of this call has kept it.
            return TokenServiceOutcome(service: service, drawn: !isTrial && service.secret == fresh.stored ? fresh : nil)
        }
        return isTrial ? try await store.read(body) : try await store.write(body)
    }

    /// Another secret from now on: the one that is given, or one that is drawn.
    /// - Throws: `UnknownServer`, ``NoTokenService``.
    package func setSecret(
        _ given: TokenServiceSecret? = nil, at server: ServerID, by actor: AuditActor, now: Instant
    ) async throws -> TokenServiceOutcome {
        let secret = given ?? TokenServiceSecret(using: random)
        return try await store.write { rows in
            _ = try rows.existing(server)
            guard let former = try rows.tokenService(of: server) else { throw NoTokenService() }
            let service = TokenService(server: server, address: former.address, secret: secret.stored, patience: former.patience)
            if service != former {
                try rows.save(service)
                try rows.record(AuditEntry(.tokenServiceSecretSet, server: server, by: actor, at: now))
            }
            return TokenServiceOutcome(service: service, drawn: given == nil ? secret : nil)
        }
    }

    /// From now on the server gives no tokens by `getToken`. Removed before, it stays so.
    /// - Throws: `UnknownServer`.
    package func remove(at server: ServerID, by actor: AuditActor, now: Instant) async throws {
        try await store.write { rows in
            _ = try rows.existing(server)
            guard try rows.tokenService(of: server) != nil else { return }
            try rows.removeTokenService(of: server)
            try rows.record(AuditEntry(.tokenServiceRemoved, server: server, by: actor, at: now))
        }
    }
}

/// What became of what an operator said.
package struct TokenServiceOutcome: Equatable, Sendable {
    package let service: TokenService
    /// A secret that was drawn, for the one answer that tells it.
    package let drawn: TokenServiceSecret?

    package static func == (one: TokenServiceOutcome, other: TokenServiceOutcome) -> Bool {
        one.service == other.service && (one.drawn == nil) == (other.drawn == nil)
    }
}

/// The virtual server has no token service.
package struct NoTokenService: Error, Equatable {
    package init() {}
}
