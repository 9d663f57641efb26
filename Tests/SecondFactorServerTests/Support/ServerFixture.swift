import Database
import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import SecondFactor
import SecondFactorServer
import Testing

/// One second-factor server behind its router, and an authentication server that it trusts.
struct ServerFixture: Sendable {
    let service: SecondFactorNode
    let client: any TestClientProtocol
    let setting: Setting

    /// What outlives a restart of the server.
    struct Setting: Sendable {
        var clock = TestClock()
        var policy = Policy.standard
        let server: AuthenticationServerDouble
        let evaluator: CountingEvaluator
        let keyEncryptionKey = KeyEncryptionKey.random()
        var trusted: [[UInt8]]

        init(policy: Policy = .standard) throws {
            self.policy = policy
            server = try AuthenticationServerDouble("authentication server")
            evaluator = CountingEvaluator(keyEncryptionKey: keyEncryptionKey)
            trusted = [server.rootHash]
        }
    }

    var server: AuthenticationServerDouble { setting.server }
    var clock: TestClock { setting.clock }
    var now: Instant { setting.clock.now }

    /// Starts a server on a database and runs `body` against its router. The database stays open.
    static func run<Value>(
        on database: any Database, _ setting: Setting, _ body: @escaping @Sendable (ServerFixture) async throws -> Value
    ) async throws -> Value {
        let service = try await SecondFactorNode(
            SecondFactorNodeSettings(trustedRoots: setting.trusted, policy: setting.policy), over: database, key: setting.keyEncryptionKey,
            evaluator: setting.evaluator, random: SeededRandom("second-factor server"), by: setting.clock)
        let application = Application(router: service.router)
        return try await application.test(.router) { client in
            try await body(ServerFixture(service: service, client: client, setting: setting))
        }
    }

    /// The same on a database of its own, of the engine that the test runs on.
    static func run<Value>(
        policy: Policy = .standard, _ body: @escaping @Sendable (ServerFixture) async throws -> Value
    ) async throws -> Value {
        let database = try await openOfEngine()
        let value = try await run(on: database, Setting(policy: policy), body)
        try await database.close()
        return value
    }

    func identity() async throws -> PublishedIdentity {
        let bytes = try await client.execute(uri: "/sf/identity", method: .get) { response in
            #expect(response.status == .ok)
            #expect(response.headers[.contentType] == "application/octet-stream")
            return Array(buffer: response.body)
        }
        return try PublishedIdentity(bytes, hash: service.identityHash, at: now)
    }

    func post(_ body: [UInt8]) async throws -> (status: HTTPResponse.Status, body: [UInt8]) {
        try await client.execute(uri: "/sf/call", method: .post, body: ByteBuffer(bytes: body)) { response in
            (response.status, Array(buffer: response.body))
        }
    }

    /// The signed answer to a call.
    func answer(_ call: [UInt8]) async throws -> SecondFactorAnswer {
        let (status, body) = try await post(call)
        try #require(status == .ok)
        let answer = try Encoded<SecondFactorAnswer>(decoding: body)
        try answer.verify(with: try await identity().keys, at: now)
        return answer.value
    }
}

extension ServerFixture {
    /// Asks a question of a phone under a number.
    func ask(
        _ phone: RawPhone, _ question: RawPhone.Question, sequence: UInt64, receipt: Encoded<Receipt>? = nil
    ) async throws -> (answer: SecondFactorAnswer, asked: RawPhone.Asked) {
        let asked = try phone.ask(question, try await identity(), at: now)
        return (try await answer(server.ticketCall(asked, sequence: sequence, receipt: receipt, at: now)), asked)
    }

    /// What the phone reads in an answer.
    func evaluation(_ reply: (answer: SecondFactorAnswer, asked: RawPhone.Asked)) async throws -> SecondFactorEvaluation {
        let opened = try reply.asked.sealed.open(reply.answer.sealed, from: try await identity().keys, clock: now)
        return try SecondFactorEvaluation(decoding: opened.body)
    }

    /// Sets a first PIN: FIRST_SET and its proof.
    @discardableResult
    func enrol(_ phone: RawPhone) async throws -> Encoded<Receipt> {
        let question = try phone.question(.firstSet, payload: phone.payload())
        let reply = try await ask(phone, question, sequence: 0)
        try #require(reply.answer.status == .ok)
        let key = try #require(try await evaluation(reply).evaluationKey)
        let proof = server.proof(
            of: question, phone.instance, signature: phone.setProof(of: question, evaluationKey: key), newKey: phone.secondFactorPublicKey)
        let answer = try await answer(server.call(proof.bytes))
        try #require(answer.status == .ok)
        setting.evaluator.forget()
        return try #require(answer.receipt)
    }

    /// A wrong PIN: asked, never proved.
    func guess(_ phone: RawPhone, sequence: UInt64, receipt: Encoded<Receipt>? = nil) async throws -> SecondFactorAnswer {
        try await ask(phone, phone.question(), sequence: sequence, receipt: receipt).answer
    }

    /// The right PIN: asked and proved.
    @discardableResult
    func succeed(
        _ phone: RawPhone, sequence: UInt64, epoch: UInt32 = 1, receipt: Encoded<Receipt>? = nil
    ) async throws -> Encoded<Receipt> {
        let question = try phone.question(epoch: epoch)
        let reply = try await ask(phone, question, sequence: sequence, receipt: receipt)
        try #require(reply.answer.status == .ok)
        let answer = try await prove(phone, question)
        try #require(answer.status == .ok)
        return try #require(answer.receipt)
    }

    func prove(_ phone: RawPhone, _ question: RawPhone.Question) async throws -> SecondFactorAnswer {
        try await answer(server.call(server.proof(of: question, phone.instance, signature: phone.proof(of: question)).bytes))
    }
}
