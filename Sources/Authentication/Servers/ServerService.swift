import OstiaryProtocol

/// What an operator asks about virtual servers.
package struct ServerService: Sendable {
    private let store: any AuthenticationStore

    package init(store: any AuthenticationStore) { self.store = store }

    /// All of them, of which there is one at least from the first start on.
    /// - Throws: `UnknownServer` where there is none any more.
    package func servers() async throws -> [ServerOverview] {
        try await store.read { rows in
            let servers = try rows.servers()
            guard !servers.isEmpty else { throw UnknownServer() }
            return try servers.map { ServerOverview(server: $0, activity: try rows.activity(of: $0.id)) }
        }
    }

    /// - Throws: `UnknownServer`.
    package func server(_ id: ServerID) async throws -> ServerOverview {
        try await store.read { rows in ServerOverview(server: try rows.existing(id), activity: try rows.activity(of: id)) }
    }

    /// A server without its activity: what pages ask.
    /// - Throws: `UnknownServer`.
    package func virtualServer(_ id: ServerID) async throws -> VirtualServer {
        try await store.read { rows in try rows.existing(id) }
    }

    /// All servers without their activity, oldest first.
    package func virtualServers() async throws -> [VirtualServer] {
        try await store.read { rows in try rows.servers() }
    }

    /// - Throws: `UnknownServer`, `ServerUpdateError`; then nothing is changed.
    package func update(_ id: ServerID, with update: ServerUpdate, by actor: AuditActor, at now: Instant) async throws -> ServerOverview {
        try await self.update(id, by: actor, at: now) { _ in update }
    }

    /// Changes a server as its caller says who has seen it.
    /// - Parameter change: what it throws, this throws, and then nothing is changed. May run twice.
    /// - Throws: also `UnknownServer`, `ServerUpdateError`.
    package func update(
        _ id: ServerID, by actor: AuditActor, at now: Instant, _ change: @Sendable @escaping (VirtualServer) throws -> ServerUpdate
    ) async throws -> ServerOverview {
        try await store.write { rows, former in
            var server = try rows.existing(id)
            let entry = AuditEntry(.serverUpdated, server: id, by: actor, at: now)
            // Changed by the first look.
            if let former, try rows.auditEntries(of: id, limit: 32).contains(entry) { return former }
            let update = try change(server)
            let before = server.parameters
            try update.checkTexts(beside: before)
            try update.checkLogo(beside: before)
            server.parameters = try update.applied(to: before)
            try rows.save(server)
            if !server.parameters.looks(like: before) { try rows.askAnew(at: id) }
            try rows.record(entry)
            return ServerOverview(server: server, activity: try rows.activity(of: id))
        }
    }

    package func logo(hash: [UInt8]) async throws -> ServerLogo? {
        try await store.read { rows in try rows.logo(hash: hash) }
    }
}

package struct ServerOverview: Equatable, Sendable {
    package let server: VirtualServer
    package let activity: ServerActivity
}
