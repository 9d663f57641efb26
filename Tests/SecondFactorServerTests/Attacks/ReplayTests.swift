import Database
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import SecondFactor
import Testing

@testable import SecondFactorServer

/// Attack 9 as far as this server sees it: every captured message again, in every order.
@Suite("Replay and reorder storm")
struct ReplayTests {
    @Test("Captured calls, replayed in every order of three, have no second effect and get their first answers", .onBothEngines)
    func storm() async throws {
        let database = try await openOfEngine()
        let store = SQLSecondFactorStore(database: database)
        try await ServerFixture.run(on: database, ServerFixture.Setting()) { stage in
            let phone = try RawPhone("storm")
            let captured = try await capture(phone, stage)
            let none = AttemptID(using: SeededRandom("none"))
            let before = try await store.situation(of: phone.instance, attempt: none)
            var answers: [[UInt8]: [UInt8]] = [:]
            for order in orders(of: captured.indices) {
                for index in order {
                    let answer = try await stage.answer(captured[index])
                    // Sealing is fresh each time; what is inside and beside it must not be.
                    let told = [UInt8(answer.status.rawValue)] + (answer.receipt?.bytes ?? [])
                    #expect(answers[captured[index], default: told] == told)
                    answers[captured[index]] = told
                }
            }
            #expect(try await store.situation(of: phone.instance, attempt: none) == before)
            // The first PIN, a login, a wrong try, a second device key: each is made again, and no other is.
            #expect(stage.setting.evaluator.guesses(of: phone.instance) == 4)
        }
    }

    /// A whole story: first PIN, a login, a wrong try, a second device key, a reset. Each call as it went over the wire.
    private func capture(_ phone: RawPhone, _ stage: ServerFixture) async throws -> [[UInt8]] {
        var calls: [[UInt8]] = []
        @Sendable func keep(_ call: [UInt8]) async throws -> SecondFactorAnswer { try await stage.answer(call) }
        let identity = try await stage.identity()
        func ask(_ question: RawPhone.Question, _ sequence: UInt64) async throws -> (SecondFactorAnswer, RawPhone.Asked) {
            let asked = try phone.ask(question, identity, at: stage.now)
            calls.append(stage.server.ticketCall(asked, sequence: sequence, at: stage.now))
            return (try await keep(calls[calls.count - 1]), asked)
        }
        func send(_ message: [UInt8]) async throws {
            calls.append(stage.server.call(message))
            #expect(try await keep(calls[calls.count - 1]).status == .ok)
        }
        let set = try phone.question(.firstSet, payload: phone.payload())
        let reply = try await ask(set, 0)
        let key = try #require(try await stage.evaluation((reply.0, reply.1)).evaluationKey)
        let setProof = stage.server.proof(
            of: set, phone.instance, signature: phone.setProof(of: set, evaluationKey: key), newKey: phone.secondFactorPublicKey)
        try await send(setProof.bytes)
        stage.setting.evaluator.forget()
        let login = try phone.question()
        _ = try await ask(login, 1)
        try await send(stage.server.proof(of: login, phone.instance, signature: phone.proof(of: login)).bytes)
        _ = try await ask(phone.question(), 2)
        let enrol = try phone.question(.enrol, payload: phone.payload(joining: try RawPhone("new").publicKey))
        _ = try await ask(enrol, 3)
        try await send(stage.server.proof(of: enrol, phone.instance, signature: phone.proof(of: enrol)).bytes)
        try await send(stage.server.reset(phone.instance, at: stage.now).bytes)
        return calls
    }

    /// Every order of three different ones; of two on PostgreSQL.
    private func orders(of indices: Range<Int>) -> [[Int]] {
        let pairs = indices.flatMap { first in indices.filter { $0 != first }.map { [first, $0] } }
        guard DatabaseEngine.current == .sqlite else { return pairs }
        return pairs.flatMap { pair in indices.filter { !pair.contains($0) }.map { pair + [$0] } }
    }

    @Test("After the request window a captured ticket of a forgotten attempt is refused, whatever its number")
    func late() async throws {
        try await ServerFixture.run { stage in
            let phone = try RawPhone("late")
            try await stage.enrol(phone)
            let asked = try phone.ask(phone.question(), try await stage.identity(), at: stage.now)
            stage.clock.advance(121)
            for sequence in [1, 2, 50] as [UInt64] {
                #expect(try await stage.answer(stage.server.ticketCall(asked, sequence: sequence, at: stage.now)).status == .clock)
            }
        }
    }
}
