import Authentication
import Crypto
import HTTPTypes
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

/// A phone with an account and true keys that says what it likes.
struct FuzzedPhone: Sendable {
    let phone: EnrolledPhone
    let seed: FuzzSeed

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
    }

    private var servers: ServersFixture { phone.servers }

    /// One of each message that a phone can send, made anew.
    func messages() async throws -> [Ready] {
        let shown = try await phone.scan(try await servers.link(try servers.nonce()))
        let enrolling = try await TestPhone(servers).scan(try await servers.invite(try servers.nonce(), userID: "eve \(seed.below(1_000))"))
        // What went before may have cost this phone its tries.
        let session = (try? await phone.logInApp())?.sessionID ?? shown.screen.sessionID
        let attempt = try shown.attempt()
        let link = try await servers.link(try servers.nonce())
        let invitation = try await servers.invite(try servers.nonce(), userID: "mallory")
        let account = phone.account
        let fresh = try TestPhone.ephemeral()
        let decision = try shown.decision(attempt: attempt.id, method: .pin, proof: try phone.phone.prove(attempt))
        let change = M3(
            accountID: account, instanceID: phone.phone.instance, attemptID: attempt.id, context: .pinChangeVerify, method: .pin, epoch: 1,
            payload: [], secondFactorSignature: try phone.phone.prove(attempt))
        let denial = E3(
            enrolHash: enrolling.enrolHash, decision: .accept, instanceID: enrolling.phone.instance, attemptID: attempt.id, context: .firstSet,
            epoch: 1, secondFactorKey: phone.phone.raw.secondFactorPublicKey, secondFactorSignature: seed.bytes(64))
        return [
            Ready(name: "L1", message: L1(link: link, via: .scan, clientInfo: "x").encoded, ephemeral: fresh, signature: .none),
            Ready(
                name: "L1 of an app", message: L1(appLoginOf: account, clientInfo: "x").encoded, ephemeral: fresh,
                signature: .end(.devApp, isFresh: true)),
            Ready(name: "E1", message: phone.phone.raw.claim(invitation).encoded, ephemeral: fresh, signature: .none),
            Ready(name: "M1", message: try phone.phone.m1(attempt).message.bytes, ephemeral: shown.ephemeral, signature: .attempt),
            Ready(name: "L5", message: decision.bytes, ephemeral: shown.ephemeral, signature: .end(.devLogin, isFresh: false)),
            Ready(name: "E3", message: denial.encoded, ephemeral: enrolling.ephemeral, signature: .end(.devEnrol, isFresh: false)),
            Ready(name: "W1", message: W1(accountID: account, hold: 0).encoded, ephemeral: fresh, signature: .end(.devWait, isFresh: true)),
            Ready(name: "M3", message: change.encoded, ephemeral: fresh, signature: .end(.devProof, isFresh: true)),
            Ready(name: "Ping", message: Ping(sessionID: session, hold: 0).encoded, ephemeral: fresh, signature: .end(.devPing, isFresh: true)),
            Ready(
                name: "Stop", message: Stop(sessionID: session, reason: .user).encoded, ephemeral: fresh,
                signature: .end(.devStop, isFresh: true)),
            Ready(
                name: "Delete", message: Delete(accountID: AccountID(using: SystemRandomSource()), time: servers.now).encoded, ephemeral: fresh,
                signature: .end(.devDelete, isFresh: false)),
        ]
    }

    /// The message changed, and mostly signed again by the device key, so that it comes past the signature.
    func mutated(_ ready: Ready, with others: [[UInt8]]) throws -> [UInt8] {
        let isSigned = !seed.chance(6)
        switch ready.signature {
        case .none: return seed.mutate(ready.message, with: others)
        case .end(let label, let isFresh):
            let unsigned = seed.mutate(Array(ready.message.dropLast(deviceSignatureCount)), with: others)
            guard isSigned else { return seed.mutate(unsigned + seed.bytes(deviceSignatureCount)) }
            let freshness = isFresh ? SealedRequest.freshness(ephemeral: ready.ephemeral.publicKey, at: servers.now) : []
            return unsigned + (try phone.phone.sign(signatureInput(label, freshness + unsigned)))
        case .attempt:
            // Header and account stand before the Attempt, which has 173 bytes and a signature.
            let (start, end) = (20, 193)
            guard isSigned else { return seed.mutate(ready.message, with: others) }
            var attempt = Array(ready.message[start..<end])
            for _ in 0...seed.below(3) { attempt[seed.below(attempt.count)] = seed.bytes(1)[0] }
            attempt += try phone.phone.sign(signatureInput(.devSecondFactor, attempt))
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
