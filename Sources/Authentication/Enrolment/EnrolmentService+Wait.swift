import OstiaryProtocol

extension EnrolmentService {
    /// W1: whether the account may log in by now. Answered like an L6 then, with the session of the browser and the cache for a silent AppLogin.
    package func wait(_ request: PhoneRequest) throws -> Awaited {
        let message = try decoded(W1.self, from: request)
        return Awaited(topics: [.account(message.value.accountID)], hold: message.value.hold) {
            if let reply = try await firstLook(message, request) { return .news(reply) }
            return .nothing(.failure(.accountPending)) { now in
                guard let reply = try await lookAgain(message.value.accountID, request, now: now) else { throw Refusal.accountPending }
                return reply
            }
        }
    }

    /// Nil while the code was not typed.
    private func firstLook(_ message: Encoded<W1>, _ request: PhoneRequest) async throws -> Reply? {
        let cache = random.bytes(32)
        try await request.verifyAhead(message, freshness: request.opened.freshness, in: store) { rows in
            try rows.account(message.value.accountID)?.deviceKey
        }
        return try await unlessContradicted(request) { mayEnd in
            try await store.write { rows, former in
                let account = try rows.living(message.value.accountID, at: request.server)
                try request.verify(message, by: account.deviceKey, freshness: request.opened.freshness)
                try request.spend(in: rows, again: former != nil)
                return try activated(account, request, minted: cache, mayEnd: mayEnd, in: rows)
            }
        }
    }

    /// The same after a wait.
    private func lookAgain(_ id: AccountID, _ request: PhoneRequest, now: Instant) async throws -> Reply? {
        let later = PhoneRequest(server: request.server, opened: request.opened, now: now)
        let cache = random.bytes(32)
        return try await unlessContradicted(later) { mayEnd in
            try await store.write { rows, _ in
                try activated(try rows.living(id, at: request.server), later, minted: cache, mayEnd: mayEnd, in: rows)
            }
        }
    }

    /// By a clock that is contradicted the ten minutes are not over: a phone that is told so removes the account for good.
    private func unlessContradicted(_ request: PhoneRequest, _ body: (_ mayEnd: Bool) async throws -> Reply?) async throws -> Reply? {
        try await witness.unlessContradicted(request.now, body) ?? nil
    }

    /// - Parameters:
    ///   - value: 32 fresh bytes, for the silent login.
    ///   - mayEnd: whether the ten minutes may be over by this server's clock alone.
    private func activated(
        _ account: Account, _ request: PhoneRequest, minted value: [UInt8], mayEnd: Bool, in rows: any AuthenticationRows
    ) throws -> Reply? {
        guard !account.isBlocked else { throw Refusal.accountBlocked }
        let enrolment = try rows.enrolment(account: account.id)
        switch account.state {
        case .active: break
        case .pending, .upgrading:
            if case .confirming = enrolment?.settled(at: request.now).state { return nil }
            if case .confirming = enrolment?.state, !mayEnd { throw RunOut() }
            // An account whose ten minutes are over goes now, even if nobody has looked since. A headless one stays as it was.
            guard account.state == .upgrading else { throw Refusal.accountDeleted(account.id, since: request.now) }
        }
        guard !account.isHeadless else { return Reply(L6(headless: account)) }
        var session: SessionID?
        var cache: [UInt8]?
        if case .active(_, let finish, let activation) = enrolment?.state {
            session = try activation.session.flatMap { try rows.session($0) }?.settled(at: request.now).login == nil ? nil : activation.session
            cache = try saveActivationCache(value, account, finish, activation, in: rows, at: request.now)
        }
        let parameters = try rows.existing(request.server).parameters
        return Reply(
            L6(
                result: .loggedIn, sessionID: session, pingTime: parameters.pingTime, userName: account.displayName, cache: cache,
                flags: LoginFlags.offlineCodes(parameters.offlineCodes), extensions: try rows.notices(for: account.id, after: [])))
    }

    /// One silent login within a minute of the activation, once; asked for again it is another value and the first is void.
    private func saveActivationCache(
        _ value: [UInt8], _ account: Account, _ finish: Enrolment.Finish, _ activation: Enrolment.Activation, in rows: any AuthenticationRows,
        at now: Instant
    ) throws -> [UInt8]? {
        let expiresAt = activation.at + FactorCache.activationLife
        guard account.hasActivationCache, let verifiedAt = finish.verifiedAt, now.distance(to: activation.at) <= FactorCache.activationLife
        else { return nil }
        try rows.save(
            FactorCache(
                account: account.id, hash: FactorCache.hash(of: value), expiresAt: expiresAt, isSingleUse: true, methods: .pin,
                verifiedAt: verifiedAt))
        return value
    }
}

extension L6 {
    /// The account is there, and logs nobody in: no session, no cache, no codes.
    fileprivate init(headless account: Account) {
        self.init(result: .loggedIn, sessionID: nil, pingTime: 0, userName: account.displayName, flags: LoginFlags.headless)
    }
}
