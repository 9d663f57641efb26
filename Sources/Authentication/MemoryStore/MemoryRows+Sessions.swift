import OstiaryProtocol

extension MemoryRows {
    func servers() throws -> [VirtualServer] { state.servers }
    func server(_ id: ServerID) throws -> VirtualServer? { state.servers.first { $0.id == id } }

    func save(_ server: VirtualServer) throws {
        if let index = state.servers.firstIndex(where: { $0.id == server.id }) {
            state.servers[index] = server
        } else {
            state.servers.append(server)
        }
    }

    func activity(of server: ServerID) throws -> ServerActivity {
        let accounts = state.accounts.values.filter { $0.server == server }
        return ServerActivity(accountCount: accounts.count, lastLogin: accounts.compactMap(\.lastLogin).max())
    }

    func logo(hash: [UInt8]) throws -> ServerLogo? {
        (state.servers.compactMap(\.parameters.logo) + state.logos.map(\.logo)).first { $0.hash == hash }
    }

    func add(_ logo: ServerLogo, to session: SessionID, keeping count: Int) throws {
        state.logos.removeAll { $0.session == session && $0.logo.hash == logo.hash }
        state.logos.append(SessionLogo(session: session, logo: logo))
        let surplus = state.logos.filter { $0.session == session }.dropLast(count).map(\.logo.hash)
        state.logos.removeAll { $0.session == session && surplus.contains($0.logo.hash) }
    }

    func session(_ id: SessionID) throws -> Session? { state.sessions[id] }
    func session(stream: StreamID, of server: ServerID) throws -> Session? {
        func rank(_ session: Session) -> (Int, Instant, String) { (session.lastMoment == nil ? 1 : 0, session.startedAt, session.id.text) }
        return state.sessions.values.filter { $0.stream == stream && $0.server == server }.max { rank($0) < rank($1) }
    }

    func session(returnCodeHash: [UInt8], of server: ServerID) throws -> Session? {
        state.sessions.values.first { $0.returnTicket?.codeHash == returnCodeHash && $0.server == server }
    }

    func save(_ session: Session) throws { state.sessions[session.id] = session }

    func pointer(nonceHash: [UInt8], of server: ServerID) throws -> NoncePointer? {
        state.pointers[MemoryState.NonceKey(server: server, hash: nonceHash)]
    }

    func save(_ pointer: NoncePointer) throws {
        state.pointers[MemoryState.NonceKey(server: pointer.server, hash: pointer.hash)] = pointer
    }

    func removePointer(nonceHash: [UInt8], of server: ServerID) throws {
        state.pointers[MemoryState.NonceKey(server: server, hash: nonceHash)] = nil
    }

    func view(nonceHash: [UInt8], of server: ServerID) throws -> SessionView? {
        guard let pointer = try self.pointer(nonceHash: nonceHash, of: server), let session = try self.session(pointer.session) else { return nil }
        let account = try session.login.flatMap { try self.account($0.account) }
        return SessionView(session: session, account: account.map(AccountFacts.init))
    }

    func unfinishedSessions(of account: AccountID) throws -> [Session] {
        state.sessions.values.filter { session in session.account == account && !session.isFinished }
    }

    func unfinishedAppLogins(of account: AccountID) throws -> [Session] {
        try unfinishedSessions(of: account).filter { $0.purpose == .app }
    }

    func waitingSessions(of account: AccountID, at now: Instant) throws -> [Session] {
        state.sessions.values.filter { $0.push != nil && $0.request.account == account && $0.settled(at: now).isUndecided }
            .sorted { ($0.startedAt, $0.id.text) < ($1.startedAt, $1.id.text) }
    }

    func wrongNumbers(of account: AccountID, since: Instant) throws -> Int {
        state.sessions.values.filter { $0.request.account == account && $0.startedAt >= since }
            .reduce(0) { $0 + Int($1.push?.wrongNumbers ?? 0) }
    }

    func askAnew(at server: ServerID) throws {
        for session in state.sessions.values where session.server == server && session.state == .open {
            state.sessions[session.id]?.asked &+= 1
        }
    }

    func overdueSessions(at now: Instant, limit: Int) throws -> [Session] {
        let overdue = state.sessions.values.filter { session in
            guard let end = session.runsOutAt else { return false }
            return now > end
        }
        return Array(overdue.prefix(limit))
    }
}
