import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("The process ends while the second factor is changed", .timeLimit(.minutes(10)))
struct ManagementCrashTests {
    /// More than any operation has; a run that was not cut short proves that.
    private static let mostSteps = 14

    /// A further process on the stores of a phone, which ends at a step.
    private func process(_ phone: TestPhone, _ wire: Tripwire) -> (Ostiary, AsyncStream<OstiaryEvent>.AsyncIterator) {
        var configuration = Ostiary.Configuration()
        configuration.hidesVisualHash = true
        let ostiary = Ostiary(
            configuration: configuration,
            ports: Ports(
                keys: TrippedKeyStore(base: phone.keys, wire: wire), accounts: TrippedAccountStore(base: phone.accounts, wire: wire),
                transport: TrippedTransport(base: TestTransport(server: phone.server), wire: wire), clock: phone.clock,
                biometrics: phone.keys.biometrics
            ).quick)
        return (ostiary, ostiary.events.makeAsyncIterator())
    }

    /// Answers each question of an operation with the next of `inputs`; true when the operation ended well.
    private func run(_ phone: TestPhone, _ wire: Tripwire, _ begin: (Ostiary) -> Void, _ inputs: [(Ostiary) -> Void]) async -> Bool {
        let (ostiary, stream) = process(phone, wire)
        var (events, left) = (stream, inputs[...])
        begin(ostiary)
        while let event = await events.next() {
            switch event {
            case .secondFactorStarted(let factor), .secondFactorUpdated(let factor):
                if factor.stopped { return factor.secondFactorInfo.result == .success }
                if factor.secondFactorInfo.result == nil { left.popFirst()?(ostiary) } else if factor.secondFactorInfo.retry { return false }
            case .error(let error, _) where error != .serverConnection: return false
            default: continue
            }
        }
        return false
    }

    /// Which of two PINs log in, tried one after the other by a fresh process.
    private func working(_ pins: [String], _ phone: TestPhone) async throws -> [String] {
        var working: [String] = []
        for pin in pins {
            let next = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys)
            _ = try await next.atSecondFactor()
            next.ostiary.sfInput(PIN(pin))
            let result = try await next.secondFactor()
            if result.secondFactorInfo.result == .success {
                working.append(pin)
                try await next.ostiary.end(try await next.login())
            } else {
                // This try, and one that the process may have begun and never finished.
                #expect(result.secondFactorInfo.result == .failed && result.secondFactorInfo.failedAttempts <= 2)
                next.ostiary.sfCancel()
                _ = try await next.stopped()
            }
        }
        return working
    }

    @Test(
        "At whichever step of a change of the PIN the process ends, exactly one PIN works afterwards, and the phone finds the right box by itself",
        arguments: 0..<mostSteps, [true, false])
    func pinChange(_ steps: Int, _ isAfterEffect: Bool) async throws {
        let phone = try await TestPhone.restarted()
        let wire = Tripwire(steps: steps, isAfterEffect: isAfterEffect)
        let isDone = await run(phone, wire, { $0.changePIN() }, [{ $0.sfInput(PIN("271828")) }, { $0.sfInput(PIN("314159")) }])
        #expect(isDone != wire.isTripped || (isDone && !isAfterEffect), "\(steps)")
        if steps == Self.mostSteps - 1 { #expect(isDone && !wire.isTripped, "there are more steps than this test goes") }
        let working = try await working(["314159", "271828"], phone)
        #expect(working.count == 1)
        if isDone { #expect(working == ["314159"]) }
    }

    @Test(
        "At whichever step of adding biometrics the process ends, no half of a key is left, the PIN works, and adding again does",
        arguments: 0..<mostSteps, [true, false])
    func adding(_ steps: Int, _ isAfterEffect: Bool) async throws {
        let phone = try await TestPhone.restarted()
        let wire = Tripwire(steps: steps, isAfterEffect: isAfterEffect)
        _ = await run(phone, wire, { $0.addBiometrics() }, [{ $0.sfInput(.simulated(.confirm)) }, { $0.sfInput(PIN("271828")) }])
        // The sweep leaves what another process may be doing alone for a quarter of an hour.
        phone.clock.advance(16 * 60)
        #expect(try await working(["271828"], phone) == ["271828"])
        let next = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys)
        _ = try await next.ostiary.refresh()
        let instance = try #require(try StoredState(decoding: phone.accounts.document).instances.first)
        #expect(instance.biometricClaim == nil)
        #expect(phone.keys.names.filter { $0.hasPrefix("biometric") } == [instance.biometrics?.keyName].compactMap(\.self))
        try await next.addBiometrics()
        #expect(try await next.logIn { next.ostiary.sfInput(.simulated(.confirm)) } == [.success])
    }
}
