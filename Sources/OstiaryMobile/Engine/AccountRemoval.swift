import OstiaryProtocol

/// Why an account is taken out of this device.
enum AccountRemoval: Sendable {
    /// A person wants it so.
    case deleted
    /// The server may or may not have made it, and nobody will use it.
    case abandoned
    /// The same, but the key that could say so is lost, and nobody can ever use the account either.
    case keyLost
    /// The server surely does not have it.
    case neverMade
    /// The server proved that it is gone.
    case provenGone

    fileprivate var isToldToServer: Bool {
        switch self {
        case .deleted, .abandoned: true
        case .keyLost, .neverMade, .provenGone: false
        }
    }
}

extension Engine {
    /// Takes an account out with everything that only it needed, and tells the app, unless the app never heard of it. What the server has
    /// to hear is in the outbox then.
    func remove(_ id: AccountID, because removal: AccountRemoval) throws(OstiaryError) {
        guard let account = stored?.account(id) else { return }
        let shown = shown(account)
        if removal.isToldToServer { try moveToOutbox(account) } else { try write { (state) throws(OstiaryError) in state.remove(id) } }
        destroyDiscarded()
        caches[id] = nil
        codes.forget(shown.id)
        for session in live where session.account == id && session.shown.goesOn { close(session.shown.id, as: .account) }
        if account.state != .enrolling { emit(.accountDeleted(shown)) }
    }

    /// The server's proof that an account is gone removes it; nothing less does.
    func removeProvenGone(_ account: AccountID?, proof: [UInt8], at rootHash: [UInt8]) throws(OstiaryError) {
        guard let account, let keys = servers[rootHash]?.verified.operatorKeys, let tombstone = try? Encoded<Tombstone>(decoding: proof),
            tombstone.value.accountID == account, (try? tombstone.verify(with: keys, at: now(at: rootHash))) != nil
        else { throw .serverAnswer }
        try remove(account, because: .provenGone)
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
}
