import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("Biometrics", .timeLimit(.minutes(10)))
struct BiometricsTests {
    private func withBiometrics(_ configure: (inout Ostiary.Configuration) -> Void = { _ in }) async throws -> TestPhone {
        let phone = try await TestPhone.enrolled(configure)
        try await phone.addBiometrics()
        return phone
    }

    private func instance(of phone: TestPhone) throws -> StoredInstance {
        try #require(try StoredState(decoding: phone.accounts.document).instances.first)
    }

    @Test("S4-28 S4-32 S4-51 S4-73 with biometrics added a login asks for the feature, and sfInput(info) alone logs in")
    func alone() async throws {
        let phone = try await withBiometrics()
        let asked = try await phone.atSecondFactor()
        #expect(asked.secondFactorInfo.showBiometrics && asked.secondFactorInfo.result == nil && asked.session != nil)
        phone.ostiary.sfInput(BiometricInfo(reason: "log in"))
        let done = try await phone.secondFactor()
        #expect(done.secondFactorInfo.result == .success && done.stopped)
        #expect(try await phone.login().isLoggedIn)
        #expect(await phone.server.with { $0.approvals.last } == .bio)
        #expect(await phone.server.with { $0.received.last } == .l5)
    }

    @Test("S4-33 PIN and feature together travel in one decision, and count as the PIN")
    func both() async throws {
        let phone = try await withBiometrics()
        #expect(try await phone.logIn { phone.ostiary.sfInput(PIN("271828"), and: .simulated(.confirm)) } == [.success])
        #expect(await phone.server.with { $0.approvals.last } == [.pin, .bio])
        #expect(await phone.server.with { $0.instances.values.map(\.withoutPIN) } == [0])
    }

    @Test("S4-33 a wrong PIN beside the right feature is a wrong PIN; a closed prompt beside the right PIN costs no try")
    func bothWrong() async throws {
        let phone = try await withBiometrics()
        let results = try await phone.logIn(
            { phone.ostiary.sfInput(PIN("271829"), and: .simulated(.confirm)) }, { phone.ostiary.sfInput(PIN("271828"), and: .simulated(.cancel)) },
            { phone.ostiary.sfInput(PIN("271828")) })
        #expect(results == [.failed, .failed, .success])
        #expect(await phone.server.with { $0.instances.values.map(\.highest) }.first == 3, "enrolled, wrong, right")
    }

