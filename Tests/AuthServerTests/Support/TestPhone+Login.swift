import AuthServer
import Authentication
import OstiaryProtocol
import Testing

/// A phone with an account.
struct EnrolledPhone: Sendable {
    let phone: TestPhone
    let account: AccountID
    let enrolling: EnrollingPhone

    var servers: TwoServers { phone.servers }

    /// The same phone after it fetched the server's bundle again.
    func refreshed() async throws -> EnrolledPhone { EnrolledPhone(phone: try await phone.refreshed(), account: account, enrolling: enrolling) }

    /// L1 and L2 for a link.
    func scan(_ link: Encoded<LoginLink>, via: Via = .scan) async throws -> ShownLogin {
        let ephemeral = try TestPhone.ephemeral()
        return try await show(try phone.seal(L1(link: link, via: via, clientInfo: "Test 1.0").encoded, ephemeral), ephemeral)
    }

    /// L1 and L2 of an AppLogin.
    func openApp() async throws -> ShownLogin {
        let ephemeral = try TestPhone.ephemeral()
        return try await show(try sealedAppLogin(ephemeral), ephemeral)
    }

    func sealedAppLogin(_ ephemeral: EphemeralKey) throws -> SealedRequest {
        try phone.sealFresh(L1(appLoginOf: account, clientInfo: "Test 1.0"), ephemeral)
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

    @discardableResult
    func logInApp() async throws -> L6 { try await openApp().logInByPIN() }

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
    let ephemeral: EphemeralKey
    let screen: L2
    let sessionHash: [UInt8]

    init(owner: EnrolledPhone, _ ephemeral: EphemeralKey, requestHash: [UInt8], answer: [UInt8]) throws {
        self.owner = owner
        self.ephemeral = ephemeral
        let answer = try Encoded<L2>(decoding: answer)
        screen = answer.value
        sessionHash = Transcript.session(requestHash: requestHash, shownHash: answer.shownHash, account: owner.account)
    }

    func attempt(epoch: UInt32 = 1) throws -> TestAttempt {
        try TestAttempt(sessionHash, account: owner.account, ephemeral: ephemeral, epoch: epoch, about: (screen.sessionID, screen.offer))
    }

    func decision(
        _ decision: Decision = .accept, attempt: AttemptID = AttemptID(using: SystemRandomSource()), method: Methods = [], proof: [UInt8]? = nil,
        cache: [UInt8]? = nil
    ) throws -> Encoded<L5> {
        try Encoded(
            L5(
                sessionID: screen.sessionID, sessionHash: sessionHash, accountID: owner.account, attemptID: attempt, decision: decision,
                method: method,
                secondFactorSignature: proof, cache: cache, offer: screen.offer),
            signedBy: owner.phone.sign)
    }

    func send(_ message: Encoded<L5>) async throws -> L6 {
        let answer = try await owner.phone.send(message.bytes, ephemeral)
        guard answer.status == .ok else { throw answer.status }
        return try L6(decoding: answer.body)
    }

    /// M1 to L6.
    @discardableResult
    func logInByPIN(epoch: UInt32 = 1) async throws -> L6 {
        let attempt = try attempt(epoch: epoch)
        let evaluated = try await owner.phone.evaluate(attempt)
        guard evaluated.status == .ok else { throw evaluated.status }
        return try await send(try decision(attempt: attempt.id, method: .pin, proof: try owner.phone.prove(attempt)))
    }

    func logInByCache(_ cache: [UInt8]) async throws -> L6 { try await send(try decision(method: .cached, cache: cache)) }
}

extension TwoServers {
    func link(_ nonce: SessionNonce, _ style: LinkStyle = .moving) async throws -> Encoded<LoginLink> {
        try await services.sessions.loginLink(for: nonce, at: server, style: style, now: now).link
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
