import OstiaryProtocol

/// The first M1 or L5 with a device signature that verifies takes the session for its account (protocol §6).
struct SessionClaim: Sendable {
    let account: AccountID
    let offer: Offer

    func applied(to session: Session, at now: Instant) throws(Refusal) -> Session {
        try session.taking(.claim(account, offer.binding), at: now)
    }
}

extension Session {
    /// The session after an event, or what the phone hears when it does not take it.
    func taking(_ event: SessionEvent, at now: Instant) throws(Refusal) -> Session {
        do { return try after(event, at: now) } catch { throw Refusal(error) }
    }
}

extension Refusal {
    /// What a phone hears of a session that does not take an event.
    init(_ refusal: SessionRefusal) {
        self =
            switch refusal {
            case .taken: .sessionTaken
            case .over: .sessionOver
            case .early: .sessionUnknown
            }
    }
}
