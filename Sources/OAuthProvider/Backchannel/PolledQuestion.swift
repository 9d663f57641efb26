import OstiaryProtocol

/// What a client on another device waits for, to be shown to the person before they decide.
package struct PolledQuestion: Equatable, Sendable {
    package let authorization: PolledAuthorization
    package let application: Application
    package let api: ProtectedAPI?
}

extension PolledApproval {
    /// Nil when it was decided before, is over, or its client may ask nobody any more.
    /// - Parameter hash: of the device code or the auth_req_id.
    package func question(_ hash: [UInt8], at server: ServerID, now: Instant) async throws -> PolledQuestion? {
        try await context.store.read { rows in
            guard let waiting = try rows.polled(hash: hash, of: server), waiting.isWaiting(at: now),
                let application = try rows.application(waiting.client, of: server), application.isEnabled
            else { return nil }
            return PolledQuestion(authorization: waiting, application: application, api: try waiting.api.flatMap { try rows.api($0, of: server) })
        }
    }
}
