import OstiaryProtocol

// Accounts: accounts that go.
//
// Owns: deleting one, giving one up that nobody will use, telling the servers, and clearing up after a crash. Leaves to others: how an account is
// taken out of the store (Engine/AccountRemoval.swift), how it comes in (Enrolment/).
// Start reading here, then Outbox.

/// The end of an account: by the person, by the server's proof, or because it never became one (protocol §13).
extension Engine {
    func delete(_ id: Account.ID) throws(OstiaryError) {
        try deleteHere(id)
        runErrand { await $0.deliverOutbox() }
    }

    /// Here at once; the outbox says it to the server.
    func deleteHere(_ id: Account.ID) throws(OstiaryError) {
        // Also the first thing that a fresh process does, before the store was read; and another process may have changed it since.
        try reread()
        guard let id = id.accountID, let account = try known().account(id) else { throw .accountUnknown }
        if let flow, session(flow.session)?.account == id { throw .flowInProgress }
        try moveToOutbox(account)
        forget(account, at: shown(account))
    }

    /// An account that the server may or may not have made, and that nobody will use.
    func discard(_ id: AccountID) {
        guard let account = stored?.account(id) else { return }
        let shown = shown(account)
        do throws(OstiaryError) {
            try moveToOutbox(account)
        } catch {
            // Without its key nothing can be signed, and nothing can ever use it either.
            guard error == .keyStore else { return emit(.error(error, session: nil)) }
            return drop(id)
        }
        if account.state == .enrolling { destroyDiscarded() } else { forget(account, at: shown) }
        runErrand { await $0.deliverOutbox() }
    }
}
