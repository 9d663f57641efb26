import OstiaryProtocol
import OstiaryTokens

/// The way to the backends of clients.
package protocol LogoutGateway: Sendable {
    /// Posts `logout_token=` as a form (§2.5). Follows no redirect and reads no body.
    /// - Returns: the status of the answer; nil when there was none.
    func send(_ logoutToken: String, to address: String) async -> Int?
}

/// Tells the backends of clients that sessions ended: at least once, whatever happens in between. Background work, for the node that has the lease.
package struct LogoutService: Sendable {
    let context: ProviderContext
    let gateway: any LogoutGateway
    let deliveries = Deliveries()
    let look = LogoutLook()

    /// Sends what is due, and answers how many backends heard it. May begin again before it is done: a host that is called is left out.
    /// - Parameter mayTell: asked where anything is due; false leaves it for another round, as while nobody knows whether `now` is right.
    /// - Throws: the first fault, after everything else was sent.
    package func run(at now: Instant, while mayTell: @Sendable @escaping () async throws -> Bool = { true }) async throws -> Int {
        let due = { @Sendable (limit: Int) async throws -> [LogoutNotice] in
            let found = try await look.due(in: context.store, at: now, limit: limit)
            guard !found.isEmpty, try await mayTell() else { return [] }
            return found
        }
        let send = { @Sendable (notice: LogoutNotice) in await gateway.send(try await token(for: notice, at: now), to: notice.address) }
        return try await deliveries.run(in: context.store, due, by: send) { rows, notice, verdict in
            if let next = notice.after(verdict, at: now) { try rows.postpone(next) } else { try rows.settle(notice) }
        }
    }

    private func token(for notice: LogoutNotice, at now: Instant) async throws -> String {
        let keys = try await context.keyring.keys(of: notice.server)
        let id = Base64URL.encode(context.random.bytes(16))
        let claims = LogoutTokenClaims(
            issuer: keys.issuer, clientID: notice.client.text, subject: notice.subject, session: notice.session.text, issuedAt: now, id: id)
        let application = try await context.store.read { rows in try rows.application(notice.client, of: notice.server) }
        let signer = try await context.signer(application?.idTokenAlgorithm ?? .es256, of: notice.server, among: keys)
        return try signer.sign(claims.json, as: .logoutToken)
    }
}
