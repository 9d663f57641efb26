import OstiaryProtocol

/// Back to the first start: no account, no key, no history.
extension Engine {
    /// Gives up what is going on, then takes everything away. What servers have to hear of it is signed first and stays in the outbox until it
    /// could be brought.
    func reset() async throws(OstiaryError) {
        abort(.cancelled)
        await flow?.task?.value
        do throws(OstiaryError) { try reread() } catch {
            guard error == .storeUnreadable else { throw error }
            try replaceUnreadable()
        }
        for session in live where session.shown.goesOn { close(session.shown.id, as: .account) }
        for account in try known().accounts { abandon(account.id) }
        for session in live { close(session.shown.id, as: .cancelled) }
        try write { (state) throws(OstiaryError) in
            state.discarded += state.claims.flatMap { [$0.keyName, $0.secretName].compactMap(\.self) }
            state.discarded += state.instances.flatMap(\.names)
            (state.claims, state.instances, state.sessions) = ([], [], [])
        }
        destroyDiscarded()
        try clearHistory()
        (caches, logos) = ([:], [:])
        publish()
        try await eraseTokens()
    }

    /// Of every ``TokenClient`` over these ports. Their providers are not told: who wants that revokes before.
    private func eraseTokens() async throws(OstiaryError) {
        guard let documents = ports.tokens else { return }
        let vault = TokenVault(documents: documents, keys: ports.keys, random: random)
        do throws(TokenError) {
            try await TokenTurn(lock: ports.tokenLock, clock: ports.clock).take { () async throws(TokenError) in try vault.eraseAll() }
        } catch { throw OstiaryError(error) }
    }

    func clearHistory() throws(OstiaryError) {
        do throws(AccountStoreError) { try ports.history?.update { _ in StoredHistory().encoded() } } catch { throw .storeUnavailable }
        history = StoredHistory()
        publish()
    }

    /// A damaged document names no key any more: what it named can open nothing without it.
    private func replaceUnreadable() throws(OstiaryError) {
        let empty = try StoredState().encoded()
        do throws(AccountStoreError) { try ports.accounts.update { _ in empty } } catch { throw .storeUnavailable }
        stored = StoredState()
    }
}
