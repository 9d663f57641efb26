import OstiaryProtocol

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
            case .over, .spent: .sessionOver
            case .early: .sessionUnknown
            }
    }
}
