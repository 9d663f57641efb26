import Database
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import SecondFactor
import Testing

@testable import SecondFactorServer

/// Attack 4: the database is put back to an older copy, of its file or of the database of PostgreSQL.
@Suite("A restored database", .onBothEngines)
struct RestoreTests {
    @Test("After three wrong tries and an old copy, evaluations in all stay within the tries")
    func attacker() async throws {
        let ground = try await RestoreGround()
        let setting = try ServerFixture.Setting()
        let phone = try RawPhone("restore")
        try await ground.live(setting) { stage in try await stage.enrol(phone) }
        try await ground.backUp()
        try await ground.live(setting) { stage async throws in
            for sequence in 1...3 as ClosedRange<UInt64> { #expect(try await stage.guess(phone, sequence: sequence).status == .ok) }
        }
        try await ground.putBack()
        try await ground.live(setting) { stage in
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
        let ground = try await RestoreGround()
        let setting = try ServerFixture.Setting()
        let phone = try RawPhone("honest")
        try await ground.live(setting) { stage in try await stage.enrol(phone) }
        try await ground.backUp()
        let newest = try await ground.live(setting) { stage in
            var receipt: Encoded<Receipt>?
            for sequence in 1...8 as ClosedRange<UInt64> { receipt = try await stage.succeed(phone, sequence: sequence, receipt: receipt) }
            return try #require(receipt)
        }
        try await ground.putBack()
        try await ground.live(setting) { stage in
            #expect(try await stage.guess(phone, sequence: 9).status == .blocked)
            let receipt = try await stage.succeed(phone, sequence: 9, receipt: newest)
            #expect(receipt.value.sequence == 9)
            #expect(try await stage.guess(phone, sequence: 10).tries.failed == 1)
        }
    }

    @Test("A14: after an old copy a biometric's receipt as the newest locks nobody out for good: the newest by PIN, beside it, lifts the rows")
    func receiptByPINBeside() async throws {
        let database = try await openOfEngine()
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

/// The database of a server, and an older copy of it that its operator has.
private actor RestoreGround {
    private let folder: TemporaryFolder
    /// Nil for files.
    private let cluster: PostgreSQLCluster?
    /// The path of a file, or the name of a database.
    private var used: String
    private var copy: String?

    init() async throws {
        folder = try TemporaryFolder()
        cluster = DatabaseEngine.current == .sqlite ? nil : try await PostgreSQLCluster.shared
        used = cluster == nil ? folder.file("sf.sqlite") : try await SchemaTemplate.secondFactor.makePostgreSQL()
    }

    deinit {
        for name in [used, copy] { if let name { cluster?.leave(name) } }
    }

    /// Runs one life of the server.
    @discardableResult
    func live<Value: Sendable>(
        _ setting: ServerFixture.Setting, _ body: @escaping @Sendable (ServerFixture) async throws -> Value
    ) async throws -> Value {
        let database: any Database = if let cluster { try await cluster.open(used) } else { try openFile(used) }
        let value = try await ServerFixture.run(on: database, setting, body)
        try await database.close()
        return value
    }

    /// Between two lives, as what follows.
    func backUp() async throws {
        guard let cluster else { return try copyDatabase(from: used, to: folder.file("backup.sqlite")) }
        copy = try await cluster.makeDatabase(like: used)
    }

    /// Everything since the copy is gone.
    func putBack() async throws {
        guard let cluster else { return try copyDatabase(from: folder.file("backup.sqlite"), to: used) }
        let copy = try #require(copy)
        cluster.leave(used)
        used = try await cluster.makeDatabase(like: copy)
    }
}
