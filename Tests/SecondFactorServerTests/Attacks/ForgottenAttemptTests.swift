import Database
import HTTPService
import Hummingbird
import HummingbirdTesting
import Logging
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import SecondFactor
import Testing

@testable import SecondFactorServer

/// A second-factor server whose clock leaps ten days ahead and is put right, beside one that nobody sets.
@Suite("What a clock that leapt would forget", .onBothEngines)
struct ForgottenAttemptTests {
    private func run(
        _ body: @escaping @Sendable (_ stage: ServerFixture, _ uptime: TestClock, _ database: any Database) async throws -> Void
    ) async throws {
        let (setting, uptime, database) = (try ServerFixture.Setting(), TestClock(Instant(0)), try await openOfEngine())
        let node = try await SecondFactorNode(
            settings: SecondFactorNodeSettings(trustedRoots: setting.trusted, policy: setting.policy, resetDays: 1), database: database,
            keyEncryptionKey: setting.keyEncryptionKey, evaluator: setting.evaluator, random: SeededRandom("forgotten attempts"),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, readinessLimit: .patientReadiness,
            steady: { uptime.now.seconds }, clock: { [clock = setting.clock] in clock.now })
        try await Application(router: node.router).test(.router) { client in
            try await body(ServerFixture(service: node, client: client, setting: setting), uptime, database)
        }
        try await database.close()
    }

    private func pass(_ seconds: UInt64, _ stage: ServerFixture, _ uptime: TestClock) {
        stage.clock.advance(seconds)
        uptime.advance(seconds)
    }

    private func clean(_ stage: ServerFixture) async { for case let work as PeriodicTask in stage.service.background { await work.round() } }

    private func rows(of table: String, in database: any Database) async throws -> Int? {
        try await database.read { try $0.one("SELECT COUNT(*) AS number FROM \(table)")?.int("number") }
    }

    /// A biometric uses no number: the row of its attempt is all that keeps it from giving the tries back once more.
    @Test(
        "A102 A biometric that was recorded counts once, however long a clock was ten days ahead in between and deleted what is old",
        arguments: [0, 120, 240, 299, 300] as [UInt64])
    func biometric(_ stay: UInt64) async throws {
        try await run { stage, uptime, database in
            let phone = try RawPhone("forgotten")
            try await stage.enrol(phone)
            try await stage.addBiometrics(phone, sequence: 1)
            pass(1_000, stage, uptime)
            await clean(stage)
            #expect(try await rows(of: "attempt", in: database) == 0, "as ever")
            _ = try await stage.guess(phone, sequence: 2)

            // By a phone whose clock is ahead by as much as one may be.
            let attempt = try phone.biometricAttempt(try phone.question(), at: stage.now + 120)
            let signature = try phone.biometricSignature(of: attempt.value)
            let call = stage.server.call(stage.server.biometricProof(attempt, signature: signature, sequence: 2, at: stage.now).bytes)
            let first = try #require(try await stage.answer(call).receipt)
            #expect(try await stage.guess(phone, sequence: 3).tries.failed == 1)

            stage.clock.advance(864_000)
            await clean(stage)
            pass(stay, stage, uptime)
            await clean(stage)
            stage.clock.setBack(864_000)
            let again = try await stage.answer(call)
            #expect(stay < 300 ? again.receipt?.bytes == first.bytes : again.status == .clock && again.receipt == nil)
            let store = SQLSecondFactorStore(database: database)
            let instance = try await store.situation(of: phone.instance, attempt: attempt.value.attemptID).instance
            #expect(instance?.withoutPIN == 1)
            #expect(instance?.counter.failed == 1)
        }
    }

    @Test("A102 Whose blocks were lifted is not forgotten by a clock that leaps for a moment, nor right after a start")
    func resets() async throws {
        try await run { stage, uptime, database in
            try await database.transaction { [now = stage.now] connection -> Void in
                try connection.execute(
                    "INSERT INTO reset_log (instance_id, server_id, granted_at, highest, proven) VALUES ($1, $1, $2, 5, 0)",
                    [.blob([UInt8](repeating: 1, count: 16)), .integer(Int64(now.seconds))])
            }
            stage.clock.advance(864_000)
            await clean(stage)
            pass(299, stage, uptime)
            await clean(stage)
            #expect(try await rows(of: "reset_log", in: database) == 1)
            stage.clock.setBack(864_000)
            await clean(stage)
            pass(86_400, stage, uptime)
            await clean(stage)
            #expect(try await rows(of: "reset_log", in: database) == 0)
        }
    }
}
