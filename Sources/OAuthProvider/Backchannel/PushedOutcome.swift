import Authentication
import OstiaryProtocol
import OstiaryTokens

/// What became of a session that was pushed to a phone.
package enum PushedOutcome: Equatable, Sendable {
    /// The phone may still decide.
    case undecided
    case loggedIn(Login)
    /// The person said no, or has ended the login since.
    case denied
    /// Nobody decided in time.
    case over
}

extension OAuthRows {
    /// The authorization as the phone has decided it by now, written down if that is new. Nobody tells the provider of a decision: whoever asks finds it
    /// in the session, in the transaction that needs it, so that none is lost and none counts twice.
    /// - Parameter id: of the grant that a yes begins.
    func following(
        _ waiting: PolledAuthorization, granting id: GrantID, at now: Instant
    ) throws -> (authorization: PolledAuthorization, isBeingDecided: Bool) {
        guard waiting.state == .pending, let session = waiting.session else { return (waiting, false) }
        switch try outcome(ofPushed: session, at: waiting.server, now: now) {
        case nil, .over: return (waiting, false)
        case .undecided: return (waiting, true)
        case .denied: return (try deny(waiting, at: now), false)
        case .loggedIn(let login):
            // A client that asks for more than a phone can show gets nothing weaker.
            guard login.isStrongEnough(for: waiting.strengths), !waiting.scopes.isEmpty else { return (try deny(waiting, at: now), false) }
            guard let approved = waiting.decided(id, by: login.at, at: now) else { return (waiting, false) }
            try begin(
                Grant(
                    id: id, server: waiting.server, client: waiting.client, holder: GrantHolder(of: login, in: session, waiting.scopes),
                    scopes: waiting.scopes, api: waiting.api, authentication: AuthenticationClaims(of: login), nonce: nil, session: session,
                    createdAt: now))
            try save(approved)
            return (approved, false)
        }
    }

    private func deny(_ waiting: PolledAuthorization, at now: Instant) throws -> PolledAuthorization {
        guard let denied = waiting.decided(nil, by: now, at: now) else { return waiting }
        try save(denied)
        return denied
    }
}

/// Looks what phones have decided for the clients that are told by ping, and ask only then. A client that polls looks for itself.
package struct PushedDecisions: Sendable {
    /// Authorizations in one run.
    static let batch = 100

    let context: ProviderContext

    /// Writes down what was decided, and answers how many were looked at.
    /// - Throws: the first fault, after all others were looked at.
    @discardableResult
    package func run(at now: Instant) async throws -> Int {
        var fault: (any Error)?
        let decided = try await context.store.read { rows in try rows.decidedOnPhones(at: now, limit: Self.batch) }
        for waiting in decided {
            let id = GrantID(using: context.random)
            do {
                try await context.store.write { rows in
                    guard let current = try rows.polled(hash: waiting.hash, of: waiting.server) else { return }
                    _ = try rows.following(current, granting: id, at: now)
                }
            } catch { fault = fault ?? error }
        }
        if let fault { throw fault }
        return decided.count
    }
}
