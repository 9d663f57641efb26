import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("Adding and removing biometrics", .timeLimit(.minutes(10)))
struct BiometricManagementTests {
    private func instance(of phone: TestPhone) throws -> StoredInstance {
        try #require(try StoredState(decoding: phone.accounts.document).instances.first)
    }

    private func biometricKeys(of phone: TestPhone) -> [String] { phone.keys.names.filter { $0.hasPrefix("biometric") } }

    @Test("S4-41 S4-46 S4-47 S4-49 S4-85 S4-87 adding asks for the feature, then for the PIN, without a session; then it works")
    func adds() async throws {
        let phone = try await TestPhone.enrolled()
        phone.ostiary.addBiometrics()
        let first = try await phone.secondFactor()
        #expect(first.secondFactorInfo.context == .biometricsAdd && first.secondFactorInfo.showBiometrics && first.secondFactorInfo.result == nil)
        #expect(first.session == nil && !first.stopped && phone.keys.biometrics.prompts == 0)
        phone.ostiary.sfInput(BiometricInfo(reason: "add"))
        let second = try await phone.secondFactor()
        #expect(second.secondFactorInfo.context == .biometricsAdd && !second.secondFactorInfo.showBiometrics && second.secondFactorInfo.result == nil)
        #expect(second.session == nil && !second.stopped && phone.keys.biometrics.prompts == 1)
        #expect(await phone.server.with { $0.instances.values.compactMap(\.biometricKey) }.isEmpty)
        phone.ostiary.sfInput(PIN("271828"))
        let done = try await phone.secondFactor()
        #expect(done.stopped && done.secondFactorInfo.result == .success && done.session == nil)
        #expect(await phone.server.with { $0.instances.values.compactMap(\.biometricKey) }.count == 1)
        #expect(try await phone.logIn { phone.ostiary.sfInput(.simulated(.confirm)) } == [.success])
    }

