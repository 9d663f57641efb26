import Database
import Foundation
import HTTPService
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import SecondFactor
import Testing

@testable import SecondFactorServer

@Suite("Calls of an authentication server")
struct CallTests {
    @Test("A first PIN, a login and a second device key: each proof gets a receipt that verifies")
    func walkthrough() async throws {
        try await ServerFixture.run { stage in
            let phone = try RawPhone("walk")
            let first = try await stage.enrol(phone)
            try first.verify(with: try await stage.identity().keys, at: stage.now)
            #expect(first.value.sequence == 0 && first.value.context == .firstSet)
            #expect(first.value.secondFactorKey == phone.secondFactorPublicKey)

            let login = try await stage.succeed(phone, sequence: 1, receipt: first)
            #expect(login.value.sequence == 1 && login.value.method == .pin)

            let newcomer = try RawPhone("another account of the same app")
            let question = try phone.question(.enrol, payload: phone.payload(joining: newcomer.publicKey))
            #expect(try await stage.ask(phone, question, sequence: 2).answer.status == .ok)
            #expect(try await stage.prove(phone, question).status == .ok)
            // The new device key now proves attempts of the instance.
            let twin = phone.with(deviceKeyOf: newcomer)
            #expect(try await stage.guess(twin, sequence: 3).status == .ok)
        }
    }

