import Authentication
import OstiaryProtocol

extension MemoryOAuthRows {
    func applications(of server: ServerID, _ part: ListPart) throws -> Listed<Application> {
        Self.listed(state.applications.values.filter { $0.server == server }, by: \.id.text, part)
    }

    func apis(of server: ServerID, _ part: ListPart) throws -> Listed<ProtectedAPI> {
        Self.listed(state.apis.values.filter { $0.server == server }, by: \.identifier.text, part)
    }

    func roles(of server: ServerID, _ part: ListPart) throws -> Listed<Role> {
        Self.listed(state.roles.values.filter { $0.server == server }, by: \.name, part)
    }

    func users(of server: ServerID, _ part: ListPart) throws -> Listed<ProviderUser> {
        Self.listed(state.users.values.filter { $0.server == server }, by: \.userID, part)
    }

    func users(of server: ServerID, having role: String) throws -> [ProviderUser] {
        state.users.values.filter { $0.server == server && $0.roles.contains(role) }
    }

    private static func listed<Element: Sendable>(_ all: [Element], by name: (Element) -> String, _ part: ListPart) -> Listed<Element> {
        let sorted = all.sorted { Array(name($0).utf8).lexicographicallyPrecedes(Array(name($1).utf8)) }
        return Listed(Array(sorted.dropFirst(part.offset).prefix(part.limit)), total: all.count)
    }

    func removeGiven(to id: ClientID, of server: ServerID, limit: Int) throws -> Int {
        let grants = state.grants.values.filter { $0.server == server && $0.client == id }.prefix(limit)
        let gone = Set(grants.map(\.id))
        let sessions = Set(grants.map(\.session))
        state.opaqueTokens = state.opaqueTokens.filter { token in token.value.grant.map { !gone.contains($0) } ?? true }
        state.families = state.families.filter { !gone.contains($0.key) }
        state.logouts = state.logouts.filter { $0.key.client != id || !sessions.contains($0.key.session) }
        state.grants = state.grants.filter { !gone.contains($0.key) }
        let consents = state.consents.keys.filter { $0.server == server && $0.name.client == id }.prefix(limit)
        for consent in consents { state.consents[consent] = nil }
        return max(grants.count, consents.count)
    }

    func removeApplication(_ id: ClientID, of server: ServerID) throws {
        _ = try removeGiven(to: id, of: server, limit: .max)
        state.applications[MemoryOAuthState.Key(server: server, name: id)] = nil
        try adopt(id, of: server)
        state.codes = state.codes.filter { $0.key.server != server || $0.value.client != id }
        state.pushed = state.pushed.filter { $0.key.server != server || $0.value.client != id }
        state.polled = state.polled.filter { $0.key.server != server || $0.value.client != id }
    }

    func removeAPI(_ identifier: APIIdentifier, of server: ServerID, at now: Instant) throws {
        state.apis[MemoryOAuthState.Key(server: server, name: identifier)] = nil
        for grant in state.grants.values where grant.server == server && grant.api == identifier { try revoke(grant.id, at: now) }
        state.consents = state.consents.filter { $0.key.server != server || $0.key.name.api != identifier }
    }

    func removeRole(_ name: String, of server: ServerID) throws { state.roles[MemoryOAuthState.Key(server: server, name: name)] = nil }
    func removeUser(_ userID: String, of server: ServerID) throws { state.users[MemoryOAuthState.Key(server: server, name: userID)] = nil }

    func record(_ entry: AuditEntry) throws { state.audit.append(entry) }
}
