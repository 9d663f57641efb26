import AuthServer
import OstiaryProtocol
import Synchronization

/// A way to the second-factor server at whose other end a test may put what it likes.
final class BentTransport: SecondFactorTransport {
    private struct State {
        var found: Result<[UInt8], SecondFactorTrouble>
        var answer: @Sendable ([UInt8]) throws -> [UInt8]
        var pause: (@Sendable () async throws -> Void)?
    }

    private let state: Mutex<State>
    let address = "http://sf.example"

    /// - Parameter right: who answers calls until a test says otherwise.
    init(_ right: SomeIdentity) {
        state = Mutex(State(found: .success(right.bytes), answer: { try right.answer(toProbe: $0) }))
    }

    func put(_ next: Result<[UInt8], SecondFactorTrouble>) { state.withLock { $0.found = next } }
    func answer(_ answer: @Sendable @escaping ([UInt8]) throws -> [UInt8]) { state.withLock { $0.answer = answer } }
    /// Runs within the next call, before it is answered.
    func pauseOnce(_ pause: @Sendable @escaping () async throws -> Void) { state.withLock { $0.pause = pause } }

    func identity() async throws -> [UInt8] { try state.withLock { $0.found }.get() }
    func call(_ bytes: [UInt8]) async throws -> [UInt8] {
        let pause = state.withLock { state in
            defer { state.pause = nil }
            return state.pause
        }
        try await pause?()
        return try state.withLock { $0.answer }(bytes)
    }
}

/// A second-factor server as far as its identity goes.
struct SomeIdentity {
    let root: RootKey
    let key: OperatorKey
    /// What `GET /sf/identity` answers.
    let bytes: [UInt8]

    init(at now: Instant) throws {
        let random = SystemRandomSource()
        root = try RootKey(seed: random.bytes(32), serverID: ServerID(using: random))
        key = try OperatorKey(seed: random.bytes(32))
        let chain = ServerChain(root: root.root, certificates: [root.certify(key, from: now - 9, until: now + 999_999)])
        let prekey = try PrekeySecret(id: 1, secret: random.bytes(32)).published(until: now + 86_400, signedBy: key)
        bytes = SecondFactorIdentity(chain: chain, prekeys: [prekey]).encoded
    }

    var hash: [UInt8] { root.root.hash }

    /// What a second-factor server answers that trusts everybody.
    func answer(toProbe call: [UInt8], status: Status = .ok, id: AttemptID? = nil) throws -> [UInt8] {
        let probe = try Encoded<Probe>(decoding: try SecondFactorCall(decoding: call).message)
        let answer = SecondFactorAnswer(attemptID: id ?? probe.answerID, status: status, highest: 0, epoch: 0, tries: .none)
        return Encoded(answer, signedBy: key).bytes
    }
}
