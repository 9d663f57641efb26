import Authentication
import OstiaryProtocol
import OstiaryTokens

/// The rows of one transaction in memory.
final class MemoryOAuthRows: OAuthRows {
    private typealias Key = MemoryOAuthState.Key

    var state: MemoryOAuthState

    init(_ state: MemoryOAuthState) { self.state = state }

    func application(_ id: ClientID, of server: ServerID) throws -> Application? { state.applications[Key(server: server, name: id)] }
    func save(_ application: Application) throws { state.applications[Key(server: application.server, name: application.id)] = application }
    func api(_ identifier: APIIdentifier, of server: ServerID) throws -> ProtectedAPI? { state.apis[Key(server: server, name: identifier)] }
    func save(_ api: ProtectedAPI) throws { state.apis[Key(server: api.server, name: api.identifier)] = api }
    func role(_ name: String, of server: ServerID) throws -> Role? { state.roles[Key(server: server, name: name)] }
    func save(_ role: Role) throws { state.roles[Key(server: role.server, name: role.name)] = role }

    func user(_ userID: String, of server: ServerID) throws -> ProviderUser? { state.users[Key(server: server, name: userID)] }
    func save(_ user: ProviderUser) throws { state.users[Key(server: user.server, name: user.userID)] = user }

    func roles(of account: AccountID, at server: ServerID) throws -> Set<String> {
        try state.people.accounts[account]?.userID.flatMap { try user($0, of: server) }?.roles ?? []
    }

    func standing(_ id: GrantID, at now: Instant) throws -> StandingGrant? {
        guard let grant = state.grants[id], grant.revokedAt == nil, let account = state.people.accounts[grant.holder.account], account.isUsable else {
            return nil
        }
        switch grant.holder {
        case .session(let session, let holder):
            guard state.people.sessions[session]?.account == holder else { return nil }
        case .device:
            guard try grant.api.map({ try api($0, of: grant.server)?.allowsOfflineAccess ?? false }) ?? true else { return nil }
        }
        return StandingGrant(grant: grant, person: try person(grant.holder.account, account, at: grant.server))
    }

    func grant(_ id: GrantID) throws -> Grant? { state.grants[id] }
    func save(_ grant: Grant) throws { state.grants[grant.id] = grant }

    func consent(of account: AccountID, to client: ClientID, for api: APIIdentifier?, server: ServerID) throws -> Consent? {
        state.consents[Key(server: server, name: MemoryOAuthState.ConsentName(account: account, client: client, api: api))]
    }

    func save(_ consent: Consent, of server: ServerID) throws {
        state.consents[Key(server: server, name: MemoryOAuthState.ConsentName(of: consent))] = consent
    }

    func code(hash: [UInt8], of server: ServerID) throws -> AuthorizationCode? { state.codes[Key(server: server, name: hash)] }
    func save(_ code: AuthorizationCode) throws { state.codes[Key(server: code.server, name: code.hash)] = code }
    func family(of grant: GrantID) throws -> RefreshFamily? { state.families[grant] }
    func save(_ family: RefreshFamily) throws { state.families[family.grant] = family }
    func opaqueToken(hash: [UInt8], of server: ServerID) throws -> OpaqueToken? { state.opaqueTokens[Key(server: server, name: hash)] }
    func save(_ token: OpaqueToken, of server: ServerID) throws { state.opaqueTokens[Key(server: server, name: token.hash)] = token }
    func isRevoked(tokenID: String, of server: ServerID) throws -> Bool { state.revokedTokens[Key(server: server, name: tokenID)] != nil }

    func revoke(tokenID: String, of server: ServerID, until: Instant) throws { state.revokedTokens[Key(server: server, name: tokenID)] = until }

    func pushedRequest(hash: [UInt8], of server: ServerID) throws -> PushedRequest? { state.pushed[Key(server: server, name: hash)] }
    func save(_ request: PushedRequest) throws { state.pushed[Key(server: request.server, name: request.hash)] = request }
    func polled(hash: [UInt8], of server: ServerID) throws -> PolledAuthorization? { state.polled[Key(server: server, name: hash)] }

    func polled(userCodeHash: [UInt8], of server: ServerID) throws -> PolledAuthorization? {
        state.polled.values.first { $0.server == server && $0.way == .device(userCodeHash: userCodeHash) && $0.state == .pending }
    }

    func save(_ authorization: PolledAuthorization) throws {
        state.polled[Key(server: authorization.server, name: authorization.hash)] = authorization
    }

    func decidedOnPhones(at now: Instant, limit: Int) throws -> [PolledAuthorization] {
        let decided = try state.polled.values.filter { waiting in
            guard waiting.state == .pending, waiting.notification != nil, let session = waiting.session else { return false }
            switch try outcome(ofPushed: session, at: waiting.server, now: now) {
            case .loggedIn(let login): return now <= waiting.goodUntil(approvedAt: login.at)
            case .denied: return now <= waiting.expiresAt + Session.claimedFor + PolledAuthorization.grace
            case .undecided, .over, nil: return false
            }
        }
        return Array(decided.prefix(limit))
    }

