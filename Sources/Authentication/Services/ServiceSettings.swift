import OstiaryProtocol

/// What an operator says of the services of one kind behind virtual servers.
package struct ServiceSettings: Sendable {
    package let kind: ServiceKind
    private let store: any AuthenticationStore
    private let random: any RandomSource

    package init(_ kind: ServiceKind, store: any AuthenticationStore, random: any RandomSource) {
        self.kind = kind
        self.store = store
        self.random = random
    }

    /// - Throws: `UnknownServer`, ``NoServiceBehind``.
    package func service(of server: ServerID) async throws -> ServiceBehind {
        try await store.read { [kind] rows in
            _ = try rows.existing(server)
            guard let service = try rows.service(kind, of: server) else { throw NoServiceBehind(kind) }
            return service
        }
    }

    /// Says where the service is and how long it may think. A service at another origin is another service: it is never shown the secret of the former one,
    /// so one is drawn for it.
    /// - Parameter isTrial: tells what would be there, and keeps nothing.
    /// - Throws: `UnknownServer`.
    package func set(
        _ address: ServiceAddress, patience: UInt64, at server: ServerID, isTrial: Bool = false, by actor: AuditActor, now: Instant
    ) async throws -> ServiceOutcome {
        let fresh = ServiceSecret(using: random)
        let body = { @Sendable [kind] (rows: any AuthenticationRows) throws -> ServiceOutcome in
            _ = try rows.existing(server)
            let former = try rows.service(kind, of: server)
            let kept = former?.address.origin == address.origin ? former?.secret : nil
            let service = ServiceBehind(kind, server: server, address: address, secret: kept ?? fresh.stored, patience: patience)
            if !isTrial, service != former {
                try rows.save(service)
                try rows.record(AuditEntry(kind.saved, server: server, by: actor, at: now))
            }
            // Also where the first look of this call has kept it.
            return ServiceOutcome(service: service, drawn: !isTrial && service.secret == fresh.stored ? fresh : nil)
        }
        return isTrial ? try await store.read(body) : try await store.write(body)
    }

    /// Another secret from now on: the one that is given, or one that is drawn.
    /// - Throws: `UnknownServer`, ``NoServiceBehind``.
    package func setSecret(
        _ given: ServiceSecret? = nil, at server: ServerID, by actor: AuditActor, now: Instant
    ) async throws -> ServiceOutcome {
        let secret = given ?? ServiceSecret(using: random)
        return try await store.write { [kind] rows in
            _ = try rows.existing(server)
            guard let former = try rows.service(kind, of: server) else { throw NoServiceBehind(kind) }
            let service = ServiceBehind(kind, server: server, address: former.address, secret: secret.stored, patience: former.patience)
            if service != former {
                try rows.save(service)
                try rows.record(AuditEntry(kind.secretSet, server: server, by: actor, at: now))
            }
            return ServiceOutcome(service: service, drawn: given == nil ? secret : nil)
        }
    }

    /// From now on phones are told that it is not offered. Removed before, it stays so.
    /// - Throws: `UnknownServer`.
    package func remove(at server: ServerID, by actor: AuditActor, now: Instant) async throws {
        try await store.write { [kind] rows in
            _ = try rows.existing(server)
            guard try rows.service(kind, of: server) != nil else { return }
            try rows.removeService(kind, of: server)
            try rows.record(AuditEntry(kind.removed, server: server, by: actor, at: now))
        }
    }
}

/// What became of what an operator said.
package struct ServiceOutcome: Equatable, Sendable {
    package let service: ServiceBehind
    /// A secret that was drawn, for the one answer that tells it.
    package let drawn: ServiceSecret?

    package static func == (one: ServiceOutcome, other: ServiceOutcome) -> Bool {
        one.service == other.service && (one.drawn == nil) == (other.drawn == nil)
    }
}

/// The virtual server has no service of this kind.
package struct NoServiceBehind: Error, Equatable {
    package let kind: ServiceKind

    package init(_ kind: ServiceKind) { self.kind = kind }
}

extension ServiceKind {
    fileprivate var saved: AuditEntry.Kind { self == .token ? .tokenServiceSaved : .dataServiceSaved }
    fileprivate var secretSet: AuditEntry.Kind { self == .token ? .tokenServiceSecretSet : .dataServiceSecretSet }
    fileprivate var removed: AuditEntry.Kind { self == .token ? .tokenServiceRemoved : .dataServiceRemoved }
}
