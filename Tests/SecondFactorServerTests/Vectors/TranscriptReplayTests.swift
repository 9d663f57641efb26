import Foundation
import OstiaryProtocol
import OstiaryTesting
import SecondFactor
import Testing

@testable import SecondFactorServer

/// The calls of `Vectors/transcript` and `Vectors/calls`, answered by this server with the keys that are written there.
@Suite("Vectors/transcript at the second-factor server")
struct TranscriptReplayTests {
    private struct Transcript: Decodable {
        struct Step: Decodable {
            struct Call: Decodable {
                let call: String
                let answer: String
            }

            let name: String
            let time: UInt64
            let call: Call?
        }

        let secrets: [String: String]
        let derived: [String: String]
        let steps: [Step]

        func secret(_ name: String) throws -> [UInt8] { bytes(try #require(secrets[name])) }
    }

    private struct Call: Decodable {
        let time: UInt64
        let call: String
        let answer: String
    }

    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Vectors")

    private static func read<Content: Decodable>(_: Content.Type, _ path: String) throws -> Content {
        try JSONDecoder().decode(Content.self, from: Data(contentsOf: folder.appendingPathComponent(path)))
    }

    /// Of the server of the transcript.
    private func identity(_ transcript: Transcript) throws -> OwnIdentity {
        let chain = try ServerChain(decoding: bytes(try #require(transcript.derived["sfs.chain"])))
        return OwnIdentity(
            root: chain.root, operatorKey: try OperatorKey(seed: try transcript.secret("sfs.opSeed")),
            receiptKeys: try OperatorKeys.verify(chain, rootHash: chain.root.hash), published: [], madeAt: Instant(0), renewAt: Instant(.max),
            endsWithoutRoot: nil, prekeys: [try PrekeySecret(id: 21, secret: try transcript.secret("sfs.prekey"))])
    }

    private func service(_ transcript: Transcript) throws -> SecondFactorService {
        SecondFactorService(
            trustedRoots: [bytes(try #require(transcript.derived["as.rootHash"]))], store: InMemorySecondFactorStore(), policy: .standard,
            evaluator: GivenEvaluator(key: try OPRFKey(SecretBytes(try transcript.secret("k")))))
    }

    /// That the server says now what is written, but for what it seals with a key of its own each time.
    private func expect(
        _ call: String, isAnswered stated: String, at time: UInt64, _ service: SecondFactorService, _ identity: OwnIdentity, _ name: String
    )
        async throws
    {
        guard case .answered(let answer, _) = try await service.answer(bytes(call), with: identity, at: Instant(time)) else {
            Issue.record("\(name) was not answered")
            return
        }
        let (said, stated) = (try SecondFactorAnswer(decoding: answer), try SecondFactorAnswer(decoding: bytes(stated)))
        #expect(said.attemptID == stated.attemptID && said.status == stated.status, "\(name): \(said.status)")
        #expect(said.highest == stated.highest && said.epoch == stated.epoch && said.tries == stated.tries, "\(name): \(said)")
        #expect(said.receipt?.bytes == stated.receipt?.bytes, "\(name)")
        #expect(said.sealed.count == stated.sealed.count, "\(name)")
    }

    @Test("The tickets and proofs of the transcript are answered as it says, its receipts byte by byte; and so are the orders after it")
    func replay() async throws {
        let transcript = try Self.read(Transcript.self, "transcript/enrolment-and-login.json")
        let (identity, service) = (try identity(transcript), try service(transcript))
        for step in transcript.steps {
            guard let call = step.call else { continue }
            try await expect(call.call, isAnswered: call.answer, at: step.time, service, identity, step.name)
        }
        for name in ["probe", "reset", "leave", "close"] {
            let call = try Self.read(Call.self, "calls/\(name).json")
            try await expect(call.call, isAnswered: call.answer, at: call.time, service, identity, name)
        }
    }
}

private func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// Evaluates under the one key that a vector gives.
private struct GivenEvaluator: Evaluator {
    let key: OPRFKey

    func makeKey(for instance: InstanceID, epoch: UInt32) throws -> FreshKey {
        FreshKey(wrapped: WrappedKey([1]), publicKey: key.publicKey)
    }

    func evaluate(_ blinded: GroupElement, under _: WrappedKey, for attempt: AttemptRecord) throws -> [UInt8] {
        try key.evaluate(blinded, attempt: attempt.id)
    }
}