    @Test("S4-33 PIN and feature together log in also when the phone's clock turns out to be wrong: the feature signs the attempt that was counted")
    func bothWithAWrongClock() async throws {
        let phone = try await withBiometrics()
        _ = try await phone.atSecondFactor()
        await phone.server.with { $0.mishaps.clockAhead = 3_600 }
        phone.ostiary.sfInput(PIN("271828"), and: .simulated(.confirm))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .success)
        _ = try await phone.login()
        #expect(await phone.server.with { $0.approvals.last } == [.pin, .bio])
    }

    @Test("S4-33 where no feature is taken, PIN and feature together count as the PIN")
    func bothWithoutBiometrics() async throws {
        let phone = try await TestPhone.enrolled()
        #expect(try await phone.logIn { phone.ostiary.sfInput(PIN("271828"), and: .simulated(.confirm)) } == [.success])
        #expect(await phone.server.with { $0.approvals.last } == .pin && phone.keys.biometrics.prompts == 0)
    }

    @Test("S4-82 the PIN is taken although biometrics are shown")
    func pinAllTheSame() async throws {
        let phone = try await withBiometrics()
        #expect(try await phone.logIn { phone.ostiary.sfInput(PIN("271828")) } == [.success])
        #expect(await phone.server.with { $0.approvals.last } == .pin)
    }

    @Test(
        "A prompt that is closed, or sees a stranger, is FAILED, reaches nobody and costs nothing",
        arguments: [SimulatedBiometrics.Answer.cancel, .fail])
    func notConfirmed(_ answer: SimulatedBiometrics.Answer) async throws {
        let phone = try await withBiometrics()
        _ = try await phone.atSecondFactor()
        let before = await phone.server.with { $0.received.count }
        phone.ostiary.sfInput(.simulated(answer))
        let asked = try await phone.secondFactor()
        #expect(asked.secondFactorInfo.result == .failed && asked.secondFactorInfo.retry && !asked.stopped)
        #expect(asked.secondFactorInfo.failedAttempts == 0 && asked.secondFactorInfo.showBiometrics)
        #expect(await phone.server.with { $0.received.count } == before)
    }

    @Test("A change of the device's features kills the key: one error, no more biometrics, and the PIN goes on")
    func changed() async throws {
        let phone = try await withBiometrics()
        phone.keys.biometrics.features.insert("left thumb")
        let asked = try await phone.atSecondFactor()
        #expect(asked.secondFactorInfo.showBiometrics)
        phone.ostiary.sfInput(.simulated(.confirm))
        #expect(try await phone.failure().0 == .biometricsChanged)
        #expect(try await phone.secondFactor().secondFactorInfo.showBiometrics == false)
        #expect(try instance(of: phone).biometrics == nil && !phone.keys.names.contains { $0.hasPrefix("biometric") })
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .success)
        _ = try await phone.login()
        phone.ostiary.startAppLogin()
        #expect(try await phone.secondFactor().secondFactorInfo.showBiometrics == false)
        phone.ostiary.sfCancel()
        _ = try await phone.stopped()
        try await phone.addBiometrics()
    }

    @Test("S4-65 S4-66 S4-67 S4-68 a biometric resets tries, block and penalty, at the server and on the screen, and the PIN is taken again")
    func resets() async throws {
        let phone = try await withBiometrics()
        await phone.server.with { $0.settings.penalties = [0, 0, 0, 0, 0] }
        _ = try await phone.atSecondFactor()
        for number in 1...5 {
            phone.ostiary.sfInput(PIN("99887\(number)"))
            let asked = try await phone.secondFactor()
            #expect(asked.secondFactorInfo.failedAttempts == number && !asked.stopped)
            #expect(asked.secondFactorInfo.blocked == (number == 5) && asked.secondFactorInfo.showBiometrics)
        }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.blocked, "the right PIN comes too late")
        phone.ostiary.sfInput(.simulated(.confirm))
        let done = try await phone.secondFactor()
        #expect(done.secondFactorInfo.result == .success && !done.secondFactorInfo.blocked && done.secondFactorInfo.failedAttempts == 0)
        _ = try await phone.login()
        #expect(try await phone.logIn { phone.ostiary.sfInput(PIN("271828")) } == [.success])
    }

    @Test("S4-67 a biometric is taken during a penalty, and ends it")
    func penalty() async throws {
        let phone = try await withBiometrics()
        _ = try await phone.atSecondFactor()
        for number in 1...3 {
            phone.ostiary.sfInput(PIN("99887\(number)"))
            _ = try await phone.secondFactor()
        }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.penalisedFor == 30)
        phone.ostiary.sfInput(.simulated(.confirm))
        let done = try await phone.secondFactor()
        #expect(done.secondFactorInfo.result == .success && done.secondFactorInfo.penalisedFor == 0)
    }

    @Test("blockSecondFactorOnPINBlocked: a blocked PIN blocks the feature as well")
    func blockedTogether() async throws {
        let phone = try await withBiometrics { $0.blockSecondFactorOnPINBlocked = true }
        await phone.server.with { $0.settings.penalties = [0, 0, 0, 0, 0] }
        _ = try await phone.atSecondFactor()
        for number in 1...5 {
            phone.ostiary.sfInput(PIN("99887\(number)"))
            let asked = try await phone.secondFactor()
            #expect(asked.stopped == (number == 5) && asked.secondFactorInfo.showBiometrics == (number < 5))
        }
        #expect(try await phone.finalFailure() == .secondFactorBlocked)
        #expect(try await phone.atSecondFactor().secondFactorInfo.showBiometrics == false)
    }

    @Test("A hundred tries since the last right PIN are the end: the biometric is answered BLOCKED and resets nothing on the screen")
    func lifetime() async throws {
        let phone = try await withBiometrics()
        await phone.server.with { server in
            for id in server.instances.keys {
                server.instances[id]?.highest += 100
                server.instances[id]?.proven += 100
            }
        }
        _ = try await phone.atSecondFactor()
        phone.ostiary.sfInput(.simulated(.confirm))
        let last = try await phone.secondFactor()
        #expect(last.stopped && last.secondFactorInfo.blocked && last.secondFactorInfo.result == .failed)
        #expect(try await phone.finalFailure() == .secondFactorBlocked)
        #expect(try await phone.atSecondFactor().secondFactorInfo.showBiometrics == false)
    }

    @Test("S4-78 the app's limit of biometrics in a row: then the PIN, after which the feature is asked for again")
    func appLimit() async throws {
        let phone = try await withBiometrics { $0.maxNumberSecondFactorWithoutPIN = 2 }
        for _ in 1...2 { #expect(try await phone.logIn { phone.ostiary.sfInput(.simulated(.confirm)) } == [.success]) }
        #expect(try await phone.atSecondFactor().secondFactorInfo.showBiometrics == false)
        phone.ostiary.sfInput(.simulated(.confirm))
        #expect(try await phone.failure().0 == .biometricsUnavailable)
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.login()
        #expect(try await phone.atSecondFactor().secondFactorInfo.showBiometrics)
    }

    @Test("S4-79 S4-81 the app's time without a PIN: a day later the PIN is asked")
    func appTime() async throws {
        let phone = try await withBiometrics { $0.maxTimeSecondFactorWithoutPIN = .seconds(86_400) }
        phone.clock.advance(86_000)
        #expect(try await phone.logIn { phone.ostiary.sfInput(.simulated(.confirm)) } == [.success])
        phone.clock.advance(400)
        #expect(try await phone.atSecondFactor().secondFactorInfo.showBiometrics == false)
    }

    @Test("The server's limit is known from what it told, and PIN_REQUIRED at the last moment asks for the PIN in the same session")
    func serverLimit() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.settings.mostWithoutPIN = 2 }
        try await phone.addBiometrics()
        #expect(try await phone.logIn { phone.ostiary.sfInput(.simulated(.confirm)) } == [.success])
        _ = try await phone.atSecondFactor()
        await phone.server.with { $0.settings.mostWithoutPIN = 1 }
        phone.ostiary.sfInput(.simulated(.confirm))
        let asked = try await phone.secondFactor()
        #expect(asked.secondFactorInfo.result == .failed && !asked.secondFactorInfo.showBiometrics && asked.secondFactorInfo.retry)
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.login().isLoggedIn)
    }

    @Test("S4-78 after as many biometrics as the server allows the prompt is not shown; the PIN brings it back")
    func serverLimitIsMirrored() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.settings.mostWithoutPIN = 2 }
        try await phone.addBiometrics()
        for _ in 0..<2 { #expect(try await phone.logIn { phone.ostiary.sfInput(.simulated(.confirm)) } == [.success]) }
        #expect(try await phone.atSecondFactor().secondFactorInfo.showBiometrics == false)
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.login()
        for _ in 0..<2 { #expect(try await phone.logIn { phone.ostiary.sfInput(.simulated(.confirm)) } == [.success]) }
        #expect(try await phone.atSecondFactor().secondFactorInfo.showBiometrics == false)
    }

    @Test("S4-76 with biometricsDisabled, with a server that takes none, and for an enrolment, biometrics are not shown")
    func notShown() async throws {
        let phone = try await withBiometrics()
        await phone.server.with { $0.settings.methods = [.pin] }
        #expect(try await phone.atSecondFactor().secondFactorInfo.showBiometrics == false)
        phone.ostiary.sfCancel()
        _ = try await phone.stopped()
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        phone.ostiary.setAccount(nil, for: try await phone.confirmEnrol())
        #expect(try await phone.secondFactor().secondFactorInfo.showBiometrics == false)
        phone.ostiary.sfCancel()
        _ = try await phone.stopped()
        await phone.server.with { $0.settings.methods = [.pin, .bio] }
        let disabled = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys) { $0.biometricsDisabled = true }
        #expect(try await disabled.atSecondFactor().secondFactorInfo.showBiometrics == false)
    }

    @Test("S4-75 when the last feature is taken from the device, biometrics are not shown")
    func noFeature() async throws {
        let phone = try await withBiometrics()
        phone.keys.biometrics.features = []
        #expect(try await phone.atSecondFactor().secondFactorInfo.showBiometrics == false)
    }

    @Test("A lost answer to a biometric is repaired by the same decision, and counts once")
    func lostAnswer() async throws {
        let phone = try await withBiometrics()
        _ = try await phone.atSecondFactor()
        await phone.server.with { $0.mishaps.lostAnswers[.l5] = 2 }
        phone.ostiary.sfInput(.simulated(.confirm))
        _ = try await phone.login()
        #expect(await phone.server.with { $0.approvals.filter { $0 == .bio }.count } == 1)
    }

    @Test("A biometric that the servers refuse leaves the PIN")
    func refused() async throws {
        let phone = try await withBiometrics()
        await phone.server.with { server in for id in server.instances.keys { server.instances[id]?.biometricKey = nil } }
        _ = try await phone.atSecondFactor()
        phone.ostiary.sfInput(.simulated(.confirm))
        #expect(try await phone.failure().0 == .biometricsRefused)
        #expect(try await phone.secondFactor().secondFactorInfo.showBiometrics == false)
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.login()
    }
}
