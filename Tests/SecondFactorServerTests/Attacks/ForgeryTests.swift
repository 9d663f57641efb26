import Database
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import SecondFactorServer

/// Attack 8 as far as this server stops it: forged receipts, and an operational key in the wrong hands.
@Suite("Forged receipts and stolen operator keys")
struct ForgeryTests {
    private func receipt(_ stage: ServerFixture, _ instance: InstanceID, server: ServerID? = nil, sequence: UInt64 = 5) -> Receipt {
        Receipt(
            serverID: server ?? stage.server.serverID, instanceID: instance, attemptID: AttemptID(using: SeededRandom("forged")),
            sessionHash: [UInt8](repeating: 1, count: 32), context: .verify, method: .pin, epoch: 1, sequence: sequence,
            secondFactorKey: [UInt8](repeating: 2, count: 32), signaturesHash: [UInt8](repeating: 3, count: 32), withoutPIN: 0,
            lastPIN: stage.now, issuedAt: stage.now)
    }

    @Test("A receipt that is not ours, not of this instance, or changed in any byte lifts no block")
    func forged() async throws {
        let database = try await openOfEngine()
        try await ServerFixture.run(on: database, ServerFixture.Setting()) { stage in
            let phone = try RawPhone("forged")
            let neighbour = try RawPhone("neighbour")
            try await stage.enrol(phone)
            try await stage.enrol(neighbour)
            let genuine = try await stage.succeed(phone, sequence: 5)
            let foreign = try await stage.succeed(neighbour, sequence: 5)
            try await database.transaction { connection in
                try connection.execute(
                    "UPDATE instance SET highest = 5, proven = 0, proven_by_pin = 0 WHERE id = $1", [.blob(phone.instance.bytes)])
            }
            let thief = try OperatorKey(seed: SeededRandom("thief").bytes(32))
            var forgeries = [
                foreign, Encoded(receipt(stage, phone.instance), signedBy: thief),
                Encoded(receipt(stage, phone.instance), signedBy: stage.server.operatorKey),
            ]
            for position in genuine.bytes.indices {
                var changed = genuine.bytes
                changed[position] ^= 0x10
                if let forgery = try? Encoded<Receipt>(decoding: changed) { forgeries.append(forgery) }
            }
            for forgery in forgeries {
                let answer = try await stage.guess(phone, sequence: 6, receipt: forgery)
                #expect(answer.status == .blocked && answer.tries.failed == 5)
            }
            #expect(try await stage.guess(phone, sequence: 6, receipt: genuine).status == .ok)
        }
    }

    @Test("Whoever holds the operator key orders any number and repeats any message, and still gets no more evaluations than tries", .onBothEngines)
    func evilServer() async throws {
        try await ServerFixture.run { stage in
            let phone = try RawPhone("evil")
            try await stage.enrol(phone)
            let random = SeededRandom("evil numbers")
            var calls: [[UInt8]] = []
            let extremes: [UInt64] = [0, 1, .max, 1 << 62, (1 << 62) - 1, 1 << 63]
            for number in 0..<150 {
                if number > 20, random.below(3) == 0 {
                    _ = try await stage.answer(calls[random.below(calls.count)])
                    continue
                }
                let sequence = random.below(10) == 0 ? extremes[random.below(extremes.count)] : UInt64(random.below(12))
                let asked = try phone.ask(phone.question(), try await stage.identity(), at: stage.now)
                let call = stage.server.ticketCall(asked, sequence: sequence, at: stage.now)
                calls.append(call)
                _ = try await stage.answer(call)
                stage.clock.advance(UInt64(random.below(60)))
            }
            #expect(stage.setting.evaluator.guesses(of: phone.instance) <= 5)
        }
    }

    @Test("An attempt that the device key did not sign is refused and burns no try")
    func withoutTheDevice() async throws {
        try await ServerFixture.run { stage in
            let phone = try RawPhone("victim")
            try await stage.enrol(phone)
            let thief = phone.with(deviceKeyOf: try RawPhone("thief"))
            for sequence in 1...6 as ClosedRange<UInt64> {
                #expect(try await stage.guess(thief, sequence: sequence).status == .secondFactorUnknown)
            }
            #expect(try await stage.guess(phone, sequence: 1).tries.failed == 1)
        }
    }
}
