import OstiaryProtocol

/// Taking an account out of this device, with everything that only it needed.
extension Engine {
    /// An account that the server surely does not have.
    func drop(_ id: AccountID) {
        guard let account = stored?.account(id) else { return }
        let shown = shown(account)
        guard (try? write { (state) throws(OstiaryError) in state.remove(id) }) != nil else { return }
        if account.state == .enrolling { destroyDiscarded() } else { forget(account, at: shown) }
    }

    /// The server's proof that an account is gone removes it; nothing less does.
    func removeProvenGone(_ account: AccountID?, proof: [UInt8], at rootHash: [UInt8]) throws(OstiaryError) {
        guard let account, let keys = servers[rootHash]?.verified.operatorKeys, let tombstone = try? Encoded<Tombstone>(decoding: proof),
            tombstone.value.accountID == account, (try? tombstone.verify(with: keys, at: now(at: rootHash))) != nil
        else { throw .serverAnswer }
        guard let gone = try known().account(account) else { return }
        let shown = shown(gone)
        try write { (state) throws(OstiaryError) in state.remove(account) }
        forget(gone, at: shown)
    }

    /// Signed while the key is there, stored together with the removal: from here on it is only a matter of reaching the server.
    func moveToOutbox(_ account: StoredAccount) throws(OstiaryError) {
        let message = try sign(Delete(accountID: account.id, time: now(at: account.rootHash.bytes)), with: account.keyName)
        let entry = StoredDeletion(account: account.id, rootHash: account.rootHash, message: StoredBytes(message.bytes))
        try write { (state) throws(OstiaryError) in
            if state.account(account.id) != nil { state.outbox.append(entry) }
            state.remove(account.id)
        }
    }

    /// After the store let an account go: its keys, its sessions and what was remembered of it.
    func forget(_ account: StoredAccount, at shown: Account) {
        destroyDiscarded()
        caches[account.id] = nil
        for session in live where session.account == account.id && session.shown.goesOn { ended(session.shown.id, as: .account) }
        emit(.accountDeleted(shown))
    }
}
