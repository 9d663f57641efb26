import OstiaryProtocol

// Accounts: accounts that go.
//
// Owns: deleting one, giving one up that nobody will use, telling the servers, and clearing up after a crash. Leaves to others: how an
// account is taken out of the store (Engine/AccountRemoval.swift), how it comes in (Enrolment/).
// Start reading here, then Outbox.

/// The end of an account: by the person, by the server's proof, or because it never became one (protocol §13).
extension Engine {
    func delete(_ id: Account.ID) throws(OstiaryError) {
        try deleteHere(id)
        runInBackground { await $0.deliverOutbox() }
    }

    /// Here at once; the outbox says it to the server.
    func deleteHere(_ id: Account.ID) throws(OstiaryError) {
        // Also the first thing that a fresh process does, before the store was read; and another process may have changed it since.
        try reread()
        guard let id = id.accountID, try known().account(id) != nil else { throw .accountUnknown }
        if let flow, session(flow.session)?.account == id { throw .flowInProgress }
        try remove(id, because: .deleted)
    }

    /// Gives up an account that the server may or may not have made, and tells it so.
    func abandon(_ id: AccountID) {
        guard stored?.account(id) != nil else { return }
        do throws(OstiaryError) { try remove(id, because: .abandoned) } catch {
            guard error == .keyStore else { return emit(.error(error, session: nil)) }
            _ = try? remove(id, because: .keyLost)
            return
        }
        runInBackground { await $0.deliverOutbox() }
    }
}
