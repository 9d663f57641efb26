import Database
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import SecondFactorServer

/// An evaluation is not kept (decision 0062): what is asked again is made again, and nobody may get more of it than the first time.
@Suite("The same attempt, asked again")
struct RepeatedAttemptTests {
    private func run(_ body: @escaping @Sendable (ServerFixture, any Database) async throws -> Void) async throws {
        let database = try await openOfEngine()
        try await ServerFixture.run(on: database, ServerFixture.Setting()) { stage in try await body(stage, database) }
        try await database.close()
    }

    @Test("A97: one attempt asked forty times at once, sealed anew each time: one try, one element, the same 96 bytes for all", .onBothEngines)
    func atOnce() async throws {
        try await run { stage, database in
            let phone = try RawPhone("at once")
            try await stage.enrol(phone)
            let (question, identity) = (try phone.question(), try await stage.identity())
            let asked = try (0..<40).map { _ in try phone.ask(question, identity, at: stage.now) }
            let evaluations = try await withThrowingTaskGroup(of: SecondFactorEvaluation.self) { group in
                for asked in asked {
                    group.addTask {
                        let answer = try await stage.answer(stage.server.ticketCall(asked, sequence: 1, at: stage.now))
                        #expect(answer.status == .ok)
                        return try await stage.evaluation((answer, asked))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(evaluations.count == 40 && Set(evaluations.map(\.evaluation)).count == 1)
            #expect(evaluations.allSatisfy { $0.tries == evaluations[0].tries && $0.tries.failed == 1 })
            #expect(stage.setting.evaluator.guesses(of: phone.instance) == 1)
            #expect(try await Self.counted(in: database) == 1)
            #expect(try await stage.guess(phone, sequence: 2).tries.failed == 2)
        }
    }

    @Test("A97: a known attempt with another element is refused, before and after its proof; nothing of it is evaluated or counted", .onBothEngines)
    func otherElement() async throws {
        try await run { stage, database in
            let phone = try RawPhone("other element")
            try await stage.enrol(phone)
            let question = try phone.question()
            let first = try await stage.evaluation(try await stage.ask(phone, question, sequence: 1))
            var other = question
            other.blinded = try RawPhone.blinded()
            for sequence in UInt64(1)...3 {
                let refused = try await stage.ask(phone, other, sequence: sequence).answer
                #expect(refused.status == .refused && refused.sealed.isEmpty)
            }
            #expect(try await stage.prove(phone, question).status == .ok)
            #expect(try await stage.ask(phone, other, sequence: 2).answer.status == .refused)
            #expect(try await stage.evaluation(try await stage.ask(phone, question, sequence: 2)) == first)
            #expect(stage.setting.evaluator.guesses(of: phone.instance) == 1)
            #expect(try await Self.counted(in: database) == 1)
        }
    }

    @Test("A first PIN, asked again before and after its proof, has the same key and the same bytes; the row has no evaluation", .onBothEngines)
    func newKeys() async throws {
        try await run { stage, database in
            let phone = try RawPhone("new keys")
            let question = try phone.question(.firstSet, payload: phone.payload())
            let first = try await stage.evaluation(try await stage.ask(phone, question, sequence: 0))
            #expect(try await stage.evaluation(try await stage.ask(phone, question, sequence: 0)) == first)
            let proof = stage.server.proof(
                of: question, phone.instance, signature: phone.setProof(of: question, evaluationKey: try #require(first.evaluationKey)),
                newKey: phone.secondFactorPublicKey)
            #expect(try await stage.answer(stage.server.call(proof.bytes)).status == .ok)
            #expect(try await stage.evaluation(try await stage.ask(phone, question, sequence: 0)) == first)
            let kept = try await database.read { connection in
                try connection.query("SELECT evaluation FROM attempt").map { try $0.optionalBlob("evaluation") }
            }
            #expect(kept == [nil])
        }
    }

    @Test("What a program of before kept of an evaluation is not told any more: the same element comes, with a proof that holds", .onBothEngines)
    func keptBefore() async throws {
        try await run { stage, database in
            let phone = try RawPhone("kept before")
            try await stage.enrol(phone)
            let question = try phone.question()
            let first = try await stage.evaluation(try await stage.ask(phone, question, sequence: 1))
            let old = [UInt8](repeating: 7, count: 96)
            try await database.transaction { try $0.execute("UPDATE attempt SET evaluation = $1", [.blob(old)]) }
            #expect(try await stage.evaluation(try await stage.ask(phone, question, sequence: 1)) == first)
        }
    }

    @Test("A97: one attempt at two nodes of one database has the same bytes, whichever counted it and whichever took its proof", .onBothEngines)
    func twoNodes() async throws {
        let (database, setting) = (try await openOfEngine(), try ServerFixture.Setting())
        try await ServerFixture.run(on: database, setting) { first in
            try await ServerFixture.run(on: database, setting) { second in
                let phone = try RawPhone("two nodes")
                try await first.enrol(phone)
                let question = try phone.question()
                let told = try await first.evaluation(try await first.ask(phone, question, sequence: 1))
                #expect(try await second.evaluation(try await second.ask(phone, question, sequence: 1)) == told)
                #expect(try await second.prove(phone, question).status == .ok)
                #expect(try await first.evaluation(try await first.ask(phone, question, sequence: 2)) == told)
                #expect(setting.evaluator.guesses(of: phone.instance) == 1)
            }
        }
        try await database.close()
    }

    @Test("A97: a public key that is exchanged in a row between two asks gives two evaluations that do not tell k", .onBothEngines)
    func exchangedPublicKey() async throws {
        try await run { stage, database in
            let phone = try RawPhone("exchanged key")
            let question = try phone.question(.firstSet, payload: phone.payload())
            let first = try await stage.evaluation(try await stage.ask(phone, question, sequence: 0))
            let publicKey = try GroupElement(try #require(first.evaluationKey))
            let other = try RawPhone.blinded()
            try await database.transaction { try $0.execute("UPDATE attempt SET new_evaluation_key = $1", [.blob(other)]) }
            let second = try await stage.evaluation(try await stage.ask(phone, question, sequence: 0))
            #expect(second.evaluationKey == other && second.evaluation.prefix(32) == first.evaluation.prefix(32))
            #expect(second.evaluation.suffix(64) != first.evaluation.suffix(64))
            #expect(try Self.publicKeyOfExtracted(first.evaluation, second.evaluation) != publicKey)
        }
    }

    /// Of the scalar that is k if both proofs have one r: k = (s − s') / (c' − c).
    private static func publicKeyOfExtracted(_ first: [UInt8], _ second: [UInt8]) throws -> GroupElement {
        func scalar(_ bytes: [UInt8], _ place: Int) throws -> GroupScalar { try GroupScalar(Array(bytes[place..<place + 32])) }
        let challenges = try scalar(second, 32).subtracting(try scalar(first, 32))
        let key = try scalar(first, 64).subtracting(try scalar(second, 64)).multiplied(by: try challenges.inverted())
        return try GroupElement.generator(times: key)
    }

    /// `hi` of the one instance.
    private static func counted(in database: any Database) async throws -> Int? {
        try await database.read { try $0.one("SELECT highest FROM instance")?.int("highest") }
    }
}
