import OstiaryProtocol

/// The end of an account: by the person, by the server's proof, or because it never became one (protocol §13).
extension Engine {
    func delete(_ id: Account.ID) throws(OstiaryError) {
        try deleteHere(id)
        runErrand { await $0.deliverOutbox() }
    }

    /// The same for a caller who waits until the server knows.
    func remove(_ id: Account.ID) async throws(OstiaryError) {
        try deleteHere(id)
        await deliverOutbox(of: id.accountID)
        if stored?.outbox.contains(where: { $0.account == id.accountID }) == true { throw .serverConnection }
    }

    private func deleteHere(_ id: Account.ID) throws(OstiaryError) {
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

    /// An account that the server surely does not have.
    func drop(_ id: AccountID) {
        guard let account = stored?.account(id) else { return }
        let shown = shown(account)
        guard (try? write { (state) throws(OstiaryError) in state.remove(id) }) != nil else { return }
        if account.state == .enrolling { destroyDiscarded() } else { forget(account, at: shown) }
    }

    /// The server's proof that an account is gone removes it; nothing less does.
    func bury(_ account: AccountID?, proof: [UInt8], at rootHash: [UInt8]) throws(OstiaryError) {
        guard let account, let keys = servers[rootHash]?.verified.operatorKeys, let tombstone = try? Encoded<Tombstone>(decoding: proof),
            tombstone.value.accountID == account, (try? tombstone.verify(with: keys, at: now(at: rootHash))) != nil
        else { throw .serverAnswer }
        guard let gone = try known().account(account) else { return }
        let shown = shown(gone)
        try write { (state) throws(OstiaryError) in state.remove(account) }
        forget(gone, at: shown)
    }

    /// Signed while the key is there, stored together with the removal: from here on it is only a matter of reaching the server.
    private func moveToOutbox(_ account: StoredAccount) throws(OstiaryError) {
        let message = try sign(Delete(accountID: account.id, time: now(at: account.rootHash.bytes)), with: account.keyName)
        let entry = StoredDeletion(account: account.id, rootHash: account.rootHash, message: StoredBytes(message.bytes))
        try write { (state) throws(OstiaryError) in
            if state.account(account.id) != nil { state.outbox.append(entry) }
            state.remove(account.id)
        }
    }

    /// After the store let an account go: its keys, its sessions and what was remembered of it.
    private func forget(_ account: StoredAccount, at shown: Account) {
        destroyDiscarded()
        caches[account.id] = nil
        for session in live where session.account == account.id && session.shown.goesOn { ended(session.shown.id, as: .account) }
        emit(.accountDeleted(shown))
    }

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
        let ephemeral = try makeEphemeral()
        let exchanged = try await reaching(for: nil) { () async throws(OstiaryError) in
            try await exchange(with: entry.rootHash.bytes, ephemeral) { _ throws(OstiaryError) in entry.message.bytes }
        }
        switch exchanged.answer.status {
        case .ok, .accountUnknown, .accountDeleted: return
        case let status: throw OstiaryError(status)
        }
    }
}