    @Test("The evaluation opens with the phone's own key, and its proof holds under the pinned key")
    func evaluationIsVerifiable() async throws {
        try await ServerFixture.run { stage in
            let phone = try RawPhone("verifiable")
            let set = try phone.question(.firstSet, payload: phone.payload())
            let reply = try await stage.ask(phone, set, sequence: 0)
            let evaluation = try await stage.evaluation(reply)
            let key = try GroupElement(try #require(evaluation.evaluationKey))
            try VOPRF.verifyProof(
                try VOPRF.Proof(Array(evaluation.evaluation.dropFirst(32))), publicKey: key, blinded: [try GroupElement(set.blinded)],
                evaluated: [try GroupElement(Array(evaluation.evaluation.prefix(32)))])
            #expect(reply.answer.highest == 0)
        }
    }

    @Test("S4-57, S4-58, S4-59, S4-61, S4-64: the answers tell tries, penalty and block, and a try in a penalty costs nothing")
    func triesAreTold() async throws {
        try await ServerFixture.run { stage in
            let phone = try RawPhone("tries")
            try await stage.enrol(phone)
            var told: [Tries] = []
            for sequence in 1...5 as ClosedRange<UInt64> {
                let answer = try await stage.guess(phone, sequence: sequence)
                #expect(answer.status == .ok)
                told.append(answer.tries)
                if answer.tries.wait > 10 {
                    stage.clock.advance(10)
                    let early = try await stage.guess(phone, sequence: sequence + 1)
                    #expect(early.status == .penalised)
                    #expect(early.tries == Tries(failed: answer.tries.failed, most: 5, wait: answer.tries.wait - 10, withoutPINLeft: Tries.unlimited))
                    #expect(early.sealed.isEmpty)
                }
                stage.clock.advance(UInt64(answer.tries.wait))
            }
            #expect(told.map(\.failed) == [1, 2, 3, 4, 5])
            #expect(told.map(\.wait) == [0, 0, 30, 300, 0])
            #expect(told.allSatisfy { $0.most == 5 })
            stage.clock.advance(1_000_000)
            let blocked = try await stage.guess(phone, sequence: 6)
            #expect(blocked.status == .blocked && blocked.tries.failed == 5)
            #expect(stage.setting.evaluator.guesses(of: phone.instance) == 5)
        }
    }

    @Test("The same attempt sealed again has the first outcome, free of charge, and its proof the same receipt bytes")
    func repetition() async throws {
        try await ServerFixture.run { stage in
            let phone = try RawPhone("again")
            try await stage.enrol(phone)
            let question = try phone.question()
            let first = try await stage.evaluation(try await stage.ask(phone, question, sequence: 1))
            stage.clock.advance(60)
            let second = try await stage.evaluation(try await stage.ask(phone, question, sequence: 2))
            #expect(first == second)
            let receipt = try await stage.prove(phone, question).receipt?.bytes
            stage.clock.advance(400)
            #expect(try await stage.prove(phone, question).receipt?.bytes == receipt)
            #expect(try await stage.ask(phone, question, sequence: 2).answer.status == .ok)
            #expect(try await stage.guess(phone, sequence: 2).tries.failed == 1)
        }
    }

    @Test("A prekey that is gone is the clocks' where the ticket is of another time, and a refusal where it is of now or forged")
    func anotherClock() async throws {
        try await ServerFixture.run { stage in
            let phone = try RawPhone("another clock")
            try await stage.enrol(phone)
            let asked = try phone.ask(try phone.question(), try await stage.identity(), at: stage.now)
            let then = stage.now
            stage.clock.advance(864_000)
            for case let work as PeriodicTask in stage.service.background { await work.round() }
            #expect(try await stage.answer(stage.server.ticketCall(asked, sequence: 1, at: then)).status == .clock)
            #expect(try await stage.answer(stage.server.ticketCall(asked, sequence: 1, at: stage.now - 120)).status == .refused)
            let ticket = stage.server.ticket(asked, sequence: 1, at: then)
            let forged = Encoded(ticket.value, signedBy: try OperatorKey(seed: [UInt8](repeating: 7, count: 32)))
            #expect(try await stage.answer(stage.server.call(forged.bytes, sealed: asked.sealed.bytes)).status == .refused)
        }
    }

    @Test("A repetition after its rows are gone is a new attempt, and it is the system that deletes them")
    func expiry() async throws {
        try await ServerFixture.run { stage in
            let phone = try RawPhone("expiry")
            try await stage.enrol(phone)
            let question = try phone.question()
            #expect(try await stage.ask(phone, question, sequence: 1).answer.status == .ok)
            stage.clock.advance(721)
            for service in stage.service.background {
                await (service as? PeriodicTask)?.round()
            }
            let again = try await stage.ask(phone, question, sequence: 2).answer
            #expect(again.status == .ok && again.highest == 2)
        }
    }

    @Test("Another virtual server neither asks, proves, resets nor closes, even with the same server id and a trusted root")
    func anotherServer() async throws {
        var setting = try ServerFixture.Setting()
        let twin = try AuthenticationServerDouble("twin", serverID: setting.server.serverID)
        let other = try AuthenticationServerDouble("other")
        setting.trusted += [twin.rootHash, other.rootHash]
        let database = try openInMemory()
        try await ServerFixture.run(on: database, setting) { stage in
            let phone = try RawPhone("property")
            try await stage.enrol(phone)
            for stranger in [twin, other] {
                let asked = try phone.ask(phone.question(), try await stage.identity(), at: stage.now)
                #expect(try await stage.answer(stranger.ticketCall(asked, sequence: 1, at: stage.now)).status == .refused)
                #expect(try await stage.answer(stranger.call(stranger.close(phone.instance, at: stage.now).bytes)).status == .refused)
                #expect(try await stage.answer(stranger.call(stranger.reset(phone.instance, at: stage.now).bytes)).status == .refused)
                // The right message in the wrong hands.
                let stolen = stage.server.close(phone.instance, at: stage.now)
                #expect(try await stage.answer(stranger.call(stolen.bytes)).status == .refused)
            }
            #expect(try await stage.guess(phone, sequence: 1).tries.failed == 1)
        }
    }

    @Test("A caller whose root is not trusted, or whose chain does not lead to it, gets 403")
    func untrusted() async throws {
        try await ServerFixture.run { stage in
            let stranger = try AuthenticationServerDouble("stranger")
            let close = stranger.close(InstanceID(using: SeededRandom("x")), at: stage.now)
            let (status, body) = try await stage.post(stranger.call(close.bytes))
            #expect(status == .forbidden && body.isEmpty)
            let forged = ServerChain(root: stage.server.root.root, certificates: stranger.chain.value.certificates)
            let call = SecondFactorCall(caller: Encoded(forged), message: close.bytes)
            #expect(try await stage.post(call.encoded).status == .forbidden)
        }
    }

    @Test("What is no call, or carries a message that nobody sends here, gets 400; a large one 413; other paths 404")
    func malformed() async throws {
        try await ServerFixture.run { stage in
            #expect(try await stage.post([]).status == .badRequest)
            #expect(try await stage.post(stage.server.call([])).status == .badRequest)
            #expect(try await stage.post(stage.server.call([1, 0x50, 1, 1])).status == .badRequest)
            #expect(try await stage.post([UInt8](repeating: 0, count: 65_537)).status == .contentTooLarge)
            try await stage.client.execute(uri: "/sf", method: .get) { #expect($0.status == .notFound) }
        }
    }

    @Test("Health: the process answers, and it is ready when its database is")
    func health() async throws {
        let database = try openInMemory()
        let setting = try ServerFixture.Setting()
        try await ServerFixture.run(on: database, setting) { stage in
            try await stage.client.execute(uri: "/live", method: .get) { #expect($0.status == .ok) }
            try await stage.client.execute(uri: "/ready?full=1", method: .get) { #expect($0.status == .ok) }
            try await database.close()
            try await stage.client.execute(uri: "/ready?full=1", method: .get) { #expect($0.status == .serviceUnavailable) }
        }
    }
}
