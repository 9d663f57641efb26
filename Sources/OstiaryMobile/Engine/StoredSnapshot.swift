extension Snapshot {
    /// What is stored, read at once so that the first question after `configure` has its answer.
    init(stored ports: Ports, _ configuration: Ostiary.Configuration) {
        let state: StoredState?
        do { state = try StoredState(decoding: try ports.accounts.read()) } catch { state = nil }
        let history = StoredHistory(decoding: (try? ports.history?.read()) ?? nil)
        let watched = Set(state?.sessions.map(\.id) ?? [])
        self.init(
            accounts: state?.shownAccounts, history: history.shown(watched: watched, expiry: configuration.historyExpiry, at: ports.clock.wall))
    }
}

extension StoredState {
    /// The accounts that an app is shown; one that the server did not acknowledge yet is not among them.
    var shownAccounts: [Account] {
        accounts.filter { $0.state != .enrolling }.map { Account($0, at: server($0.rootHash.bytes)) }
    }
}
