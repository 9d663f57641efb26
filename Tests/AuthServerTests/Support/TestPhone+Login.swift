import AuthServer
import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

/// A phone with an account.
struct EnrolledPhone: Sendable {
    let phone: TestPhone
    let account: AccountID
    let enrolling: EnrollingPhone

    var servers: ServersFixture { phone.servers }

    /// The same phone after it fetched the server's bundle again.
    func refreshed() async throws -> EnrolledPhone { EnrolledPhone(phone: try await phone.refreshed(), account: account, enrolling: enrolling) }

    /// The same phone at another node of its servers.
    func at(_ servers: ServersFixture) async throws -> EnrolledPhone {
        EnrolledPhone(phone: try await phone.at(servers), account: account, enrolling: enrolling)
    }

    /// The same phone, whose next messages go to another node. It knows what it knew.
    func moved(to servers: ServersFixture) -> EnrolledPhone {
        EnrolledPhone(phone: phone.moved(to: servers), account: account, enrolling: enrolling)
    }

    /// L1 and L2 for a link.
    func scan(_ link: Encoded<LoginLink>, via: Via = .scan) async throws -> ShownLogin {
        let ephemeral = try TestPhone.ephemeral()
        return try await show(try phone.seal(phone.raw.looking(at: link, via: via).encoded, ephemeral), ephemeral)
    }

    /// L1 and L2 of an AppLogin.
    func openApp() async throws -> ShownLogin {
        let ephemeral = try TestPhone.ephemeral()
        return try await show(try sealedAppLogin(ephemeral), ephemeral)
    }

    func sealedAppLogin(_ ephemeral: EphemeralKey) throws -> SealedRequest {
        try phone.sealFresh(phone.raw.openingApp(of: account), ephemeral)
    }

    func show(_ request: SealedRequest, _ ephemeral: EphemeralKey) async throws -> ShownLogin {
        let answer = try await phone.send(request)
        guard answer.status == .ok else { throw answer.status }
        return try ShownLogin(owner: self, ephemeral, requestHash: request.hash, answer: answer.body)
    }

    /// The whole of a login by PIN for the session of a nonce.
    @discardableResult
    func logIn(_ nonce: SessionNonce, style: LinkStyle = .moving) async throws -> L6 {
        try await scan(try await servers.link(nonce, style), via: style == .tapped ? .link : .scan).logInByPIN()
    }

    /// - Parameter key: what it names for tokens.
    @discardableResult
    func logInApp(naming key: TokenKey? = nil) async throws -> L6 { try await openApp().logInByPIN(naming: key) }

    /// - Parameter shown: notices that the person was shown.
    func ping(_ session: SessionID, hold: UInt8 = 0, after shown: [DeviceNotice] = []) async throws -> PingAnswer {
        let answer = try await phone.sendFresh(Ping(sessionID: session, hold: hold, extensions: Extensions(shownNotices: shown.map(\.id))))
        guard answer.status == .ok else { throw answer.status }
        return try PingAnswer(decoding: answer.body)
    }

    @discardableResult
    func stop(_ session: SessionID) async throws -> PingAnswer {
        let answer = try await phone.sendFresh(Stop(sessionID: session, reason: .user))
        guard answer.status == .ok else { throw answer.status }
        return try PingAnswer(decoding: answer.body)
    }
}

/// A login on a phone's screen.
struct ShownLogin: Sendable {
    let owner: EnrolledPhone
    let shown: RawPhone.Shown

    init(owner: EnrolledPhone, _ ephemeral: EphemeralKey, requestHash: [UInt8], answer: [UInt8]) throws {
        self.owner = owner
        shown = RawPhone.Shown(ephemeral: ephemeral, requestHash: requestHash, answer: try Encoded(decoding: answer))
    }

    /// The same login, which goes on at another node.
    init(moving other: ShownLogin, to owner: EnrolledPhone) {
        self.owner = owner
        shown = other.shown
    }

    /// The same login, whose next messages go to another node.
    func moved(to servers: ServersFixture) -> ShownLogin { ShownLogin(moving: self, to: owner.moved(to: servers)) }

    var ephemeral: EphemeralKey { shown.ephemeral }
    var screen: L2 { shown.content }
    var sessionHash: [UInt8] { shown.hash(for: owner.account) }

    func attempt(epoch: UInt32 = 1) throws -> TestAttempt {
        let question = try owner.phone.raw.question(sessionHash: sessionHash, epoch: epoch)
        return TestAttempt(question, account: owner.account, ephemeral: ephemeral, about: shown.question)
    }

    func decision(
        _ decision: Decision = .accept, attempt: AttemptID? = nil, method: Methods = [], proof: [UInt8]? = nil, cache: [UInt8]? = nil,
        naming key: TokenKey? = nil
    ) throws -> Encoded<L5> {
        let choice = RawPhone.Choice(
            decision: decision, method: method, attempt: attempt, secondFactorSignature: proof, cache: cache, tokenKey: key)
        return try owner.phone.raw.deciding(shown, by: owner.account, choice)
    }

    func send(_ message: Encoded<L5>) async throws -> L6 {
        let answer = try await owner.phone.send(message.bytes, ephemeral)
        guard answer.status == .ok else { throw answer.status }
        return try L6(decoding: answer.body)
    }

    /// M1 to L6.
    @discardableResult
    func logInByPIN(epoch: UInt32 = 1, naming key: TokenKey? = nil) async throws -> L6 {
        let attempt = try attempt(epoch: epoch)
        let evaluated = try await owner.phone.evaluate(attempt)
        guard evaluated.status == .ok else { throw evaluated.status }
        return try await send(try decision(attempt: attempt.id, method: .pin, proof: try owner.phone.prove(attempt), naming: key))
    }

    func logInByCache(_ cache: [UInt8]) async throws -> L6 { try await send(try decision(method: .cached, cache: cache)) }
}

extension ServersFixture {
    func link(_ nonce: SessionNonce, _ style: LinkStyle = .moving) async throws -> Encoded<LoginLink> {
        try await services.sessions.loginLink(for: nonce, at: server, style: style, by: .backend, now: now).link
    }

    /// Runs `body`, which must be refused, and answers the status.
    func refusal(of body: () async throws -> some Any) async -> Status? {
        do {
            _ = try await body()
            return nil
        } catch let status as Status {
            return status
        } catch {
            return nil
        }
    }
}
