import Database
import HTTPTypes
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import SecondFactorServer

/// Attack 3: the server dies at every step of an attempt, and the attacker goes on guessing.
@Suite("Crashes")
struct CrashTests {
    /// One attacker with the phone and an authentication server that helps, over as many lives of the server as it takes.
    private struct Attack {
        let setting: ServerFixture.Setting
        let phone: RawPhone
        let ground: CrashGround
        var sync = UnsyncedDatabase.Sync.everyCommit
        var lives = 0

        /// Runs `body` on the server as it comes up from what survived.
        @discardableResult
        mutating func live<Value>(
            crashAt commit: Int?, _ moment: UnsyncedDatabase.Moment = .beforeCommit, _ body: @escaping @Sendable (ServerFixture) async throws -> Value
        ) async throws -> Value {
            lives += 1
            let database = try await ground.open("life-\(lives)", sync: sync)
            let value = try await ServerFixture.run(on: database, setting) { stage in
                if let commit { database.crash(atCommit: commit, moment) }
                return try await body(stage)
            }
            if !database.hasCrashed { try database.settle() }
            try await database.close()
            return value
        }
    }

    private func begin(_ name: String, on engine: DatabaseEngine, sync: UnsyncedDatabase.Sync = .everyCommit) async throws -> Attack {
        let phone = try RawPhone(name)
        var attack = Attack(setting: try ServerFixture.Setting(), phone: phone, ground: try await CrashGround(engine))
        try await attack.live(crashAt: nil) { stage in try await stage.enrol(phone) }
        attack.sync = sync
        return attack
    }

    /// What one request ended in: the answer and the evaluation that the phone could read, or nothing when the server died.
    private struct Outcome: Sendable {
        let status: Status
        let highest: UInt64
        let wait: UInt64
        /// The 96 bytes.
        let evaluation: [UInt8]?
    }

    private static func ask(_ phone: RawPhone, _ question: RawPhone.Question, sequence: UInt64, _ stage: ServerFixture) async throws -> Outcome? {
        let asked = try phone.ask(question, try await stage.identity(), at: stage.now)
        let (status, body) = try await stage.post(stage.server.ticketCall(asked, sequence: sequence, at: stage.now))
        guard status == .ok else { return nil }
        let answer = try SecondFactorAnswer(decoding: body)
        let evaluation = answer.status == .ok ? try await stage.evaluation((answer, asked)) : nil
        return Outcome(
            status: answer.status, highest: answer.highest, wait: UInt64(answer.tries.wait),
            evaluation: evaluation?.evaluation)
    }

    /// Guesses until blocked, waiting out penalties and taking up the server's number; answers how often it got an evaluation.
    private static func guessOn(_ phone: RawPhone, from sequence: UInt64, _ stage: ServerFixture) async throws {
        var sequence = sequence
        for _ in 0..<20 {
            guard let outcome = try await ask(phone, phone.question(), sequence: sequence, stage) else { return }
            stage.clock.advance(outcome.wait)
            if outcome.status == .blocked { return }
            sequence = outcome.highest + 1
        }
        Issue.record("the attacker was never blocked")
    }

    @Test(
        "A crash at any commit of any guess: never more evaluations than tries, and the same attempt has its first outcome",
        arguments: Crash.all(1...5))
    func atEveryCommit(_ crash: Crash) async throws {
        var attack = try await begin("crash", on: crash.engine)
        let phone = attack.phone
        // Guess with one question at a time until the server dies.
        let interrupted = try await attack.live(crashAt: crash.commit, crash.moment) { stage -> (RawPhone.Question, UInt64)? in
            var sequence: UInt64 = 1
            while true {
                let question = try phone.question()
                guard let outcome = try await Self.ask(phone, question, sequence: sequence, stage) else { return (question, sequence) }
                guard outcome.status != .blocked else { return nil }
                stage.clock.advance(outcome.wait)
                sequence = outcome.highest + 1
            }
        }
        let (question, sequence) = try #require(interrupted)
        try await attack.live(crashAt: nil) { stage in
            // The phone asks again with the same attempt: what was counted before the crash is evaluated now, for the same price.
            let first = try #require(try await Self.ask(phone, question, sequence: sequence, stage))
            #expect(first.status == .ok && first.highest == sequence)
            let second = try #require(try await Self.ask(phone, question, sequence: sequence + 1, stage))
            #expect(second.evaluation == first.evaluation && second.evaluation?.count == 96 && second.highest == sequence)
            stage.clock.advance(first.wait)
            try await Self.guessOn(phone, from: sequence + 1, stage)
        }
        #expect(attack.setting.evaluator.guesses(of: phone.instance) <= 5)
    }

