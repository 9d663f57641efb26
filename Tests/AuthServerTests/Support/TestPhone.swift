import HTTPTypes
import OstiaryProtocol
import OstiaryTesting
import Testing

/// A phone at two servers, with the bundle that it fetched.
struct TestPhone: Sendable {
    private(set) var servers: ServersFixture
    private(set) var bundle: VerifiedBundle
    let raw: RawPhone

    init(_ servers: ServersFixture, device: String = "Pixel 9") async throws {
        try await self.init(servers, try RawPhone(device, random: SystemRandomSource()))
    }

    /// A further device key in the app of another: the same instance, the same PIN.
    init(_ servers: ServersFixture, sharing other: TestPhone) async throws {
        try await self.init(servers, other.raw.with(deviceKeyOf: try RawPhone(other.raw.name, random: SystemRandomSource())))
    }

    private init(_ servers: ServersFixture, _ raw: RawPhone) async throws {
        self.servers = servers
        self.raw = raw
        bundle = try await servers.bundle()
    }

    /// The same phone after it fetched the server's bundle again.
    func refreshed() async throws -> TestPhone {
        var phone = self
        phone.bundle = try await servers.bundle()
        return phone
    }

    /// The same phone at another node of its servers.
    func at(_ servers: ServersFixture) async throws -> TestPhone { try await TestPhone(servers, raw) }

    /// The same phone, whose next messages go to another node. It knows what it knew.
    func moved(to servers: ServersFixture) -> TestPhone {
        var phone = self
        phone.servers = servers
        return phone
    }

    var instance: InstanceID { raw.instance }

    func sign(_ input: [UInt8]) throws -> [UInt8] { try raw.sign(input) }

    /// The authentication server as this phone knows it now.
    private func known() throws -> KnownServer {
        KnownServer(root: bundle.bundle.chain.root, prekey: try #require(bundle.prekey(at: servers.now)), keys: bundle.operatorKeys)
    }

    /// The second-factor server, by the prekey that is valid for longest.
    func knownSecondFactor() throws -> KnownServer {
        let identity = bundle.bundle.secondFactor.value
        let prekey = try #require(identity.prekeys.map(\.value).max { $0.notAfter < $1.notAfter })
        return KnownServer(root: identity.chain.root, prekey: prekey, keys: bundle.secondFactorKeys)
    }

    /// Seals a message as this phone would at the servers' time.
    func seal(_ message: [UInt8], _ ephemeral: EphemeralKey, at time: Instant? = nil) throws -> SealedRequest {
        try known().seal(message, ephemeral, at: time ?? servers.now)
    }

    /// Sends a request and opens its answer.
    func send(_ request: SealedRequest) async throws -> Answer {
        let answer = try await servers.post(request.bytes)
        try #require(answer.status == .ok)
        return try request.open(answer.body, from: bundle.operatorKeys, clock: servers.now)
    }

    func send(_ message: [UInt8], _ ephemeral: EphemeralKey) async throws -> Answer { try await send(try seal(message, ephemeral)) }

    /// Sends a message that comes with a fresh ephemeral key and signs it.
    func sendFresh<Message: DeviceSigned>(_ message: Message, at time: Instant? = nil) async throws -> Answer {
        try await send(try sealFresh(message, at: time))
    }

    func sealFresh<Message: DeviceSigned>(_ message: Message, _ ephemeral: EphemeralKey? = nil, at time: Instant? = nil) throws -> SealedRequest {
        let ephemeral = try ephemeral ?? raw.ephemeral()
        return try seal(try raw.fresh(message, ephemeral, at: time ?? servers.now).bytes, ephemeral, at: time)
    }

    static func ephemeral() throws -> EphemeralKey { try EphemeralKey(using: SystemRandomSource()) }
}

/// One try of the PIN, to be sent as often as the test likes.
struct TestAttempt: Sendable {
    let asking: RawPhone.Question
    let ephemeral: EphemeralKey
    let account: AccountID
    /// Session and offer of a login.
    let question: (session: SessionID, offer: Encoded<Offer>)?

    init(
        _ asking: RawPhone.Question, account: AccountID, ephemeral: EphemeralKey, about question: (session: SessionID, offer: Encoded<Offer>)? = nil
    ) {
        self.asking = asking
        self.ephemeral = ephemeral
        self.account = account
        self.question = question
    }

    var id: AttemptID { asking.id }
}

extension TestPhone {
    /// M1 for an attempt, sealed for both servers.
    func m1(_ attempt: TestAttempt) throws -> (message: Encoded<M1>, asked: RawPhone.Asked) {
        let asked = try raw.ask(attempt.asking, of: try knownSecondFactor(), attempt.ephemeral, at: servers.now)
        return (asked.message(for: attempt.account, about: attempt.question), asked)
    }

    /// What became of an attempt.
    struct Evaluated {
        let asked: RawPhone.Asked
        let status: Status
        let m2: M2?
        let evaluation: SecondFactorEvaluation?
    }

    func evaluate(_ attempt: TestAttempt) async throws -> Evaluated {
        let (message, asked) = try m1(attempt)
        let answer = try await send(message.bytes, attempt.ephemeral)
        guard !answer.body.isEmpty, let m2 = try? M2(decoding: answer.body) else {
            return Evaluated(asked: asked, status: answer.status, m2: nil, evaluation: nil)
        }
        guard answer.status == .ok else { return Evaluated(asked: asked, status: answer.status, m2: m2, evaluation: nil) }
        let inner = try asked.sealed.open(m2.sealed, from: bundle.secondFactorKeys, clock: servers.now)
        return Evaluated(asked: asked, status: answer.status, m2: m2, evaluation: try SecondFactorEvaluation(decoding: inner.body))
    }

    /// sfSig of a right PIN.
    func prove(_ attempt: TestAttempt) throws -> [UInt8] { raw.proof(of: attempt.asking) }
}
