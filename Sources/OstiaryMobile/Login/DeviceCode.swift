import OstiaryProtocol

/// What a device shows (RFC 8628): the phone brings it to its own server, and what the server begins for it is a login by a link that anybody may have sent.
extension Engine {
    /// The accounts whose server is at this origin, one server after the other. The addresses are those that this phone enrolled at.
    /// - Throws: `linkUnreadable` where there is no such server: then the code is nothing to this phone. `noSecondFactor`, `accountPending`,
    ///   `noAccountsForServer`.
    func accounts(at origin: String) throws(OstiaryError) -> [StoredAccount] {
        let state = try known()
        guard let address = ServerAddress(origin) else { throw .linkUnreadable }
        let servers = state.servers.filter { ServerAddress($0.url) == address }.map(\.rootHash.bytes)
        guard !servers.isEmpty else { throw .linkUnreadable }
        let accounts = servers.flatMap { state.loginAccounts(at: $0) }
        guard accounts.isEmpty else { return accounts }
        throw state.noLogin(at: servers)
    }

    func login(_ id: Session.ID, byCode code: VerificationLink, of accounts: [StoredAccount]) async throws(OstiaryError) {
        let (link, rootHash) = try await bring(code, id, as: accounts)
        change(id) { $0.rootHash = rootHash }
        try await login(id, by: link, via: .link, at: rootHash)
    }

    /// The link to the login about the code. Of several virtual servers at one address each knows only its own codes: the others refuse, and count nothing.
    /// What is in the way of one account need not be in that of the next: it is blocked there, or gone, or the other one claimed this login and was left.
    /// - Throws: the first answer that says more than a refusal.
    private func bring(
        _ code: VerificationLink, _ id: Session.ID, as accounts: [StoredAccount]
    ) async throws(OstiaryError) -> (Encoded<LoginLink>, rootHash: [UInt8]) {
        var failure = OstiaryError.noAccountsForServer
        for account in accounts {
            do throws(OstiaryError) {
                let message = Verification(accountID: account.id, uri: code.text)
                let waiting = try await ServerLine(of: account, session: id).ask(message, for: Waiting.self, by: self).value
                let rootHash = account.rootHash.bytes
                guard waiting.logins.count == 1, let link = waiting.logins.first?.link, link.value.binding == .unboundLink,
                    try known().server(tag: link.value.serverTag)?.rootHash == account.rootHash
                else { throw .serverAnswer }
                return (link, rootHash)
            } catch {
                guard error == .refused || error.isOfOneAccount else { throw error }
                if failure == .noAccountsForServer || failure == .refused { failure = error }
            }
            try checkNotAborted()
        }
        throw failure
    }
}

extension OstiaryError {
    /// Whether another account of this phone may be told something else.
    fileprivate var isOfOneAccount: Bool {
        switch self {
        case .accountBlocked, .accountPending, .accountUnknown, .accountDeleted, .sessionTaken: true
        default: false
        }
    }
}
