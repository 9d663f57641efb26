import OstiaryProtocol

// Server: talking to a server.
//
// Owns: bundles and who signed them, sealing and opening, a server's clock, tries again, and what a status means to an app. Leaves to
// others: what is said (Login/, Enrolment/, SecondFactor/, Presence/, Accounts/).
// Start reading here, then Exchange and Bundles.

/// The way to a server: which one, who signs, under which ephemeral key, and how patiently. Everything that the phone says in AP1 is said
/// here.
struct ServerLine: Sendable {
    let rootHash: [UInt8]
    /// The device key that signs; nil while no account is there to sign for.
    var keyName: String?
    /// The account that is spoken for: where the server proves that it is gone, it is removed here.
    var account: AccountID?
    /// One key for several messages that belong together; nil for a fresh one with each try.
    var ephemeral: EphemeralKey?
    /// The session that is told that the server cannot be reached.
    var session: Session.ID?
    /// Seconds for which a server that cannot be reached is tried again: none for one try, nil for as long as the configuration says.
    var patience: Double?
    /// Whether a server is asked again that says that it, or the second-factor server behind it, is not able right now.
    var waitsOutBusy = false
    /// Whether the app hears of no try that failed: whoever waits for the call hears of it once, by what comes of it.
    var isQuiet = false
    /// Seconds for one try.
    var timeout = 15.0
    /// The message bears a later time stamp than this, where a server would take one.
    var after = Instant(0)
    /// Whether it also bears a later one than those that were signed about the session.
    var isInOrder = false
}

extension ServerLine {
    /// For an account, whose key signs.
    init(
        of account: StoredAccount, ephemeral: EphemeralKey? = nil, session: Session.ID? = nil, patience: Double? = nil, waitsOutBusy: Bool = false
    ) {
        self.init(
            rootHash: account.rootHash.bytes, keyName: account.keyName, account: account.id, ephemeral: ephemeral, session: session,
            patience: patience, waitsOutBusy: waitsOutBusy)
    }
}

/// A request with its answer, whose signature was checked.
struct Exchanged: Sendable {
    let request: SealedRequest
    let answer: Answer

    var status: Status { answer.status }
}

/// What a server said that did what it was asked.
struct Reply<Content: WireStruct>: Sendable {
    let content: Encoded<Content>
    let request: SealedRequest

    var value: Content { content.value }
}

/// What became of a message that may be declined.
enum Delivered<Value> {
    case done(Value)
    /// The server said why not, and something else can be tried.
    case declined(Status)

    func map<Other>(_ transform: (Value) -> Other) -> Delivered<Other> {
        switch self {
        case .done(let value): .done(transform(value))
        case .declined(let status): .declined(status)
        }
    }
}

/// A message that its device signs together with the key and the time of its request (protocol §2, exception 2).
private protocol SignedWithRequest: DeviceSigned {}

extension L1: SignedWithRequest {}
extension M3: SignedWithRequest {}
extension W1: SignedWithRequest {}
extension Ping: SignedWithRequest {}
extension Fetch: SignedWithRequest {}
extension Verification: SignedWithRequest {}
extension Stop: SignedWithRequest {}
extension GetToken: SignedWithRequest {}
extension GetData: SignedWithRequest {}

extension ServerLine {
    /// Says something, and returns what the server has to say to it.
    /// - Parameter check: before each try: throws where nobody waits for an answer any more.
    func ask<Message: DeviceSigned, Content: WireStruct>(
        _ message: Message, for content: Content.Type, while check: () throws(OstiaryError) -> Void = {}, by engine: isolated Engine
    ) async throws(OstiaryError) -> Reply<Content> {
        try accept(try await send(message, while: check, by: engine), as: content, by: engine)
    }

    /// The same where some refusals are no errors.
    func ask<Message: DeviceSigned, Content: WireStruct>(
        _ message: Message, for content: Content.Type, while check: () throws(OstiaryError) -> Void = {}, declining isDeclined: (Status) -> Bool,
        by engine: isolated Engine
    ) async throws(OstiaryError) -> Delivered<Reply<Content>> {
        let exchanged = try await send(message, while: check, by: engine)
        return isDeclined(exchanged.status) ? .declined(exchanged.status) : .done(try accept(exchanged, as: content, by: engine))
    }

    /// Says something that needs no more than OK.
    func tell<Message: DeviceSigned>(_ message: Message, by engine: isolated Engine) async throws(OstiaryError) {
        try throwRefusal(try await send(message, by: engine), engine)
    }

    /// Sends something; any status is an answer.
    func send<Message: DeviceSigned>(
        _ message: Message, while check: () throws(OstiaryError) -> Void = {}, by engine: isolated Engine
    ) async throws(OstiaryError) -> Exchanged {
        try await send(while: check, by: engine) { (sentAt, ephemeral) throws(OstiaryError) in try signed(message, at: sentAt, ephemeral, engine) }
    }

    /// Sends what `message` makes with the time stamp and the key that the request will bear; it is made anew with each try.
    func send(
        while check: () throws(OstiaryError) -> Void = {}, by engine: isolated Engine,
        _ message: (Instant, EphemeralKey) throws(OstiaryError) -> [UInt8]
    ) async throws(OstiaryError) -> Exchanged {
        var backoff = Backoff(limit: waitsOutBusy ? 15 : 0)
        while true {
            let exchanged = try await engine.reaching(for: session, patience: patience, isQuiet: isQuiet) { () async throws(OstiaryError) in
                try check()
                return try await exchange(engine, message)
            }
            guard exchanged.status == .busy || exchanged.status == .secondFactorUnavailable, let delay = backoff.delay() else { return exchanged }
            await engine.ports.clock.sleep(seconds: delay)
            try engine.checkNotAborted()
        }
    }

    /// What an answer says that says OK; throws what any other means, and removes an account that the server proves to be gone.
    func accept<Content: WireStruct>(
        _ exchanged: Exchanged, as content: Content.Type, by engine: isolated Engine
    ) throws(OstiaryError) -> Reply<Content> {
        try throwRefusal(exchanged, engine)
        guard let content = try? Encoded<Content>(decoding: exchanged.answer.body) else { throw .serverAnswer }
        return Reply(content: content, request: exchanged.request)
    }

    /// The message bears a later time stamp. Asked for right before it is made: another about the same session may have gone out meanwhile.
    func lastStamp(_ engine: isolated Engine) -> Instant {
        guard isInOrder, let session, let stamp = engine.session(session)?.stamps.last else { return after }
        return max(after, stamp)
    }

    func changeStamps(_ engine: isolated Engine, _ body: (inout SessionStamps) -> Void) {
        guard isInOrder, let session else { return }
        engine.change(session) { body(&$0.stamps) }
    }

    private func throwRefusal(_ exchanged: Exchanged, _ engine: isolated Engine) throws(OstiaryError) {
        switch exchanged.status {
        case .ok: return
        case .accountDeleted:
            try engine.removeProvenGone(account, proof: exchanged.answer.body, at: rootHash)
            throw .accountDeleted
        case let status: throw OstiaryError(status)
        }
    }

    private func signed<Message: DeviceSigned>(
        _ message: Message, at sentAt: Instant, _ ephemeral: EphemeralKey, _ engine: isolated Engine
    ) throws(OstiaryError) -> [UInt8] {
        guard let keyName else { return message.encoded }
        let freshness = message is any SignedWithRequest ? SealedRequest.freshness(ephemeral: ephemeral.publicKey, at: sentAt) : []
        return try engine.sign(message, with: keyName, freshness: freshness).bytes
    }
}
