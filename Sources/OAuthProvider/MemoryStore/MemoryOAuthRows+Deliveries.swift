import Authentication
import OstiaryProtocol

extension MemoryOAuthRows {
    /// To look costs nothing here.
    func isAnyClientTold() throws -> Bool { true }

    /// Sessions in memory have no end that is written down: all is found by going over the grants.
    func logouts(dueSince since: Instant, at now: Instant, limit: Int) throws -> [LogoutNotice] { [] }

    func logouts(among count: Int, after place: GrantPlace?, at now: Instant) throws -> LogoutPart {
        let all = try untold().sorted { $0.place.precedes($1.place) }
        let part = all.drop { grant in place.map { !$0.precedes(grant.place) } ?? false }.prefix(count)
        var notices: [MemoryOAuthState.LogoutKey: LogoutNotice] = [:]
        for (grant, address) in part.map({ ($0.grant, $0.address) }) {
            let isOver = state.people.sessions[grant.session] == nil
            let key = MemoryOAuthState.LogoutKey(session: grant.session, client: grant.client)
            guard isOver || state.ended.contains(grant.id), let retry = Self.retry(of: state.logouts[key], at: now), retry.dueAt <= now else {
                continue
            }
            notices[key] = LogoutNotice(
                server: grant.server, session: grant.session, client: grant.client, subject: state.subjects[grant.holder.account], address: address,
                isOver: isOver, retry: retry)
        }
        return LogoutPart(notices: Array(notices.values), next: part.count == count ? part.last?.place : nil)
    }

    /// Grants of which clients with an address were told nothing.
    private func untold() throws -> [(grant: Grant, address: String, place: GrantPlace)] {
        try state.grants.values.compactMap { grant in
            guard !state.told.contains(grant.id), let address = try application(grant.client, of: grant.server)?.backchannelLogoutURI else {
                return nil
            }
            return (grant, address, GrantPlace(server: grant.server, client: grant.client, grant: grant.id))
        }
    }

    /// Nil when there is nothing more to do.
    private static func retry(of delivery: MemoryOAuthState.DeliveryState?, at now: Instant) -> RetrySchedule? {
        switch delivery {
        case nil: RetrySchedule(from: now)
        case .postponed(let retry): retry
        case .settled: nil
        }
    }

    func postpone(_ notice: LogoutNotice) throws {
        state.logouts[MemoryOAuthState.LogoutKey(session: notice.session, client: notice.client)] = .postponed(notice.retry)
    }

    func settle(_ notice: LogoutNotice) throws {
        let grants = state.grants.values.filter { $0.session == notice.session && $0.client == notice.client }
        state.told.formUnion(grants.map(\.id).filter { notice.isOver || state.ended.contains($0) })
        state.logouts[MemoryOAuthState.LogoutKey(session: notice.session, client: notice.client)] = nil
    }

    func duePings(at now: Instant, limit: Int) throws -> [DuePing] {
        let due = state.polled.values.compactMap { authorization -> DuePing? in
            guard authorization.state != .pending, now <= authorization.goodUntil,
                let retry = Self.retry(of: state.pings[authorization.hash], at: now), retry.dueAt <= now
            else { return nil }
            return DuePing(authorization, retry: retry)
        }
        return Array(due.inTurn().prefix(limit))
    }

    func postpone(_ ping: DuePing) throws { state.pings[ping.hash] = .postponed(ping.retry) }
    func settle(_ ping: DuePing) throws { state.pings[ping.hash] = .settled }
}

extension GrantPlace {
    fileprivate func precedes(_ other: GrantPlace) -> Bool { order.lexicographicallyPrecedes(other.order) }
    private var order: [UInt8] { server.bytes + Array(client.text.utf8) + [0] + grant.bytes }
}