    @Test(
        "A crash around the proof loses no success: the same proof gives the receipt, and all tries are back",
        arguments: Crash.all(2...2))
    func aroundTheProof(_ crash: Crash) async throws {
        var attack = try await begin("proof", on: crash.engine)
        let phone = attack.phone
        let question = try phone.question()
        // One commit counts, the second takes the proof.
        try await attack.live(crashAt: crash.commit, crash.moment) { stage async throws in
            #expect(try await Self.ask(phone, question, sequence: 1, stage)?.status == .ok)
            let proof = stage.server.proof(of: question, phone.instance, signature: phone.proof(of: question))
            #expect(try await stage.post(stage.server.call(proof.bytes)).status == .internalServerError)
        }
        try await attack.live(crashAt: nil) { stage in
            let answer = try await stage.prove(phone, question)
            #expect(answer.status == .ok && answer.receipt?.value.sequence == 1)
            #expect(try await stage.prove(phone, question).receipt?.bytes == answer.receipt?.bytes)
            #expect(try await stage.guess(phone, sequence: 2).tries.failed == 1)
        }
    }

    @Test("A crash around a first PIN leaves either no instance or the one that was proved", arguments: Crash.all(1...2))
    func aroundTheFirstPIN(_ crash: Crash) async throws {
        let phone = try RawPhone("first PIN")
        var attack = Attack(setting: try ServerFixture.Setting(), phone: phone, ground: try await CrashGround(crash.engine))
        try await attack.live(crashAt: nil) { _ in }
        let question = try phone.question(.firstSet, payload: phone.payload())
        @Sendable func set(_ stage: ServerFixture) async throws -> [UInt8]? {
            let asked = try phone.ask(question, try await stage.identity(), at: stage.now)
            let (status, body) = try await stage.post(stage.server.ticketCall(asked, sequence: 0, at: stage.now))
            guard status == .ok else { return nil }
            let evaluation = try await stage.evaluation((try SecondFactorAnswer(decoding: body), asked))
            let key = try #require(evaluation.evaluationKey)
            let proof = stage.server.proof(
                of: question, phone.instance, signature: phone.setProof(of: question, evaluationKey: key),
                newKey: phone.secondFactorPublicKey)
            guard try await stage.post(stage.server.call(proof.bytes)).status == .ok else { return nil }
            return key
        }
        let interrupted = try await attack.live(crashAt: crash.commit, crash.moment, set)
        #expect(interrupted == nil)
        let repeated = try await attack.live(crashAt: nil, .beforeCommit, set)
        #expect(repeated != nil)
        try await attack.live(crashAt: nil) { stage in try await stage.succeed(phone, sequence: 1) }
    }

    @Test("On a database that loses acknowledged commits the attack succeeds: this test can see it")
    func lostCommits() async throws {
        var attack = try await begin("lost", on: .sqlite, sync: .never)
        let phone = attack.phone
        for _ in 0..<6 {
            try await attack.live(crashAt: 2, .beforeCommit) { stage in
                #expect(try await Self.ask(phone, phone.question(), sequence: 1, stage)?.status == .ok)
                // The crash: the next commit never happens, and those before it are gone.
                _ = try await Self.ask(phone, phone.question(), sequence: 2, stage)
            }
        }
        #expect(attack.setting.evaluator.guesses(of: phone.instance) > 5)
    }
}
