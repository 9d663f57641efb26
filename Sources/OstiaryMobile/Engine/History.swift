import Foundation

/// What became of sessions, for the person to look up.
extension Engine {
    /// As another process may have left it.
    func rereadHistory() { if let store = ports.history, let bytes = try? store.read() { history = StoredHistory(decoding: bytes) } }

    /// Writes down how a session stands. A history that cannot be written stops nothing: this process still shows it.
    func recordHistory(_ id: Session.ID) {
        let expiry = configuration.historyExpiry
        guard expiry > 0, let shown = session(id)?.shown, let status = HistoryItem.Status(shown) else { return }
        let item = StoredHistoryItem(
            id: id, status: status, username: shown.account?.username ?? "", serverName: shown.account?.serverName ?? shown.info.serverName,
            serviceName: shown.info.serviceName, isAppLogin: shown.isAppLogin, isEnrolment: shown.isEnrolment, changedAt: ports.clock.wall)
        history.note(item, expiry: expiry)
        try? ports.history?.update { old in
            var stored = StoredHistory(decoding: old)
            stored.note(item, expiry: expiry)
            history = stored
            return stored.encoded()
        }
        publish()
    }

    /// Whether nobody has told yet that a session is over.
    func isListedAsLoggedIn(_ id: Session.ID) -> Bool {
        rereadHistory()
        return [.loggedIn, .loggedInOneShot].contains(history.items.first { $0.id == id }?.status)
    }

    var shownHistory: [HistoryItem] {
        let watched = live.filter { $0.shown.isLoggedIn }.map(\.shown.id) + (stored?.sessions.map(\.id) ?? [])
        return history.shown(watched: Set(watched), expiry: configuration.historyExpiry, at: ports.clock.wall)
    }
}

extension HistoryItem.Status {
    /// Nil while nothing worth a line has happened.
    init?(_ session: Session) {
        switch (session.isLoggedIn, session.ending) {
        case (true, _): self = session.pingTime > 0 ? .loggedIn : .loggedInOneShot
        case (false, nil), (false, .enrolled?): return nil
        case (false, .failed?): self = session.wasLoggedIn ? .loggedOut : .error
        case (false, .account?): self = session.wasLoggedIn ? .deleted : .aborted
        case (false, _?): self = session.wasLoggedIn ? .loggedOut : .aborted
        }
    }
}

extension Ostiary.Configuration {
    /// Whole seconds; zero keeps nothing.
    var historyExpiry: UInt64 { expiryHistoryItems.wholeSeconds ?? 0 }
}
