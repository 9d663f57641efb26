import Authentication
import OstiaryProtocol

extension MemoryOAuthRows {
    func endOverflow(beside grant: Grant, keeping kept: Int, at now: Instant) throws -> Int {
        let others = state.families.values.filter { family in
            guard let other = state.grants[family.grant], other.id != grant.id, other.revokedAt == nil else { return false }
            return other.holder == grant.holder && other.client == grant.client && other.server == grant.server
        }
        let overflow = others.sorted { first, second in
            guard (first.usedAt, first.createdAt) == (second.usedAt, second.createdAt) else {
                return (first.usedAt, first.createdAt) > (second.usedAt, second.createdAt)
            }
            return first.grant.bytes.lexicographicallyPrecedes(second.grant.bytes)
        }.dropFirst(kept)
        for family in overflow { try revoke(family.grant, at: now) }
        return overflow.count
    }

    func removeOverflow(beside grant: Grant, keeping kept: Int) throws {
        let others = state.grants.values.filter {
            $0.holder == grant.holder && $0.client == grant.client && $0.api == grant.api && $0.id != grant.id && $0.revokedAt == nil
        }
        let sorted = others.sorted { first, second in
            guard first.createdAt == second.createdAt else { return first.createdAt > second.createdAt }
            return first.id.bytes.lexicographicallyPrecedes(second.id.bytes)
        }
        for other in sorted.dropFirst(kept) { state.grants[other.id] = nil }
    }

    func grants(_ selection: GivenSelection, at server: ServerID, _ part: ListPart, now: Instant) throws -> Listed<GivenGrant> {
        let all = state.grants.values.filter { includes(selection, $0.holder.account, $0.client) }.compactMap { given($0, at: server) }
            .sorted { ($0.grant.createdAt, $0.grant.id.text) < ($1.grant.createdAt, $1.grant.id.text) }
        return Listed(Array(all.dropFirst(part.offset).prefix(part.limit)), total: all.count)
    }

    func givenGrant(_ id: GrantID, at server: ServerID, now: Instant) throws -> GivenGrant? {
        state.grants[id].flatMap { given($0, at: server) }
    }

    func endGrants(_ selection: GivenSelection, at server: ServerID, now: Instant) throws -> [AccountID] {
        try end(try grants(selection, at: server, .all, now: now).elements, at: now)
    }

    func endGrant(_ id: GrantID, at server: ServerID, now: Instant) throws -> [AccountID] {
        try end(try givenGrant(id, at: server, now: now).map { [$0] } ?? [], at: now)
    }

    private func end(_ grants: [GivenGrant], at now: Instant) throws -> [AccountID] {
        for given in grants {
            try revoke(given.grant.id, at: now)
            state.ended.insert(given.grant.id)
        }
        return grants.map(\.grant.holder.account)
    }

    /// Nil for one that is none any more, or of another server.
    private func given(_ grant: Grant, at server: ServerID) -> GivenGrant? {
        guard grant.server == server, grant.revokedAt == nil, let account = state.people.accounts[grant.holder.account] else { return nil }
        if case .session(let session, let holder) = grant.holder, state.people.sessions[session]?.account != holder { return nil }
        return GivenGrant(grant: grant, userID: account.userID, usedAt: state.families[grant.id]?.usedAt)
    }

    func consents(_ selection: GivenSelection, at server: ServerID, _ part: ListPart) throws -> Listed<GivenConsent> {
        let all = selected(selection, at: server)
        return Listed(
            all.dropFirst(part.offset).prefix(part.limit).map { GivenConsent(consent: $0, userID: state.people.accounts[$0.account]?.userID) },
            total: all.count)
    }

    func removeConsents(_ selection: GivenSelection, at server: ServerID) throws -> [AccountID] {
        let gone = selected(selection, at: server)
        for consent in gone { state.consents[MemoryOAuthState.Key(server: server, name: MemoryOAuthState.ConsentName(of: consent))] = nil }
        return gone.map(\.account)
    }

    private func selected(_ selection: GivenSelection, at server: ServerID) -> [Consent] {
        state.consents.filter { $0.key.server == server && includes(selection, $0.key.name.account, $0.key.name.client) }
            .values.sorted { $0.order.lexicographicallyPrecedes($1.order) }
    }

    private func includes(_ selection: GivenSelection, _ account: AccountID, _ client: ClientID) -> Bool {
        switch selection {
        case .byAccount(let giver, let taker): account == giver && taker ?? client == client
        case .byUser(let giver, let taker): taker ?? client == client && state.people.accounts[account]?.userID == giver
        case .toClient(let taker): client == taker
        }
    }
}

extension Consent {
    fileprivate var order: [UInt8] { account.bytes + Array("\(client.text) \(api?.text ?? "")".utf8) }
}
