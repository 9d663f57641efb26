import OstiaryProtocol

extension MemoryOAuthRows {
    private typealias Key = MemoryOAuthState.Key

    func registrationPolicy(of server: ServerID) throws -> RegistrationPolicy? { state.registrationPolicies[server] }
    func save(_ policy: RegistrationPolicy) throws { state.registrationPolicies[policy.server] = policy }

    func initialToken(hash: [UInt8], of server: ServerID) throws -> InitialAccessToken? {
        state.initialTokens[Key(server: server, name: hash)]
    }

    func save(_ token: InitialAccessToken) throws { state.initialTokens[Key(server: token.server, name: token.hash)] = token }

    func initialTokenCount(of server: ServerID, at now: Instant) throws -> Int {
        state.initialTokens.values.count { $0.server == server && $0.isGood(at: now) }
    }

    func removeInitialTokens(of server: ServerID) throws { state.initialTokens = state.initialTokens.filter { $0.key.server != server } }

    func noteRegistered(_ client: ClientID, of server: ServerID, at now: Instant) throws {
        state.registered.insert(Key(server: server, name: client))
    }

    func adopt(_ client: ClientID, of server: ServerID) throws { state.registered.remove(Key(server: server, name: client)) }

    func isRegistered(_ client: ClientID, of server: ServerID) throws -> Bool { state.registered.contains(Key(server: server, name: client)) }

    func registeredCount(of server: ServerID) throws -> Int { state.registered.count { $0.server == server } }
}
