import Authentication
import OstiaryProtocol
import OstiaryTokens

/// The way to clients that are told by ping.
package protocol PingGateway: Sendable {
    /// Posts a JSON body with the client's own token as a bearer token (OpenID Connect CIBA §10.2). Follows no redirect and reads no body.
    /// - Returns: the status of the answer; nil when there was none.
    func ping(_ body: JSONObject, token: PresentedSecret, at address: String) async -> Int?
}

/// Tells clients that they may ask now. There are no tokens in it, so one that gets lost costs a poll.
package struct PingService: Sendable {
    let context: ProviderContext
    let gateway: any PingGateway
    let deliveries = Deliveries()

    /// Sends what is due, and answers how many clients heard it. May begin again before it is done: a host that is called is left out.
    /// - Throws: the first fault, after everything else was sent.
    package func run(at now: Instant) async throws -> Int {
        let due = { @Sendable (limit: Int) in try await context.store.read { rows in try rows.duePings(at: now, limit: limit) } }
        return try await deliveries.run(in: context.store, due, by: send) { rows, ping, verdict in
            guard verdict == .retry else { return try rows.settle(ping) }
            var next = ping
            next.retry.postpone(at: now)
            try rows.postpone(next)
        }
    }

    private func send(_ ping: DuePing) async throws -> Int? {
        let token = PresentedSecret(String(decoding: try ping.notification.token.bytes(), as: UTF8.self))
        let requestID = String(decoding: try ping.notification.requestID.bytes(), as: UTF8.self)
        return await gateway.ping(JSONObject(["auth_req_id": .string(requestID)]), token: token, at: ping.notification.address)
    }
}
