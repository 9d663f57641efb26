import Authentication
import OstiaryProtocol

extension MemoryOAuthRows {
    func dueLogouts(at now: Instant, limit: Int) throws -> [LogoutNotice] {
        var notices: [MemoryOAuthState.LogoutKey: LogoutNotice] = [:]
        for grant in state.grants.values where !state.told.contains(grant.id) {
            let isOver = state.people.sessions[grant.session] == nil
            guard isOver || state.ended.contains(grant.id) else { continue }
            let key = MemoryOAuthState.LogoutKey(session: grant.session, client: grant.client)
            guard let address = try application(grant.client, of: grant.server)?.backchannelLogoutURI,
                let retry = Self.retry(of: state.logouts[key], at: now), retry.dueAt <= now
            else { continue }
            notices[key] = LogoutNotice(
                server: grant.server, session: grant.session, client: grant.client, subject: state.subjects[grant.holder.account], address: address,
                isOver: isOver, retry: retry)
        }
        return Array(Self.inTurn(Array(notices.values)).prefix(limit))
    }

    /// Each client's first, then each client's second, and so on.
    private static func inTurn<Notice: BackendNotice>(_ notices: [Notice]) -> [Notice] {
        let ofClients = Dictionary(grouping: notices) { ["\($0.server)", $0.client.text] }.values
        var placed: [(turn: Int, notice: Notice)] = []
        for ofOne in ofClients {
            let sorted = ofOne.sorted { $0.retry.dueAt < $1.retry.dueAt }
            for (turn, notice) in sorted.enumerated() { placed.append((turn, notice)) }
        }
        placed.sort { ($0.turn, $0.notice.retry.dueAt) < ($1.turn, $1.notice.retry.dueAt) }
        return placed.map(\.notice)
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
        return Array(Self.inTurn(due).prefix(limit))
    }

    func postpone(_ ping: DuePing) throws { state.pings[ping.hash] = .postponed(ping.retry) }
    func settle(_ ping: DuePing) throws { state.pings[ping.hash] = .settled }
}
