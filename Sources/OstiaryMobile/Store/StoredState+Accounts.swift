import OstiaryProtocol

/// Questions to the document, and the changes that must happen in one step.
extension StoredState {
    func account(_ id: AccountID) -> StoredAccount? { accounts.first { $0.id == id } }

    func server(_ rootHash: [UInt8]) -> StoredServer? { servers.first { $0.rootHash.bytes == rootHash } }

    /// The server that a link's tag means: the tag is the front of the root hash (protocol §3).
    func server(tag: [UInt8]) -> StoredServer? { servers.first { Array($0.rootHash.bytes.prefix(4)) == tag } }

    func instance(_ id: InstanceID?) -> StoredInstance? { instances.first { $0.id == id } }

    /// The accounts that are active at a server: also headless ones, which ask for data and log in nowhere.
    func activeAccounts(at rootHash: [UInt8]) -> [StoredAccount] {
        accounts.filter { $0.rootHash.bytes == rootHash && $0.state == .active }
    }

    /// The accounts that can log in at a server.
    func loginAccounts(at rootHash: [UInt8]) -> [StoredAccount] { activeAccounts(at: rootHash).filter { !$0.isHeadless } }

    /// Why no account of these servers can log in. One whose second factor was set waits for its code, as far as is known here.
    func noLogin(at rootHashes: [[UInt8]]) -> OstiaryError {
        guard !rootHashes.contains(where: { activeAccounts(at: $0).contains { $0.isHeadless && $0.upgrade != nil } }) else { return .accountPending }
        if rootHashes.contains(where: { activeAccounts(at: $0).contains(where: \.isHeadless) }) { return .noSecondFactor }
        return rootHashes.contains { hasPendingAccount(at: $0) } ? .accountPending : .noAccountsForServer
    }

    /// Whether an account there waits for its code to be typed.
    func hasPendingAccount(at rootHash: [UInt8]) -> Bool {
        accounts.contains { $0.rootHash.bytes == rootHash && $0.state == .pending }
    }

    /// An account of this server whose PIN can vouch for a further one.
    func voucher(at rootHash: [UInt8]) -> (account: StoredAccount, instance: StoredInstance)? { vouchers(at: rootHash).first }

    /// One account for each PIN that this app has at a server. There are several only where the servers forgot an older one in a restore: so the
    /// newest PIN is first, and of its accounts the oldest, which a restore forgets last.
    func vouchers(at rootHash: [UInt8]) -> [(account: StoredAccount, instance: StoredInstance)] {
        let active = activeAccounts(at: rootHash)
        return instances.reversed().compactMap { instance in
            active.first { $0.instance == instance.id }.map { (account: $0, instance: instance) }
        }
    }

    mutating func setAccount(_ id: AccountID, _ change: (inout StoredAccount) -> Void) {
        guard let index = accounts.firstIndex(where: { $0.id == id }) else { return }
        change(&accounts[index])
    }

    mutating func keep(_ server: StoredServer) {
        if let index = servers.firstIndex(where: { $0.rootHash == server.rootHash }) {
            servers[index] = server
        } else {
            servers.append(server)
        }
    }

    /// Writes a login down in the place of what was known of it. What another process ends meanwhile stays to be ended.
    mutating func keep(_ session: StoredSession) {
        var session = session
        if sessions.contains(where: { $0.id == session.id && $0.isEnding == true }) { session.isEnding = true }
        sessions.removeAll { $0.id == session.id }
        sessions.append(session)
    }

    /// Takes an account out with everything that only it needed; the names of its keys go to `discarded`.
    mutating func remove(_ id: AccountID) {
        guard let account = account(id) else { return }
        accounts.removeAll { $0.id == id }
        sessions.removeAll { $0.account == id }
        discarded += [account.keyName, account.otpSecretName, account.tokenKeyName].compactMap(\.self)
        for instance in [account.instance, account.upgrade?.instance].compactMap(\.self) { forget(instance) }
        forgetUnusedServers()
    }

    /// Lets an instance go that no account has, nor is to have.
    private mutating func forget(_ id: InstanceID) {
        guard let instance = instance(id), !accounts.contains(where: { $0.instance == id || $0.upgrade?.instance == id }) else { return }
        instances.removeAll { $0.id == id }
        discarded += instance.names
    }

    /// The second factor that was set for an account is its own from now on.
    mutating func adoptUpgrade(of id: AccountID) {
        guard let account = account(id), let upgrade = account.upgrade else { return }
        setAccount(id) { ($0.instance, $0.upgrade) = (upgrade.instance, nil) }
        // One that its server had forgotten.
        if let former = account.instance { forget(former) }
    }

    /// What was to make a headless account a full one came to nothing.
    mutating func dropUpgrade(of id: AccountID) {
        guard let upgrade = account(id)?.upgrade else { return }
        setAccount(id) { $0.upgrade = nil }
        forget(upgrade.instance)
    }

    mutating func forgetUnusedServers() {
        servers.removeAll { server in
            !accounts.contains { $0.rootHash == server.rootHash } && !outbox.contains { $0.rootHash == server.rootHash }
        }
    }
}

extension Account {
    init(_ account: StoredAccount, at server: StoredServer?) {
        self.init(
            id: ID(rawValue: account.id.text), username: account.username, displayName: account.displayName, serverName: server?.name ?? "",
            serverURL: server?.url ?? "", serverIdentity: Base64URL.encode(account.rootHash.bytes), state: account.state,
            hasSecondFactor: !account.isHeadless, createdAt: account.createdAt
        )
    }
}

extension StoredAccount {
    /// Whether it asks for data and logs in nowhere.
    var isHeadless: Bool { instance == nil }
}

extension Account.ID {
    var accountID: AccountID? { AccountID(text: rawValue) }
}
