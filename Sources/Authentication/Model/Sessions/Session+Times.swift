import OstiaryProtocol

/// When a session is overdue, and when it could last change. Stores keep both beside the row, so that they can be asked for.
extension Session {
    /// The last moment at which a phone may claim it.
    package var openUntil: Instant { startedAt + (push?.openFor ?? codeLife ?? Self.openFor) }
    /// The last moment at which the phone that claimed it may decide.
    package var claimedUntil: Instant { openUntil + Self.claimedFor }

    /// The last moment at which the session could still change or did; nil for one that is logged in and has to be written down as over first.
    package var lastMoment: Instant? {
        switch state {
        case .open, .claimed, .denied, .expired: claimedUntil
        case .returning, .loggedIn: nil
        case .stopped(_, _, let at): at
        }
    }

    /// From when on it is overdue, if nothing happens to it; nil when it is written down as over.
    package var runsOutAt: Instant? {
        switch state {
        case .open: openUntil
        case .claimed: claimedUntil
        case .returning(_, let ticket): ticket.until
        case .loggedIn(let login): login.deadline
        case .denied, .expired, .stopped: nil
        }
    }
}
