import Authentication
import OstiaryProtocol
import OstiaryTesting

typealias Shown = RawPhone.Shown

extension TestPhone {
    func looking(at link: Encoded<LoginLink>, via: Via = .scan) throws -> Outgoing {
        outgoing(raw.looking(at: link, via: via).encoded, try ephemeral())
    }

    /// L1 of an AppLogin.
    func openingApp(at time: Instant? = nil) throws -> Outgoing {
        try fresh(raw.openingApp(of: try present(account)), at: time)
    }

    /// L1 → L2.
    func look(at link: Encoded<LoginLink>, via: Via = .scan) async throws -> Shown { try await show(try looking(at: link, via: via)) }

    /// L1 → L2 of an AppLogin.
    func startAppLogin() async throws -> Shown { try await show(try openingApp()) }

    func show(_ message: Outgoing) async throws -> Shown {
        let sealed = try world.seal(message)
        let answer = try await world.receive(sealed.bytes)
        return Shown(ephemeral: message.ephemeral, requestHash: sealed.hash, answer: try Encoded(decoding: answer.body))
    }

    /// M1 for what was shown.
    func trying(_ shown: Shown, id: AttemptID? = nil, blinded: [UInt8]? = nil, epoch: UInt32 = 1) throws -> Try {
        let account = try present(account)
        return try attempt(
            .verify, sessionHash: shown.hash(for: account), account: account, ephemeral: shown.ephemeral, id: id, blinded: blinded, epoch: epoch,
            about: shown.question)
    }

    /// M1 → M2.
    func tryPIN(_ shown: Shown) async throws -> Tried { try await send(try trying(shown)) }

    func deciding(_ shown: Shown, _ choice: Choice) throws -> Outgoing {
        outgoing(try raw.deciding(shown, by: try present(choice.account ?? account), choice).bytes, shown.ephemeral)
    }

    /// L5 with a PIN that was evaluated.
    func accepting(_ shown: Shown, _ tried: Tried, userInput: String = "", naming key: TokenKey? = nil) throws -> Outgoing {
        try deciding(
            shown,
            Choice(
                method: .pin, attempt: tried.id, secondFactorSignature: try secondFactorSignature(tried), userInput: userInput, tokenKey: key))
    }

    func acceptingByCache(_ shown: Shown, _ cache: [UInt8]) throws -> Outgoing { try deciding(shown, Choice(method: .cached, cache: cache)) }

    func refusing(_ shown: Shown, notMe: Bool = false) throws -> Outgoing {
        try deciding(shown, Choice(decision: notMe ? .notMe : .decline))
    }

    func decide(_ message: Outgoing) async throws -> L6 { try L6(decoding: try await world.deliver(message).body) }

    /// L1 to L6 with the right PIN.
    @discardableResult
    func logIn(_ browser: String = "browser") async throws -> L6 {
        let shown = try await look(at: try await world.link(browser))
        return try await decide(try accepting(shown, try await tryPIN(shown)))
    }

    /// The same of the app itself.
    @discardableResult
    func appLogIn() async throws -> AppLogin {
        let shown = try await startAppLogin()
        let answer = try await decide(try accepting(shown, try await tryPIN(shown)))
        return AppLogin(session: shown.content.sessionID, answer: answer, webNonce: try present(answer.webNonce))
    }

    struct AppLogin: Sendable {
        let session: SessionID
        let answer: L6
        let webNonce: String
    }

    /// - Parameter shown: notices that the person was shown.
    func ping(_ session: SessionID, after shown: [DeviceNotice] = []) async throws -> PingAnswer {
        let message = Ping(sessionID: session, hold: 0, extensions: Extensions(shownNotices: shown.map(\.id)))
        return try PingAnswer(decoding: try await world.deliver(try fresh(message)).body)
    }

    func stop(_ session: SessionID, _ reason: StopReason = .user, after shown: [DeviceNotice] = []) async throws -> PingAnswer {
        let message = Stop(sessionID: session, reason: reason, extensions: Extensions(shownNotices: shown.map(\.id)))
        return try PingAnswer(decoding: try await world.deliver(try fresh(message)).body)
    }

    func deleting(_ account: AccountID) throws -> Outgoing {
        outgoing(try raw.sign(Delete(accountID: account, time: world.now)).bytes, try ephemeral())
    }
}
