import Database
import Foundation
import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import OstiaryProgram
import OstiaryProtocol
import OstiaryTesting
import SecondFactor
import Synchronization
import Testing

@testable import OstiaryPhone
@testable import SecondFactorServer

/// A second-factor server over HTTP, on a port that the system chose. Behind it stands the true one with its rules, its database and its clock; what
/// that one answers is changed as a test has it, and signed anew with the true keys.
final class LyingSecondFactor: Sendable {
    /// What is said instead of the truth.
    typealias Lie = @Sendable (_ call: SecondFactorCall, _ truth: SecondFactorAnswer, _ own: Holdings) async throws -> SecondFactorAnswer

    /// What it has of the true server: all of it.
    struct Holdings: Sendable {
        let keys: OwnIdentity
        let database: any Database
        let evaluator: WrappedKeyEvaluator

        /// What the true server made of an attempt: the same bytes again.
        func evaluation(of attempt: Attempt, _ blinded: [UInt8]) async throws -> [UInt8] {
            let rows = try await SQLSecondFactorStore(database: database).situation(of: attempt.instanceID, attempt: attempt.attemptID)
            let pending = rows.pending?.attemptID == attempt.attemptID ? rows.pending?.evaluationKey : nil
            let key = try #require(pending ?? rows.instance?.openKeys?.evaluationKey)
            return try evaluator.evaluate(try GroupElement(blinded), under: key, for: try #require(rows.attempt))
        }
    }

    private struct State {
        var lie: Lie?
        /// Bytes of an earlier answer that are said again instead of any other.
        var recording: [UInt8]?
        var calls: [SecondFactorCall] = []
        var answers: [[UInt8]] = []
    }

    let port: Int
    private let truth: any TestClientProtocol
    private let keys: IdentityKeeper
    private let database: any Database
    private let evaluator: WrappedKeyEvaluator
    private let state: SharedState

    /// Of the listener's router as well, which is there before the port is known.
    private final class SharedState: Sendable {
        let state = Mutex(State())
    }

    private init(
        port: Int, truth: any TestClientProtocol, keys: IdentityKeeper, database: any Database, evaluator: WrappedKeyEvaluator, state: SharedState
    ) {
        self.port = port
        self.truth = truth
        self.keys = keys
        self.database = database
        self.evaluator = evaluator
        self.state = state
    }

    var address: String { "http://127.0.0.1:\(port)" }

    func say(_ lie: @escaping Lie) { state.state.withLock { $0.lie = lie } }
    func sayAgain(_ answer: [UInt8]) { state.state.withLock { $0.recording = answer } }

    func sayTheTruth() {
        state.state.withLock { state in
            state.lie = nil
            state.recording = nil
        }
    }

    /// Messages that came, of one type.
    func heard<Message: WireStruct>(_: Message.Type) -> [Message] {
        state.state.withLock(\.calls).compactMap { try? Message(decoding: $0.message) }
    }

    /// What was said last.
    var lastAnswer: [UInt8]? { state.state.withLock(\.answers.last) }

    /// Opens it in the place of the second-factor server of `pair`, which is not started.
    static func open(for pair: ProcessesFixture, _ body: @Sendable @escaping (LyingSecondFactor) async throws -> Void) async throws {
        let data = pair.layout.secondFactorData
        let key = try KeyEncryptionKey.load(from: data.appendingPathComponent("second-factor.kek").path)
        let database = try openDatabase(.sqlite(path: data.appendingPathComponent("second-factor.sqlite").path), ownership: .exclusive)
        let trusted = try #require(pair.secondFactor.launch.environment["OSTIARY_SF_TRUSTED_SERVERS"].flatMap { Base64URL.decode($0) })
        let logger = Logger.service("liar", level: .critical)
        let service = try await SecondFactorNode(
            settings: SecondFactorNodeSettings(trustedRoots: [trusted], policy: try Policy(maxAttempts: 5, penalties: [0, 0, 0, 0])),
            database: database, keyEncryptionKey: key, logger: logger, readinessLimit: .patientReadiness, clock: { .now })
        let keys = IdentityKeeper(
            IdentityRenewal(
                store: SQLSecondFactorStore(database: database), keyEncryptionKey: key, rootSeed: nil, random: SystemRandomSource()))
        let (state, evaluator) = (SharedState(), WrappedKeyEvaluator(keyEncryptionKey: key))
        try await Application(router: service.router, logger: logger).test(.router) { truth in
            let liar = LyingSecondFactor(port: 0, truth: truth, keys: keys, database: database, evaluator: evaluator, state: state)
            let listener = Application(
                router: liar.router, configuration: .init(address: .hostname("127.0.0.1", port: 0)), logger: logger)
            try await listener.test(.live) { open in
                try await body(
                    LyingSecondFactor(
                        port: try #require(open.port), truth: truth, keys: keys, database: database, evaluator: evaluator, state: state))
            }
        }
        try await database.close()
    }

    private var router: Router<BasicRequestContext> {
        let router = Router()
        router.get("/sf/identity") { _, _ in
            try await self.truth.execute(uri: "/sf/identity", method: .get) { Self.octets(Array(buffer: $0.body)) }
        }
        router.post("/sf/call") { request, _ in
            let body = try await request.body.collect(upTo: 65_536)
            let (status, truth) = try await self.truth.execute(uri: "/sf/call", method: .post, body: body) { ($0.status, Array(buffer: $0.body)) }
            guard status == .ok else { return Response(status: status) }
            return Self.octets(try await self.answer(SecondFactorCall(decoding: Array(buffer: body)), truth))
        }
        return router
    }

    /// Probes are answered truly, so that the server counts as the right one, which it is.
    private func answer(_ call: SecondFactorCall, _ truth: [UInt8]) async throws -> [UInt8] {
        guard (try? Probe(decoding: call.message)) == nil else { return truth }
        let (lie, recording) = state.state.withLock { state in
            state.calls.append(call)
            return (state.lie, state.recording)
        }
        var said = recording ?? truth
        if let lie, recording == nil {
            let own = Holdings(keys: try await keys.identity(at: .now), database: database, evaluator: evaluator)
            said = Encoded(try await lie(call, try SecondFactorAnswer(decoding: truth), own), signedBy: own.keys.operatorKey).bytes
        }
        state.state.withLock { $0.answers.append(said) }
        return said
    }

    private static func octets(_ bytes: [UInt8]) -> Response {
        Response(status: .ok, headers: [.contentType: "application/octet-stream"], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
