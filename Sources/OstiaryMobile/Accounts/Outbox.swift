import OstiaryProtocol

/// Signed deletions on their way to their servers (protocol §13).
extension Engine {
    /// Brings signed deletions to their servers; what cannot be brought now stays for the next time.
    func deliverOutbox(of account: AccountID? = nil) async {
        for entry in stored?.outbox ?? [] where account == nil || entry.account == account {
            do throws(OstiaryError) {
                try await deliver(entry)
                try write { (state) throws(OstiaryError) in
                    state.outbox.removeAll { $0 == entry }
                    state.forgetUnusedServers()
                }
            } catch {
                emit(.error(error, session: nil))
            }
        }
    }

    private func deliver(_ entry: StoredDeletion) async throws(OstiaryError) {
        let line = ServerLine(rootHash: entry.rootHash.bytes)
        let exchanged = try await line.send(by: self) { (_, _) throws(OstiaryError) in entry.message.bytes }
        switch exchanged.status {
        case .ok, .accountUnknown, .accountDeleted: return
        case let status: throw OstiaryError(status)
        }
    }
}
