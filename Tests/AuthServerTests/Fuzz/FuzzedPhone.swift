import Authentication
import HTTPTypes
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

/// Phones with accounts and true keys that say what they like.
///
/// Each message is one that its phone may send at that moment, so that what is changed in it, and signed again, is looked at behind the signature.
struct FuzzedPhone: Sendable {
    /// A message on the verge of being accepted, with the ephemeral key that it goes with, and what signs it.
    struct Ready: Sendable {
        enum Signature: Sendable {
            case none
            /// By the device key at the end; with `ephPk || ts` or without.
            case end(Label, isFresh: Bool)
            /// By the device key, at the end of the Attempt of an M1.
            case attempt
        }

        let name: String
        let message: [UInt8]
        let ephemeral: EphemeralKey
        let signature: Signature
        /// Whose device key signs.
        let signer: TestPhone
    }

    /// Has a biometric, one try that was evaluated, and a change of its PIN that it may begin.
    let phone: EnrolledPhone
    /// The same, with a change of its PIN that was begun.
    let changing: EnrolledPhone
    /// The one that goes.
    let leaving: EnrolledPhone
    /// Behind the server.
    let tokens: ListeningService
    let seed: FuzzSeed

    var servers: ServersFixture { phone.servers }

    init(at servers: ServersFixture, _ seed: FuzzSeed) async throws {
        self.seed = seed
        phone = try await TestPhone(servers).enrol(try servers.nonce(), userID: "fuzz")
        changing = try await TestPhone(servers).enrol(try servers.nonce(), userID: "fuzz")
        leaving = try await TestPhone(servers).enrol(try servers.nonce(), userID: "fuzz")
        tokens = try ListeningService(giving: [1, 2, 3])
        try await tokens.stand(behind: servers)
        try await tokens.stand(behind: servers, as: .data)
        try await phone.proveByPIN(.biometricsAdd, phone.fingerKey)
    }

    /// The message changed, and mostly signed again by its device key, so that it comes past the signature.
    func mutated(_ ready: Ready, with others: [[UInt8]]) throws -> [UInt8] {
        guard !seed.chance(6) else { return seed.mutate(ready.message, with: others) }
        switch ready.signature {
        case .none: return seed.mutate(ready.message, with: others)
        case .end(let label, let isFresh):
            let unsigned = seed.mutate(Array(ready.message.dropLast(deviceSignatureCount)), with: others)
            let freshness = isFresh ? SealedRequest.freshness(ephemeral: ready.ephemeral.publicKey, at: servers.now) : []
            return unsigned + (try ready.signer.sign(signatureInput(label, freshness + unsigned)))
        case .attempt:
            // Header and account stand before the Attempt, which has 173 bytes and a signature.
            let (start, end) = (20, 193)
            var attempt = Array(ready.message[start..<end])
            for _ in 0..<seed.below(4) { attempt[seed.below(attempt.count)] = seed.bytes(1)[0] }
            attempt += try ready.signer.sign(signatureInput(.devSecondFactor, attempt))
            let rest = Array(ready.message[(end + deviceSignatureCount)...])
            return Array(ready.message[..<start]) + attempt + (seed.chance(2) ? rest : seed.mutate(rest, with: others))
        }
    }

    /// Sends it, and opens the answer, which is sealed and signed whatever it says.
    func send(_ message: [UInt8], _ ephemeral: EphemeralKey) async throws -> Status {
        let request = try phone.phone.seal(message, ephemeral)
        let answer = try await servers.post(request.bytes)
        guard answer.status == .ok else { throw UnexpectedAnswer(status: answer.status.code) }
        return try request.open(answer.body, from: phone.phone.bundle.operatorKeys, clock: servers.now).status
    }
}

/// Another HTTP status than the one that belongs to what was sent.
struct UnexpectedAnswer: Error {
    let status: Int
}