    @Test("A wrong PIN at the second step is a try; a PIN at the first step is out of order and costs none")
    func wrongInputs() async throws {
        let phone = try await TestPhone.enrolled()
        phone.ostiary.addBiometrics()
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.failure().0 == .wrongOrder)
        #expect(try await phone.secondFactor().secondFactorInfo.showBiometrics)
        phone.ostiary.sfInput(.simulated(.cancel))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .failed)
        phone.ostiary.sfInput(.simulated(.confirm))
        #expect(try await phone.secondFactor().secondFactorInfo.showBiometrics == false)
        phone.ostiary.sfInput(PIN("271829"))
        #expect(try await phone.secondFactor().secondFactorInfo.failedAttempts == 1)
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().stopped)
        #expect(biometricKeys(of: phone).count == 1)
    }

    @Test("Given up at either step, nothing of a key is left", arguments: [0, 1])
    func givenUp(_ step: Int) async throws {
        let phone = try await TestPhone.enrolled()
        let added = Task { [ostiary = phone.ostiary] in try await ostiary.enrolBiometrics() }
        _ = try await phone.secondFactor()
        if step == 1 {
            phone.ostiary.sfInput(.simulated(.confirm))
            _ = try await phone.secondFactor()
        }
        phone.ostiary.sfCancel()
        #expect(try await phone.secondFactor().stopped)
        await #expect(throws: OstiaryError.cancelled) { try await added.value }
        #expect(biometricKeys(of: phone).isEmpty)
        let instance = try instance(of: phone)
        #expect(instance.biometrics == nil && instance.biometricClaim == nil)
        try await phone.addBiometrics()
    }

    @Test("A server that cannot be reached at the last step leaves no half of a key, and says so")
    func unreachable() async throws {
        let phone = try await TestPhone.enrolled()
        phone.ostiary.addBiometrics()
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(.simulated(.confirm))
        _ = try await phone.secondFactor()
        await phone.server.with { $0.mishaps.lostAnswers[.m3] = 100 }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.failure().0 == .serverConnection)
        #expect(try await phone.secondFactor().stopped)
        #expect(try await phone.failure().0 == .serverConnection)
        #expect(biometricKeys(of: phone).isEmpty)
        await phone.server.with { $0.mishaps.lostAnswers = [:] }
        try await phone.addBiometrics()
        #expect(try await phone.logIn { phone.ostiary.sfInput(.simulated(.confirm)) } == [.success])
    }

    @Test("A lost M4 is repaired by the same M3")
    func lostAnswer() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.mishaps.lostAnswers[.m3] = 2 }
        try await phone.addBiometrics()
        #expect(await phone.server.with { $0.completed.count } == 1)
    }

    @Test("Without a sensor, a strong one, a feature, or leave to use them, adding is refused before anybody is asked")
    func unavailable() async throws {
        let phone = try await TestPhone.enrolled()
        let disabled = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys) { $0.biometricsDisabled = true }
        await #expect(throws: OstiaryError.biometricsUnavailable) { try await disabled.ostiary.enrolBiometrics() }
        for change in [{ $0.sensor = .none }, { $0.sensor = .weak }, { $0.features = [] }] as [(SimulatedBiometrics) -> Void] {
            phone.keys.biometrics.sensor = .strong
            change(phone.keys.biometrics)
            await #expect(throws: OstiaryError.biometricsUnavailable) { try await phone.ostiary.enrolBiometrics() }
        }
        phone.ostiary.removeBiometrics()
        #expect(try await phone.failure().0 == .biometricsUnavailable)
    }

    @Test("S4-42 biometrics are removed by the PIN or by the feature; the key is destroyed", arguments: [true, false])
    func removes(_ byPIN: Bool) async throws {
        let phone = try await TestPhone.enrolled()
        try await phone.addBiometrics()
        phone.ostiary.removeBiometrics(for: phone.ostiary.accounts?.first)
        let asked = try await phone.secondFactor()
        #expect(asked.secondFactorInfo.context == .biometricsRemove && asked.secondFactorInfo.showBiometrics && asked.session == nil)
        byPIN ? phone.ostiary.sfInput(PIN("271828")) : phone.ostiary.sfInput(.simulated(.confirm))
        let done = try await phone.secondFactor()
        #expect(done.stopped && done.secondFactorInfo.result == .success && !done.secondFactorInfo.showBiometrics)
        #expect(biometricKeys(of: phone).isEmpty)
        #expect(await phone.server.with { $0.instances.values.compactMap(\.biometricKey) }.isEmpty)
        #expect(try await phone.atSecondFactor().secondFactorInfo.showBiometrics == false)
    }

    @Test("Adding again replaces the key, and destroys the old one")
    func again() async throws {
        let phone = try await TestPhone.enrolled()
        try await phone.addBiometrics()
        let old = biometricKeys(of: phone)
        try await phone.addBiometrics()
        #expect(biometricKeys(of: phone).count == 1 && biometricKeys(of: phone) != old)
        #expect(try await phone.logIn { phone.ostiary.sfInput(.simulated(.confirm)) } == [.success])
    }

    @Test("An account that goes takes its biometric key along")
    func deletion() async throws {
        let phone = try await TestPhone.enrolled()
        try await phone.addBiometrics()
        try await phone.ostiary.remove(try #require(phone.ostiary.accounts?.first))
        #expect(phone.keys.names.isEmpty)
    }

    @Test("One flow at a time: an operation refuses a login, and a login an operation")
    func oneAtATime() async throws {
        let phone = try await TestPhone.enrolled()
        phone.ostiary.addBiometrics()
        _ = try await phone.secondFactor()
        phone.ostiary.startAppLogin()
        #expect(try await phone.failure().0 == .flowInProgress)
        phone.ostiary.sfCancel()
        #expect(try await phone.secondFactor().stopped)
        phone.ostiary.startAppLogin()
        _ = try await phone.secondFactor()
        phone.ostiary.changePIN()
        #expect(try await phone.failure().0 == .flowInProgress)
    }

    @Test("Which server is meant: nobody's, an unknown account's, one without a second factor")
    func whichServer() async throws {
        let empty = TestPhone(try TestServer(clock: TestClock()))
        await #expect(throws: OstiaryError.noAccountsForServer) { try await empty.ostiary.replacePIN() }
        let phone = try await TestPhone.enrolled()
        let account = try #require(phone.ostiary.accounts?.first)
        await #expect(throws: OstiaryError.accountUnknown) { try await empty.ostiary.replacePIN(for: account) }
    }

    @Test("An account that still waits for its code changes nothing: it is refused when it is named, and never meant when none is")
    func pendingAccount() async throws {
        let dying = try await TestPhone.enrolled()
        _ = try await dying.enrolUpToCode()
        await (try dying.ostiary.core().engine).shutDown()
        let pending = try #require(dying.ostiary.accounts?.first { $0.state == .pending })
        let phone = TestPhone(dying.server, accounts: dying.accounts, keys: dying.keys)
        phone.ostiary.changePIN(for: pending)
        #expect(try await phone.failure().0 == .accountPending)
        phone.ostiary.changePIN()
        #expect(try await phone.secondFactor().secondFactorInfo.context == .pinChangeVerify)
    }

    @Test("With accounts at two servers the PIN of neither is meant until an account is named")
    func severalServers() async throws {
        let phone = try await TestPhone.enrolled()
        let account = try #require(phone.ostiary.accounts?.first)
        let elsewhere = TestPhone(try TestServer(clock: phone.clock, seed: 0x21))
        try await elsewhere.enrol()
        let other = try StoredState(decoding: elsewhere.accounts.document)
        var both = try StoredState(decoding: phone.accounts.document)
        both.servers += other.servers
        both.accounts += other.accounts
        both.instances += other.instances
        phone.accounts.document = try both.encoded()
        phone.ostiary.changePIN()
        #expect(try await phone.failure().0 == .severalAccounts)
        phone.ostiary.changePIN(for: account)
        #expect(try await phone.secondFactor().secondFactorInfo.context == .pinChangeVerify)
    }
}
