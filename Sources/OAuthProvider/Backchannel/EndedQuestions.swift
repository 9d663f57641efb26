import Authentication
import OstiaryProtocol

extension Application {
    /// Whether it may ask people on their phones (OpenID Connect CIBA).
    package var mayAskOnPhones: Bool { isEnabled && grantTypes.contains(.backchannel) && backchannel != nil }
}

extension OAuthRows {
    /// Whose client may ask on phones no more has nobody ask: what a phone may still decide is over there, and a no for the client if it may ask again.
    /// A yes that the client has not fetched waits as it did.
    /// - Parameter actor: who says so.
    func endQuestions(of client: ClientID, at server: ServerID, by actor: AuditActor, now: Instant) throws {
        for question in try openQuestions(of: client, at: server, since: now - Session.claimedFor) {
            guard let session = question.session, case .backchannel(let account?) = question.way else { continue }
            let outcome = try outcome(ofPushed: session, at: server, now: now)
            if case .loggedIn = outcome { continue }
            if outcome != .over, let denied = question.decided(nil, by: now, at: now) { try save(denied) }
            try endPushed(session, of: account, at: server, by: actor, now: now)
        }
    }
}
