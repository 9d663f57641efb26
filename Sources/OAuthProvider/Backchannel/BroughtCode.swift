import Authentication
import OstiaryProtocol
import OstiaryTokens

/// Another phone is deciding what the device waits for.
package struct CodeTaken: Error, Equatable, Sendable {
    package init() {}
}

extension OAuthRows {
    /// What phones show of client or API is what it was: their logins about codes are over, and who brings one again is shown what it is now. A yes that
    /// was said, and is not fetched, waits.
    /// - Parameter actor: who says so.
    func endCodes(of client: ClientID? = nil, for api: APIIdentifier? = nil, at server: ServerID, by actor: AuditActor, now: Instant) throws {
        for code in try askedOnPhones(at: server, since: now - Session.claimedFor) where code.isOfDevice {
            guard code.client == client || api != nil && code.api == api, let session = code.session else { continue }
            try endPushed(session, of: nil, at: server, by: actor, now: now)
        }
    }
}

extension DeviceService {
    /// A phone has brought the code, and its person decides in a login about it: all phones that bring it are shown the one that is open, of which the first
    /// to claim it decides. What it comes to is found in the session by whoever asks next, as with a login that was pushed (docs/decisions/0040).
    /// - Parameters:
    ///   - question: what `waiting` found, as its words were made of it.
    ///   - request: what the phone is to show.
    ///   - account: of the phone. Where it has taken the session before and died, or another has and gave up, it begins anew.
    /// - Returns: the session; nil when the code was decided before, is over, or its client is another by now.
    /// - Throws: ``CodeTaken``.
    package func ask(
        _ question: PolledQuestion, _ request: LoginRequest, by account: AccountID, at server: ServerID, now: Instant
    ) async throws -> SessionID? {
        let (fresh, grant) = (SessionID(using: context.random), GrantID(using: context.random))
        return try await context.store.write { rows -> SessionID? in
            guard let stored = try rows.polled(hash: question.authorization.hash, of: server) else { return nil }
            let waiting = try rows.following(stored, granting: grant, at: now).authorization
            guard waiting.isWaiting(at: now), try rows.isAsShown(question, at: server) else { return nil }
            var former: SessionID?
            if let session = waiting.session, let taker = try rows.taker(of: session, at: server, now: now) {
                guard taker != .nobody else { return session }
                guard taker.makesRoom(for: account) else { throw CodeTaken() }
                former = session
            }
            try rows.save(waiting.asked(in: fresh))
            if let former { try rows.endPushed(former, of: nil, at: server, by: .phone, now: now) }
            try rows.begin(fresh, asking: request, codeLife: waiting.expiresAt.seconds(since: now), at: server, now: now)
            return fresh
        }
    }
}
