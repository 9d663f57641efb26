import Database
import Foundation
import OstiaryProtocol
import OstiaryTesting
import SecondFactor
import Testing

@testable import SecondFactorServer

/// Attack: the power goes just after a right PIN was answered. Its proof waited for no disk (docs/decisions/0067): of the log there is all up to the last wait,
/// which was that of the count, and of the rest what the disk had come to.
@Suite("A power cut after a right PIN")
struct PowerCutTests {
    private static let frame = 4_096 + 24

    /// A right PIN whose receipt was told, and the files as they were then.
    private struct Told: Sendable {
        let setting: ServerFixture.Setting
        let phone: RawPhone
        let question: RawPhone.Question
        let sequence: UInt64
        let receipt: Encoded<Receipt>
        let file: Data
        let log: Data
        /// So much of the log was there when the try was counted.
        let waited: Int

        /// Between two frames of what nobody has waited for, and in one.
        var cuts: [Int] { Array(stride(from: waited, through: log.count, by: PowerCutTests.frame)) + [waited + 100] }
    }

    /// Enrols, does something more, and types the right PIN.
    private static func told(
        in folder: TemporaryFolder, policy: Policy = .standard, _ prepare: @escaping @Sendable (ServerFixture, RawPhone) async throws -> UInt64
    ) async throws -> Told {
        let (phone, setting, path) = (try RawPhone("power cut"), try ServerFixture.Setting(policy: policy), folder.file("sf.sqlite"))
        let database = try openFile(path)
        let told = try await ServerFixture.run(on: database, setting) { stage in
            try await stage.enrol(phone)
            let sequence = try await prepare(stage, phone)
            let question = try phone.question()
            #expect(try await stage.ask(phone, question, sequence: sequence).answer.status == .ok)
            let counted = try bytes(path + "-wal")
            let receipt = try #require(try await stage.prove(phone, question).receipt)
            let log = try bytes(path + "-wal")
            #expect(log.count > counted.count && log.starts(with: counted))
            return Told(
                setting: setting, phone: phone, question: question, sequence: sequence, receipt: receipt, file: try bytes(path), log: log,
                waited: counted.count)
        }
        try await database.close()
        return told
    }

    private static func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    /// Runs a server on what each cut leaves.
    private static func afterEach(
        _ told: Told, in folder: TemporaryFolder, _ body: @escaping @Sendable (ServerFixture, _ isKept: Bool) async throws -> Void
    ) async throws {
        let path = folder.file("found.sqlite")
        for cut in told.cuts {
            for side in ["", "-wal", "-shm", ".lock"] { try? FileManager.default.removeItem(atPath: path + side) }
            try told.file.write(to: URL(fileURLWithPath: path))
            try told.log.prefix(cut).write(to: URL(fileURLWithPath: path + "-wal"))
            var setting = told.setting
            setting.clock = TestClock(copying: told.setting.clock)
            setting.clock.advance(1)
            setting.evaluator.forget()
            let database = try openFile(path)
            try await ServerFixture.run(on: database, setting) { stage in try await body(stage, cut == told.log.count) }
            try await database.close()
        }
    }

    /// Two wrong ones, and what the third is.
    private static let twoWrong = { @Sendable (stage: ServerFixture, phone: RawPhone) async throws -> UInt64 in
        for sequence in 1...2 as ClosedRange<UInt64> { #expect(try await stage.guess(phone, sequence: sequence).status == .ok) }
        return 3
    }

    @Test("A98 the same proof again is taken, once more where it was lost, and has a receipt of the same number; all tries are back")
    func sameProof() async throws {
        let folder = try TemporaryFolder()
        let told = try await Self.told(in: folder, Self.twoWrong)
        try await Self.afterEach(told, in: folder) { stage, isKept in
            let first = try #require(try await stage.prove(told.phone, told.question).receipt)
            #expect(first.value.sequence == 3 && (first.bytes == told.receipt.bytes) == isKept)
            #expect(try await stage.prove(told.phone, told.question).receipt?.bytes == first.bytes)
            #expect(try await stage.guess(told.phone, sequence: 4).tries.failed == 1)
        }
    }

    @Test("A98 a proof that was lost leaves tries less and never more, and its receipt gives them back; the penalty goes on")
    func receipt() async throws {
        let folder = try TemporaryFolder()
        let told = try await Self.told(in: folder, Self.twoWrong)
        try await Self.afterEach(told, in: folder) { stage, isKept in
            let penalised = try await stage.guess(told.phone, sequence: 4, receipt: told.receipt)
            #expect(penalised.status == (isKept ? .ok : .penalised))
            stage.clock.advance(UInt64(penalised.tries.wait))
            let sequence: UInt64 = isKept ? 5 : 4
            let without = try await stage.guess(told.phone, sequence: sequence)
            // All four, or those after the right one.
            #expect(without.tries.failed == (isKept ? 2 : 4))
            stage.clock.advance(UInt64(without.tries.wait))
            let with = try await stage.guess(told.phone, sequence: sequence + 1, receipt: told.receipt)
            #expect(with.status == .ok && UInt64(with.tries.failed) == sequence + 1 - 3)
        }
    }

    @Test("A98 after a proof that was lost nobody gets more evaluations than tries since it, with its receipt or without", arguments: [false, true])
    func evaluations(hasReceipt: Bool) async throws {
        let folder = try TemporaryFolder()
        let told = try await Self.told(in: folder, Self.twoWrong)
        try await Self.afterEach(told, in: folder) { stage, isKept in
            var sequence: UInt64 = 4
            for _ in 0..<16 {
                let answer = try await stage.guess(told.phone, sequence: sequence, receipt: hasReceipt ? told.receipt : nil)
                stage.clock.advance(UInt64(answer.tries.wait))
                if answer.status == .ok { sequence = answer.highest + 1 }
            }
            #expect(try await stage.guess(told.phone, sequence: sequence, receipt: hasReceipt ? told.receipt : nil).status == .blocked)
            #expect(stage.setting.evaluator.guesses(of: told.phone.instance) == (isKept || hasReceipt ? 5 : 2))
        }
    }

    @Test("A98 a PIN that was lost is no PIN for what biometrics are allowed: fewer of them, never more")
    func biometrics() async throws {
        let folder = try TemporaryFolder()
        let policy = try Policy(maxNumberWithoutPIN: 2, maxTimeWithoutPIN: 3_600)
        let told = try await Self.told(in: folder, policy: policy) { stage, phone in
            try await stage.addBiometrics(phone, sequence: 1)
            for _ in 0..<2 { #expect(try await stage.touch(phone, sequence: 1).status == .ok) }
            stage.clock.advance(3_000)
            return 2
        }
        try await Self.afterEach(told, in: folder) { stage, isKept in
            let touched = try await stage.touch(told.phone, sequence: 2, receipt: told.receipt)
            #expect(touched.status == (isKept ? .ok : .pinRequired))
            #expect(touched.tries.withoutPINLeft == (isKept ? 1 : 0))
        }
    }
}
