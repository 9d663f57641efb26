import Database
import OstiaryProtocol
import OstiaryTesting
import SecondFactor
import Testing

@testable import SecondFactorServer

/// What waits for the disk, and the one thing that does not because nobody relies on it (docs/decisions/0067): who makes another soft says so here.
@Suite("What of the second-factor server waits for the disk")
struct DurableProofTests {
    /// What one thing that was asked for has committed.
    private struct Commits: Equatable {
        var hard = 0
        var soft = 0
    }

    private static func run(
        _ body: @escaping @Sendable (ServerFixture, _ commits: @escaping @Sendable () -> Commits) async throws -> Void
    ) async throws {
        let database = CountingDatabase(try SQLiteDatabase.inMemory())
        try await ServerFixture.run(on: database, ServerFixture.Setting()) { stage in
            try await body(stage) {
                let count = database.take()
                return Commits(hard: count.commits - count.softCommits, soft: count.softCommits)
            }
        }
        try await database.close()
    }

    @Test("A try waits, right or wrong; the proof of a VERIFY by PIN does not, and the same again commits nothing")
    func verify() async throws {
        try await Self.run { stage, commits in
            let phone = try RawPhone("verify")
            try await stage.enrol(phone)
            _ = commits()
            #expect(try await stage.guess(phone, sequence: 1).status == .ok)
            #expect(commits() == Commits(hard: 1))
            let question = try phone.question()
            #expect(try await stage.ask(phone, question, sequence: 2).answer.status == .ok)
            #expect(commits() == Commits(hard: 1))
            for expected in [Commits(soft: 1), Commits()] {
                #expect(try await stage.prove(phone, question).status == .ok)
                #expect(commits() == expected)
            }
        }
    }

    @Test("PIN and biometric together count as a PIN, and wait as little")
    func together() async throws {
        try await Self.run { stage, commits in
            let phone = try RawPhone("together")
            try await stage.enrol(phone)
            try await stage.addBiometrics(phone, sequence: 1)
            let question = try phone.question()
            let reply = try await stage.ask(phone, question, sequence: 2)
            _ = commits()
            let proof = stage.server.proof(
                of: question, phone.instance, signature: phone.proof(of: question), method: [.pin, .bio],
                biometric: try phone.biometricSignature(of: reply.asked.attempt.value))
            #expect(try await stage.answer(stage.server.call(proof.bytes)).status == .ok)
            #expect(commits() == Commits(soft: 1))
        }
    }

    @Test("The proof of an older number waits: its receipt is not the newest, so no caller would bring it back")
    func late() async throws {
        try await Self.run { stage, commits in
            let phone = try RawPhone("late")
            try await stage.enrol(phone)
            try await stage.addBiometrics(phone, sequence: 1)
            let question = try phone.question()
            #expect(try await stage.ask(phone, question, sequence: 2).answer.status == .ok)
            #expect(try await stage.touch(phone, sequence: 2).status == .ok)
            _ = commits()
            #expect(try await stage.prove(phone, question).receipt?.value.sequence == 2)
            #expect(commits() == Commits(hard: 1))
        }
    }

    @Test("All other proofs wait: a first PIN, a new one and what vouches for it, a device key, biometrics that come, go, and prove on their own")
    func others() async throws {
        try await Self.run { stage, commits in
            let phone = try RawPhone("others")
            @Sendable func expectHard(_ count: Int, _ name: Comment) { #expect(commits() == Commits(hard: count), name) }
            @Sendable func prove(_ question: RawPhone.Question, _ sequence: UInt64) async throws {
                #expect(try await stage.ask(phone, question, sequence: sequence).answer.status == .ok)
                #expect(try await stage.prove(phone, question).status == .ok)
            }
            _ = commits()
            try await stage.enrol(phone)
            expectHard(2, "FIRST_SET")
            try await prove(try phone.question(.enrol, payload: phone.payload(joining: try RawPhone("joining").publicKey)), 1)
            expectHard(2, "ENROL")
            try await stage.addBiometrics(phone, sequence: 2)
            expectHard(2, "BIOMETRICS_ADD")
            #expect(try await stage.touch(phone, sequence: 2).status == .ok)
            expectHard(1, "a biometric on its own")
            try await prove(try phone.question(.biometricsRemove, payload: phone.biometricPublicKey), 3)
            expectHard(2, "BIOMETRICS_REMOVE")
            let voucher = try await stage.vouch(phone, sequence: 4)
            expectHard(2, "PIN_CHANGE_VERIFY")
            try await stage.setPIN(phone, try await stage.askForNewPIN(phone, voucher: voucher))
            expectHard(2, "PIN_CHANGE_SET")
        }
    }
}