    func openQuestions(of client: ClientID, at server: ServerID, since: Instant) throws -> [PolledAuthorization] {
        state.polled.values.filter {
            $0.server == server && $0.client == client && $0.state == .pending && $0.session != nil && $0.expiresAt >= since
        }
    }

    func askedOnPhones(at server: ServerID, since: Instant) throws -> [PolledAuthorization] {
        state.polled.values.filter { $0.server == server && $0.state == .pending && $0.session != nil && $0.expiresAt >= since }
    }

    func backchannelRequests(of client: ClientID, for account: AccountID, since: Instant) throws -> [PolledAuthorization] {
        state.polled.values.filter { $0.client == client && $0.way == .backchannel(account) && $0.createdAt >= since }
            .sorted { $0.createdAt < $1.createdAt }
    }

    func count(_ waiting: WaitingKind, _ part: WaitingPart, at server: ServerID, since: Instant, upTo most: Int) throws -> WaitingCount {
        let all: [(server: ServerID, client: ClientID, place: String?, end: Instant)] =
            switch waiting {
            case .visits: state.pushed.values.filter { !$0.isSpent }.map { ($0.server, $0.client, $0.place, $0.expiresAt) }
            case .devices: state.polled.values.filter { $0.state == .pending }.map { ($0.server, $0.client, $0.place, $0.expiresAt) }
            }
        let ends = all.filter { one in
            guard one.server == server, let place = one.place, one.end >= since else { return false }
            return switch part {
            case .place(let name): place == name
            case .client(let id): one.client == id
            case .server: true
            }
        }.map(\.end)
        return WaitingCount(min(ends.count, most), firstEnd: ends.min())
    }

    func tries(of kind: TriedKind, from: TriedFrom) throws -> RecentTries {
        state.tries[MemoryOAuthState.TryName(kind: kind, from: from), default: RecentTries()]
    }

    func save(_ tries: RecentTries, of kind: TriedKind, from: TriedFrom, until end: Instant) throws {
        state.tries[MemoryOAuthState.TryName(kind: kind, from: from)] = tries
    }

    func person(of account: AccountID, at server: ServerID) throws -> Person? {
        try state.people.accounts[account].flatMap { $0.isUsable ? try person(account, $0, at: server) : nil }
    }

    private func person(_ id: AccountID, _ account: MemoryPeople.Account, at server: ServerID) throws -> Person {
        let profile = try account.userID.flatMap { try user($0, of: server) }?.profile
        return Person(account: id, userID: account.userID, kept: state.subjects[id], profile: profile ?? .none)
    }

    func userID(of account: AccountID, at server: ServerID) throws -> String? { state.people.accounts[account]?.userID }

    func keepSubject(of account: AccountID, at server: ServerID) throws {
        guard state.subjects[account] == nil, let known = state.people.accounts[account] else { return }
        state.subjects[account] = try person(account, known, at: server).subject
    }

    func login(of session: SessionID, at server: ServerID, now: Instant) throws -> Login? {
        guard let login = state.people.sessions[session], try person(of: login.account, at: server) != nil else { return nil }
        return login
    }

    func outcome(ofPushed session: SessionID, at server: ServerID, now: Instant) throws -> PushedOutcome? {
        if let login = try login(of: session, at: server, now: now) { return .loggedIn(login) }
        return state.people.pushed[session]
    }

    func endPushed(_ session: SessionID, of account: AccountID?, at server: ServerID, by actor: AuditActor, now: Instant) throws {
        guard state.people.sessions[session] == nil, [nil, .undecided].contains(state.people.pushed[session]) else { return }
        state.people.pushed[session] = .over
    }

    func begin(_ session: SessionID, asking request: LoginRequest, codeLife: UInt64, at server: ServerID, now: Instant) throws {
        state.people.pushed[session] = .undecided
    }

    func taker(of session: SessionID, at server: ServerID, now: Instant) throws -> SessionTaker? {
        state.people.pushed[session] == .undecided ? state.people.takers[session] ?? .nobody : nil
    }

    func account(hinted userID: String, at server: ServerID) throws -> AccountID? {
        try state.people.accounts.first { id, account in
            try account.isUsable && (account.userID == userID || person(id, account, at: server).subject == userID)
        }?.key
    }

    func appSession(webNonceHash: [UInt8], of server: ServerID, at now: Instant) throws -> AppSession? {
        state.people.appSessions[webNonceHash].flatMap { state.people.sessions[$0.session] == nil ? nil : $0 }
    }

    func spend(_ key: [UInt8], by redemption: RedemptionID, until: Instant) throws -> Bool {
        guard let former = state.spent[key] else {
            state.spent[key] = MemoryOAuthState.Spent(by: redemption, until: until)
            return true
        }
        return former.by == redemption
    }
}
