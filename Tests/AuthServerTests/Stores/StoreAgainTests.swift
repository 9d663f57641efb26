import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

/// Rows are put in the place of their former selves by lists of columns: one that is missing there keeps what it had, and nobody is told.
@Suite("Store: what was saved again is found, and nothing of before", .againWithLostCommits)
struct StoreAgainTests {
    private static let instance = InstanceID(Sample.bytes(0x51, 16))!
    private static let otherServer = ServerID(Sample.bytes(2, 16))!

    /// What a transaction knows of the row that it saves anew.
    private enum Former: CaseIterable {
        case unknown, looked, saved
    }

    /// Each value in turn takes the place of the one before, and is found as it was saved.
    private func saves<Value: Equatable & Sendable>(
        _ values: [Value], in store: any AuthenticationStore, by save: @Sendable @escaping (any AuthenticationRows, Value) throws -> Void,
        found: @Sendable @escaping (any AuthenticationRows) throws -> Value?
    ) async throws {
        for former in Former.allCases {
            var last = values[0]
            for (index, value) in (values + values.reversed()).enumerated() {
                let before = last
                let after = try await store.write { rows in
                    switch former {
                    case .unknown: break
                    case .looked: _ = try found(rows)
                    case .saved: try save(rows, before)
                    }
                    try save(rows, value)
                    return try found(rows)
                }
                #expect(after == value, "\(former), save \(index), in the same transaction")
                #expect(try await store.read { rows in try found(rows) } == value, "\(former), save \(index)")
                last = value
            }
        }
    }

