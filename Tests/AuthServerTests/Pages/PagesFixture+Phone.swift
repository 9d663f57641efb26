import Authentication
import HTTPTypes
import HummingbirdTesting
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

/// What phones do, put into the store as the domain's machines would put it there, and told to whoever listens.
extension PagesFixture {
    /// An account that may log in.
    @discardableResult
    func addAccount(
        userID: String? = "alice", state: Account.State = .active, device: String = "Pixel 9", isBlocked: Bool = false,
        instance: InstanceID? = InstanceID(using: SystemRandomSource())
    ) async throws -> Account {
        let random = SystemRandomSource()
        let account = Account(
            id: AccountID(using: random), server: serverID, userID: userID, displayName: "Alice", device: device, app: "Timesheets 1.0",
            deviceKey: [4] + random.bytes(64), instance: instance, createdAt: clock.now, otpReference: 1,
            otpKey: StoredSecret(random.bytes(32)), state: state, isBlocked: isBlocked)
        try await store.write { rows in try rows.save(account) }
        return account
    }

    /// A phone shows the login to its person.
    func scan(_ nonce: String = PagesFixture.nonce) async throws {
        let session = try await session(nonce)
        events.publish(SessionNews(.scanned, topics: [.stream(try #require(session.stream))]))
    }

    /// A phone confirms a login; on a page's session its browser has come back, too.
    func logIn(_ account: Account, nonce: String = PagesFixture.nonce) async throws {
        let login = login(account)
        let isOfPage = try await session(nonce).page != nil
        let steps: [SessionEvent] = isOfPage ? [.approve(login, codeHash: SHA([1])), .comeBack(patience: 315)] : [.logIn(login)]
        try await move(nonce, [.claim(account.id, .qrDynamic)] + steps, news: .loggedIn(account.id))
    }

    /// A phone is deciding.
    func claim(_ account: Account, nonce: String = PagesFixture.nonce) async throws {
        try await move(nonce, [.claim(account.id, .qrDynamic)], news: .claimed)
    }

    /// A phone confirms the login of a page, whose browser is awaited now.
    func approve(_ account: Account, by binding: Binding = .qrDynamic, nonce: String = PagesFixture.nonce) async throws -> ReturnCode {
        let session = try await session(nonce)
        let login = login(account, binding)
        let code = keyring.keys.derivation.returnCode(of: session.id, account: account.id, decision: login.decision)
        try await move(nonce, [.claim(account.id, binding), .approve(login, codeHash: code.hash)], news: .returning)
        return code
    }

    func deny(_ account: Account, notMe: Bool, nonce: String = PagesFixture.nonce) async throws {
        let denial = SessionState.Denial(account: account.id, notMe: notMe, decision: [1])
        try await move(nonce, [.claim(account.id, .qrDynamic), .deny(denial)], news: .cancelled(notMe: notMe))
    }

    /// An app that logged itself in.
    /// - Returns: its webNonce.
    func logInApp(_ account: Account) async throws -> String {
        let webNonce = Base64URL.encode(SystemRandomSource().bytes(32))
        let hash = Transcript.nonce(webNonce)
        let login = login(account)
        let session = Session(
            id: SessionID(using: SystemRandomSource()), server: serverID, nonceHash: hash, stream: nil, purpose: .app,
            request: LoginRequest(account: account.id), startedAt: clock.now, state: .loggedIn(login))
        let pointer = NoncePointer(server: serverID, hash: hash, kind: .web, session: session.id, run: 0)
        try await store.write { rows in
            try rows.save(session)
            try rows.save(pointer)
        }
        return webNonce
    }

    /// A phone claims the enrolment of the nonce. Its screen shows the code that is returned.
    func claimEnrolment(_ nonce: String = PagesFixture.nonce, device: String = "Pixel 9") async throws -> (claim: Enrolment.Claim, code: String) {
        let random = SystemRandomSource()
        let claim = Enrolment.Claim(
            deviceKey: [4] + random.bytes(64), device: device, app: "Timesheets 1.0", account: AccountID(using: random),
            serverShare: StoredSecret(random.bytes(32)), enrolHash: random.bytes(32), ephemeral: random.bytes(32))
        try await move(enrolment: nonce, .claim(claim))
        return (claim, ConfirmationCode(enrolHash: claim.enrolHash).description)
    }

    func declineEnrolment(_ nonce: String = PagesFixture.nonce, _ decision: Decision = .decline) async throws {
        try await move(enrolment: nonce, .decline(decision))
    }

    /// The phone has set its PIN and waits for its code.
    func finishEnrolment(_ claim: Enrolment.Claim, _ nonce: String = PagesFixture.nonce) async throws {
        let random = SystemRandomSource()
        let account = Account(
            id: claim.account, server: serverID, userID: "alice", displayName: "Alice", device: claim.device, app: claim.app,
            deviceKey: claim.deviceKey, instance: InstanceID(using: random), createdAt: clock.now, otpReference: 2,
            otpKey: StoredSecret(random.bytes(32)))
        try await store.write { rows in try rows.save(account) }
        try await move(enrolment: nonce, .finish(Enrolment.Finish(decision: [1], verifiedAt: clock.now)))
    }

    func session(_ nonce: String = PagesFixture.nonce) async throws -> Session {
        let (hash, server) = (Transcript.nonce(nonce), serverID)
        return try #require(try await store.read { rows in try rows.view(nonceHash: hash, of: server)?.session })
    }

    /// Changes the virtual server as its operator may.
    func update(_ change: @Sendable @escaping (inout ServerUpdate) -> Void) async throws {
        var update = ServerUpdate()
        change(&update)
        let (id, made) = (serverID, update)
        try await store.write { rows in
            var server = try #require(try rows.server(id))
            server.parameters = try made.applied(to: server.parameters)
            try rows.save(server)
        }
    }

    /// The frames of the code of a session that a page is given `second` seconds after it began.
    func frames(of session: Session, from second: UInt16) -> [[UInt8]] {
        (0...UInt16(CodeFrames.ahead)).map { ahead in
            LoginLink(
                serverTag: keyring.keys.root.tag, sessionID: session.id, issuedAt: UInt32(session.startedAt.seconds), frame: second + ahead,
                binding: .qrDynamic, qrSecret: keyring.keys.derivation.linkSecret(of: session.id)
            ).encoded
        }
    }

    private func login(_ account: Account, _ binding: Binding = .qrDynamic) -> Login {
        Login(
            account: account.id, binding: binding, at: clock.now, methods: [.pin], verifiedAt: clock.now, decision: [1],
            deadline: clock.now + 315, lastPing: clock.now, lastStamp: clock.now)
    }

    func move(_ nonce: String, _ steps: [SessionEvent], news: SessionNews.Kind) async throws {
        var session = try await session(nonce)
        for step in steps { session = try session.after(step, at: clock.now) }
        let moved = session
        try await store.write { rows in try rows.save(moved) }
        events.publish(SessionNews(news, topics: [.stream(try #require(moved.stream))]))
    }

    private func move(enrolment nonce: String, _ event: EnrolmentEvent) async throws {
        let (hash, server, now) = (Transcript.nonce(nonce), serverID, clock.now)
        let moved = try await store.write { rows in
            let moved = try #require(try rows.enrolment(nonceHash: hash, of: server)).after(event, at: now)
            try rows.save(moved)
            return moved
        }
        events.publish(SessionNews(.enrolment(moved.progress), topics: [.stream(moved.stream)]))
    }
}

extension PagesFixture {
    /// The site logs its nonce out.
    func logOut(_ nonce: String = PagesFixture.nonce) async throws {
        try await asBackend { (backend) async throws in
            #expect(try await backend.send(.post, backend.path("/sessions/logout"), nonce: nonce).status == .ok)
        }
    }
}
