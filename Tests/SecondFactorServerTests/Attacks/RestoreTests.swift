import Database
import OstiaryProtocol
import OstiaryTesting
import SecondFactor
import Testing

@testable import SecondFactorServer

/// Attack 4: the database is put back to an older copy.
@Suite("A restored database")
struct RestoreTests {
    /// Runs one life of the server on a file.
    @discardableResult
    private func live<Value>(
        _ path: String, _ setting: ServerFixture.Setting, _ body: @escaping @Sendable (ServerFixture) async throws -> Value
    ) async throws -> Value {
        let database = try openFile(path)
        let value = try await ServerFixture.run(on: database, setting, body)
        try await database.close()
        return value
    }

    @Test("After three wrong tries and an old copy, evaluations in all stay within the tries")
    func attacker() async throws {
        let folder = try TemporaryFolder()
        let (path, backup) = (folder.file("sf.sqlite"), folder.file("backup.sqlite"))
        let setting = try ServerFixture.Setting()
        let phone = try RawPhone("restore")
        try await live(path, setting) { stage in try await stage.enrol(phone) }
        try copyDatabase(from: path, to: backup)
        try await live(path, setting) { stage async throws in
            for sequence in 1...3 as ClosedRange<UInt64> { #expect(try await stage.guess(phone, sequence: sequence).status == .ok) }
        }
        try copyDatabase(from: backup, to: path)
        try await live(path, setting) { stage in
            // The honest authentication server goes on with its own number, however often it is asked.
            var sequence: UInt64 = 4
            for _ in 0..<10 {
                let answer = try await stage.guess(phone, sequence: sequence)
                stage.clock.advance(UInt64(answer.tries.wait))
                if answer.status == .ok { sequence = max(sequence, answer.highest) + 1 }
            }
            #expect(try await stage.guess(phone, sequence: sequence).status == .blocked)
        }
        #expect(setting.evaluator.guesses(of: phone.instance) <= 5)
    }

    @Test("The newest receipt repairs the numbers, so that the honest person is not locked out")
    func honest() async throws {
        let folder = try TemporaryFolder()
        let (path, backup) = (folder.file("sf.sqlite"), folder.file("backup.sqlite"))
        let setting = try ServerFixture.Setting()
        let phone = try RawPhone("honest")
        try await live(path, setting) { stage in try await stage.enrol(phone) }
        try copyDatabase(from: path, to: backup)
        let newest = try await live(path, setting) { stage in
            var receipt: Encoded<Receipt>?
            for sequence in 1...8 as ClosedRange<UInt64> { receipt = try await stage.succeed(phone, sequence: sequence, receipt: receipt) }
            return try #require(receipt)
        }
        try copyDatabase(from: backup, to: path)
        try await live(path, setting) { stage in
            #expect(try await stage.guess(phone, sequence: 9).status == .blocked)
            let receipt = try await stage.succeed(phone, sequence: 9, receipt: newest)
            #expect(receipt.value.sequence == 9)
            #expect(try await stage.guess(phone, sequence: 10).tries.failed == 1)
        }
    }

    @Test("A14: after an old copy a biometric's receipt as the newest locks nobody out for good: the newest by PIN, beside it, lifts the rows")
    func receiptByPINBeside() async throws {
        let database = try openInMemory()
        try await ServerFixture.run(on: database, ServerFixture.Setting(policy: try Policy(lifetimeWithoutPIN: 10))) { stage in
            let phone = try RawPhone("both receipts")
            try await stage.enrol(phone)
            var byPIN = try await stage.addBiometrics(phone, sequence: 1)
            for sequence in 2...11 as ClosedRange<UInt64> { byPIN = try await stage.succeed(phone, sequence: sequence, receipt: byPIN) }
            let touched = try #require(try await stage.touch(phone, sequence: 11).receipt)
            #expect(touched.value.method == .bio && touched.value.sequence == 11)
            try await database.transaction { try $0.execute("UPDATE instance SET highest = 0, proven = 0, proven_by_pin = 0") }
            func guess(_ pinReceipt: Encoded<Receipt>?) async throws -> SecondFactorAnswer {
                let asked = try phone.ask(phone.question(), try await stage.identity(), at: stage.now)
                let ticket = stage.server.ticket(asked, sequence: 12, at: stage.now)
                let call = SecondFactorCall(
                    caller: stage.server.chain, message: ticket.bytes, sealed: asked.sealed.bytes, receipt: touched, pinReceipt: pinReceipt)
                return try await stage.answer(call.encoded)
            }
            #expect(try await guess(nil).status == .blocked)
            let lifted = try await guess(byPIN)
            #expect(lifted.status == .ok && lifted.tries.failed == 1)
        }
    }

    @Test("A number that the restored rows have used already is answered SEQ with the number to go on from")
    func behind() async throws {
        try await ServerFixture.run { stage in
            let phone = try RawPhone("behind")
            try await stage.enrol(phone)
            let receipt = try await stage.succeed(phone, sequence: 7 - 3)
            // An authentication server that was restored instead: it begins again at one.
            let answer = try await stage.guess(phone, sequence: 1, receipt: receipt)
            #expect(answer.status == .sequence && answer.highest == 4)
            #expect(try await stage.succeed(phone, sequence: answer.highest + 1).value.sequence == 5)
        }
    }
}