    @Test("What a statement changes or removes without naming rows, the same transaction finds changed or removed", arguments: StoreBackend.allCases)
    func changedWithoutName(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let (open, over) = (Sample.session(3), Sample.session(4, state: .expired))
            let enrolment = Sample.enrolment(state: .open)
            try await store.write { rows in
                for session in [open, over] { try rows.save(session) }
                try rows.save(enrolment)
                try rows.save(Sample.account(1))
                try rows.save(Sample.instance)
                try rows.askAnew(at: Sample.server)
                #expect(try rows.session(open.id)?.asked == open.asked + 1)
                // The question goes on from what is in the row, not from what was.
                var used = try #require(try rows.session(open.id))
                used.state = .loggedIn(Sample.login)
                try rows.save(used)
                #expect(try rows.session(over.id) == over)
                #expect(try rows.enrolment(enrolment.id) == enrolment)
                _ = try rows.removeExpired(at: Sample.now + 9 * Retention.finishedSession, limit: 9)
                #expect(try rows.session(over.id) == nil)
                #expect(try rows.enrolment(enrolment.id) == nil)
                try rows.markDeleted(Sample.accountID(1), of: Sample.server, at: Sample.now)
                try rows.removeInstance(Sample.instanceID)
                #expect(try rows.account(Sample.accountID(1)) == nil)
                #expect(try rows.instance(Sample.instanceID) == nil)
                try rows.save(enrolment)
                try rows.save(Sample.account(1))
                try rows.save(Sample.instance)
            }
            try await store.read { rows throws in
                #expect(try rows.session(open.id)?.asked == open.asked + 1)
                #expect(try rows.enrolment(enrolment.id) == enrolment)
                #expect(try rows.account(Sample.accountID(1)) == Sample.account(1))
                #expect(try rows.instance(Sample.instanceID) == Sample.instance)
            }
        }
    }

    private static func session(_ state: SessionState) -> Session {
        var session = Session(
            id: Sample.sessionID(3), server: Sample.server, nonceHash: Sample.bytes(0x44), stream: StreamID(Sample.bytes(0x45, 16))!, purpose: .app,
            request: LoginRequest(shown: ShownContext(userAgent: "Safari"), account: Sample.accountID(2), demand: .always), asked: 8,
            startedAt: Sample.now + 7,
            page: SessionPage(cookieHash: Sample.bytes(0x46), returnURL: "https://other.example/"), state: state)
        session.report = PhoneReport(state: .gaveUp, until: Sample.now + 31)
        return session
    }

    private static let login = Login(
        account: Sample.accountID(2), binding: .push, at: Sample.now + 1, methods: [.pin, .bio], verifiedAt: Sample.now + 2,
        decision: Sample.bytes(0x47), userInput: "other", failedTries: 9, deadline: Sample.now + 400, lastPing: Sample.now + 8,
        lastStamp: Sample.now + 9, returned: Sample.tickets[2])

    @Test("A session, in whatever state it was", arguments: StoreBackend.allCases)
    func sessions(on backend: StoreBackend) async throws {
        try await backend.run { store in
            var bare = Session(
                id: Sample.sessionID(3), server: Sample.server, nonceHash: nil, stream: nil, purpose: .login, startedAt: Sample.now)
            bare.report = nil
            let denial = SessionState.Denial(account: Sample.accountID(2), notMe: false, decision: Sample.bytes(0x48))
            let states: [SessionState] = [
                .loggedIn(Self.login), .denied(denial), .stopped(Self.login, .user, at: Sample.now + 50),
                .claimed(.init(account: Sample.accountID(2), binding: .app)),
            ]
            let values = Sample.states.map { Sample.session(state: $0, page: Sample.page) } + states.map(Self.session) + [bare]
            try await saves(values, in: store, by: { try $0.save($1) }, found: { try $0.session(Sample.sessionID(3)) })
        }
    }

    @Test("When a session is over, and when it may be forgotten, is that of the last time it was saved", arguments: StoreBackend.allCases)
    func moments(on backend: StoreBackend) async throws {
        try await backend.run { store in
            var renewed = Self.login
            renewed.returned = nil
            for state in [SessionState.stopped(Sample.login, .user, at: Sample.now + 9), .loggedIn(Sample.login), .loggedIn(renewed)] {
                try await store.write { rows in try rows.save(Sample.session(state: state)) }
            }
            #expect(try await store.read { rows in try rows.overdueSessions(at: Sample.now + 350, limit: 9) }.isEmpty)
            #expect(try await store.read { rows in try rows.overdueSessions(at: Sample.now + 401, limit: 9) }.count == 1)
            _ = try await store.write { rows in try rows.removeExpired(at: Sample.now + 9 * Retention.finishedSession, limit: 9) }
            #expect(try await store.read { rows in try rows.session(Sample.sessionID(3)) } != nil)
            let stopped = Sample.session(state: .stopped(renewed, .user, at: Sample.now + 9))
            try await store.write { rows in try rows.save(stopped) }
            _ = try await store.write { rows in try rows.removeExpired(at: Sample.now + 9 * Retention.finishedSession, limit: 9) }
            #expect(try await store.read { rows in try rows.session(Sample.sessionID(3)) } == nil)
        }
    }

    @Test("An account, and what it remembers of a second factor", arguments: StoreBackend.allCases)
    func accounts(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let other = Account(
                id: Sample.accountID(1), server: Sample.server, userID: nil, displayName: "B", device: "D", app: "2", deviceKey: Sample.bytes(9, 65),
                instance: Self.instance, createdAt: Sample.now + 99, otpReference: 77, otpKey: StoredSecret(Sample.bytes(0x49)))
            try await saves([Sample.account(1), other], in: store, by: { try $0.save($1) }, found: { try $0.account(Sample.accountID(1)) })
            let caches = [
                FactorCache(
                    account: other.id, hash: Sample.bytes(1), expiresAt: Sample.now, isSingleUse: true, methods: .pin, verifiedAt: Sample.now),
                FactorCache(
                    account: other.id, hash: Sample.bytes(2), expiresAt: Sample.now + 9, isSingleUse: false, methods: .bio, verifiedAt: Sample.now + 1
                ),
            ]
            try await saves(caches, in: store, by: { try $0.save($1) }, found: { try $0.cache(of: Sample.accountID(1)) })
        }
    }

    @Test("An enrolment", arguments: StoreBackend.allCases)
    func enrolments(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let claim = Enrolment.Claim(
                deviceKey: Sample.bytes(0x31, 65), device: "D", app: "2", account: Sample.accountID(2), serverShare: StoredSecret(Sample.bytes(0x32)),
                enrolHash: Sample.bytes(0x33), ephemeral: Sample.bytes(0x34))
            let finish = Enrolment.Finish(decision: Sample.bytes(0x36), verifiedAt: Sample.now + 5)
            let activation = Enrolment.Activation(at: Sample.now + 6, session: Sample.sessionID(9))
            let other = Enrolment(
                id: EnrolmentID(Sample.bytes(6, 16))!, server: Sample.server, secretHash: Sample.bytes(0x37), nonceHash: Sample.bytes(0x38),
                stream: StreamID(Sample.bytes(0x39, 16))!, userID: nil, displayName: "B", expiresAt: Sample.now + 1_200, wrongCodes: 2,
                state: .active(claim, finish, activation))
            let values = Sample.enrolmentStates.flatMap { [Sample.enrolment(state: $0), other] }
            try await saves(values, in: store, by: { try $0.save($1) }, found: { try $0.enrolment(other.id) })
        }
    }

    @Test("An instance", arguments: StoreBackend.allCases)
    func instances(on backend: StoreBackend) async throws {
        try await backend.run { store in
            var full = Sample.instance
            full.pinReceipt = Sample.receipt
            let epoch = Instance.Epoch(number: 7, serverShare: StoredSecret(Sample.bytes(0x41)), secondFactorKey: Sample.bytes(0x42))
            let bare = Instance(id: full.id, server: full.server, epochs: [epoch])
            try await saves([full, bare], in: store, by: { try $0.save($1) }, found: { try $0.instance(Sample.instanceID) })
        }
    }

    @Test("A server, and where a nonce leads", arguments: StoreBackend.allCases)
    func servers(on backend: StoreBackend) async throws {
        try await backend.run { store in
            var update = ServerUpdate()
            update.logo = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]
            update.flags = ["NO_BIOMETRICS", "STRICT_LINKS"]
            (update.pingTime, update.pinTimeout, update.pinTransTimeout, update.staticQRAge) = (0, -1, 5, 0)
            (update.appName, update.appAndroid, update.appIOS, update.appURL) = ("a", "b", "c", "d")
            (update.siteURL, update.wsURL, update.owner) = ("https://e", "f", "g")
            let plain = VirtualServer(
                id: Sample.server, publicKey: Sample.bytes(1), createdAt: Sample.now, parameters: ServerParameters(name: "Shop"))
            let other = VirtualServer(
                id: Sample.server, publicKey: Sample.bytes(2), createdAt: Sample.now + 1,
                parameters: try update.applied(to: ServerParameters(name: "Bank")))
            try await saves([plain, other], in: store, by: { try $0.save($1) }, found: { try $0.server(Sample.server) })
            let logo = try #require(other.parameters.logo)
            try await store.write { rows in try rows.save(other) }
            #expect(try await store.read { rows in try rows.logo(hash: logo.hash) } == logo)
            let hash = Sample.bytes(3)
            let pointers = [
                NoncePointer(server: Sample.server, hash: hash, kind: .chosen, session: Sample.sessionID(3), run: 5),
                NoncePointer(server: Sample.server, hash: hash, kind: .web, session: Sample.sessionID(4), run: 6),
            ]
            try await saves(pointers, in: store, by: { try $0.save($1) }, found: { try $0.pointer(nonceHash: hash, of: Sample.server) })
        }
    }

    @Test("What is asked of one server finds nothing of another", arguments: StoreBackend.allCases)
    func otherServers(on backend: StoreBackend) async throws {
        try await backend.run { store in
            try await store.write { rows in try rows.save(Sample.account(1)) }
            #expect(try await store.read { rows in try rows.accounts(ofUser: "alice", at: Self.otherServer) }.isEmpty)
            #expect(try await !store.read { rows in try rows.isTaken(otpReference: 1, at: Self.otherServer) })
            #expect(try await store.read { rows in try rows.activity(of: Self.otherServer) }.accountCount == 0)
        }
    }

    @Test("An account is told of a login only, not of a claim or of a way back", arguments: StoreBackend.allCases)
    func viewOfAClaim(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let states: [SessionState] = [
                .claimed(.init(account: Sample.accountID(1), binding: .qrStatic)), .returning(Sample.login, Sample.tickets[0]),
                .stopped(Sample.login, .user, at: Sample.now),
            ]
            for state in states {
                let session = Sample.session(state: state)
                try await store.write { rows in
                    try rows.save(Sample.account(1))
                    try rows.save(session)
                    try rows.save(NoncePointer(server: Sample.server, hash: Sample.bytes(3), kind: .chosen, session: session.id, run: 0))
                }
                let view = try await store.read { rows in try rows.view(nonceHash: Sample.bytes(3), of: Sample.server) }
                #expect(view == SessionView(session: session, account: nil))
            }
        }
    }

    @Test("Of the sessions that are heard of by one name the newest is found", arguments: StoreBackend.allCases)
    func newestOfAStream(on backend: StoreBackend) async throws {
        try await backend.run { store in
            for (byte, startedAt) in [(UInt8(3), Sample.now + 5), (4, Sample.now + 9), (5, Sample.now)] {
                try await store.write { rows in try rows.save(Sample.session(byte, startedAt: startedAt)) }
            }
            let stream = StreamID(Sample.bytes(4, 16))!
            #expect(try await store.read { rows in try rows.session(stream: stream, of: Sample.server) }?.id == Sample.sessionID(4))
            #expect(try await store.read { rows in try rows.session(stream: stream, of: Self.otherServer) } == nil)
        }
    }

    @Test(
        "Of the sessions of one name the one that is logged in is found, where another began in the same second or the clock was put back after it",
        arguments: StoreBackend.allCases)
    func loggedInOfAStream(on backend: StoreBackend) async throws {
        try await backend.run { store in
            for (byte, startedAt) in [(UInt8(4), Sample.now), (5, Sample.now + 5)] {
                let over = Sample.session(byte, state: .stopped(Sample.login, .replaced, at: Sample.now + 6), startedAt: startedAt)
                try await store.write { rows in try rows.save(over) }
            }
            try await store.write { rows in try rows.save(Sample.session(3, state: .loggedIn(Sample.login))) }
            let stream = StreamID(Sample.bytes(4, 16))!
            #expect(try await store.read { rows in try rows.session(stream: stream, of: Sample.server) }?.id == Sample.sessionID(3))
        }
    }

    @Test(
        "Sessions that answered ahead of the clock are found, and what an activation ahead of it gave is forgotten", arguments: StoreBackend.allCases)
    func aheadOfTheClock(on backend: StoreBackend) async throws {
        try await backend.run { store in
            var login = Sample.login
            login.lastPing = Sample.now + 500
            let session = Sample.session(state: .loggedIn(login))
            let account = Sample.account(1)
            let cache = FactorCache(
                account: account.id, hash: Sample.bytes(1), expiresAt: Sample.now + 561, isSingleUse: true, methods: .pin, verifiedAt: Sample.now)
            try await store.write { rows in
                try rows.save(account)
                try rows.save(session)
                try rows.save(cache)
            }
            #expect(try await store.read { rows in try rows.sessions(writtenAfter: Sample.now + 499, limit: 9) } == [session])
            #expect(try await store.read { rows in try rows.sessions(writtenAfter: Sample.now + 500, limit: 9) }.isEmpty)
            try await store.write { rows in try rows.removeCaches(verifiedAfter: Sample.now, orActivatedAfter: Sample.now + 501) }
            #expect(try await store.read { rows in try rows.cache(of: account.id) } == cache)
            try await store.write { rows in try rows.removeCaches(verifiedAfter: Sample.now, orActivatedAfter: Sample.now + 500) }
            #expect(try await store.read { rows in try rows.cache(of: account.id) } == nil)
        }
    }
}
