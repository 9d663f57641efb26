import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("Changing the PIN", .timeLimit(.minutes(10)))
struct PINChangeTests {
    private func instance(of phone: TestPhone) throws -> StoredInstance {
        try #require(try StoredState(decoding: phone.accounts.document).instances.first)
    }

    /// As far as the question for the new PIN.
    private func atNewPIN(_ phone: TestPhone) async throws {
        phone.ostiary.changePIN()
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .success)
        #expect(try await phone.secondFactor().secondFactorInfo.context == .pinChangeSet)
    }

    @Test("S4-43 S4-44 S4-85 S4-87 the old PIN is verified, the new one set, without a session; afterwards only the new one opens anything")
    func changes() async throws {
        let phone = try await TestPhone.enrolled()
        let key = await phone.server.with { $0.instances.values.map(\.secondFactorKey) }
        phone.ostiary.changePIN()
        let verify = try await phone.secondFactor()
        #expect(verify.secondFactorInfo.context == .pinChangeVerify && verify.secondFactorInfo.result == nil && verify.session == nil)
        phone.ostiary.sfInput(PIN("271828"))
        let verified = try await phone.secondFactor()
        #expect(verified.secondFactorInfo.context == .pinChangeVerify && verified.secondFactorInfo.result == .success && !verified.stopped)
        let set = try await phone.secondFactor()
        #expect(set.secondFactorInfo.context == .pinChangeSet && set.secondFactorInfo.result == nil && !set.stopped && set.session == nil)
        phone.ostiary.sfInput(PIN("314159"))
        let done = try await phone.secondFactor()
        #expect(done.secondFactorInfo.context == .pinChangeSet && done.secondFactorInfo.result == .success && done.stopped)
        #expect(try instance(of: phone).epoch == 2 && instance(of: phone).change == nil)
        #expect(await phone.server.with { $0.instances.values.map(\.secondFactorKey) } == key, "the key is wrapped again")
        let results = try await phone.logIn({ phone.ostiary.sfInput(PIN("271828")) }, { phone.ostiary.sfInput(PIN("314159")) })
        #expect(results == [.failed, .success])
    }

    @Test("A wrong PIN is a try; easy, too short, and unchanged new PINs are refused and asked again")
    func refusals() async throws {
        let phone = try await TestPhone.enrolled()
        phone.ostiary.changePIN()
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271829"))
        #expect(try await phone.secondFactor().secondFactorInfo.failedAttempts == 1)
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.secondFactor()
        _ = try await phone.secondFactor()
        for (pin, error) in [("123456", OstiaryError.pinEasyToGuess), ("1234", .pinLength), ("271828", .pinUnchanged)] {
            phone.ostiary.sfInput(PIN(pin))
            #expect(try await phone.failure().0 == error)
            let asked = try await phone.secondFactor()
            #expect(asked.secondFactorInfo.result == .failed && asked.secondFactorInfo.retry && !asked.stopped)
        }
        #expect(await phone.server.with { $0.received.filter { $0 == .m1 }.count } == 3, "enrolment, and the PIN so far twice")
        phone.ostiary.sfInput(PIN("314159"))
        #expect(try await phone.secondFactor().stopped)
    }

    @Test("S4-43 a biometric vouches for a new PIN, which gets a new key, and stays usable itself")
    func byBiometric() async throws {
        let phone = try await TestPhone.enrolled()
        try await phone.addBiometrics()
        let key = await phone.server.with { $0.instances.values.map(\.secondFactorKey) }
        phone.ostiary.changePIN()
        #expect(try await phone.secondFactor().secondFactorInfo.showBiometrics)
        phone.ostiary.sfInput(.simulated(.confirm))
        _ = try await phone.secondFactor()
        #expect(try await phone.secondFactor().secondFactorInfo.showBiometrics == false)
        phone.ostiary.sfInput(PIN("314159"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .success)
        #expect(await phone.server.with { $0.instances.values.map(\.secondFactorKey) } != key)
        #expect(try await phone.logIn { phone.ostiary.sfInput(PIN("314159")) } == [.success])
        #expect(try await phone.logIn { phone.ostiary.sfInput(.simulated(.confirm)) } == [.success])
    }

    @Test("disallowPinChangeWithBiometric: the PIN so far is needed")
    func byPINOnly() async throws {
        let phone = try await TestPhone.enrolled { $0.disallowPinChangeWithBiometric = true }
        try await phone.addBiometrics()
        phone.ostiary.changePIN()
        #expect(try await phone.secondFactor().secondFactorInfo.showBiometrics == false)
        phone.ostiary.sfInput(.simulated(.confirm))
        #expect(try await phone.failure().0 == .biometricsUnavailable)
    }

    @Test("Given up before the new PIN, the old one stays", arguments: [true, false])
    func givenUp(_ isVerified: Bool) async throws {
        let phone = try await TestPhone.enrolled()
        if isVerified {
            try await atNewPIN(phone)
        } else {
            phone.ostiary.changePIN()
            _ = try await phone.secondFactor()
        }
        phone.ostiary.sfCancel()
        let last = try await phone.secondFactor()
        #expect(last.stopped && last.session == nil)
        #expect(try await phone.logIn { phone.ostiary.sfInput(PIN("271828")) } == [.success])
    }

    @Test("The answers to the change are lost: the flow ends in doubt, and the phone finds out by itself, at no cost, that the new PIN counts")
    func lostForGood() async throws {
        let phone = try await TestPhone.enrolled()
        try await atNewPIN(phone)
        await phone.server.with { $0.mishaps.lostAnswers[.m3] = 100 }
        phone.ostiary.sfInput(PIN("314159"))
        #expect(try await phone.failure().0 == .serverConnection)
        #expect(try await phone.secondFactor().stopped)
        #expect(try instance(of: phone).epoch == 1 && instance(of: phone).change?.epoch == 2)
        await phone.server.with { $0.mishaps.lostAnswers = [:] }
        #expect(try await phone.logIn { phone.ostiary.sfInput(PIN("314159")) } == [.success])
        #expect(try instance(of: phone).epoch == 2 && instance(of: phone).change == nil)
        #expect(await phone.server.with { $0.instances.values.map(\.failed) } == [0])
    }

    @Test("The change itself is lost: the old PIN counts, and the box of the new one harms nobody, not even at the next change")
    func neverArrived() async throws {
        let phone = try await TestPhone.enrolled()
        try await atNewPIN(phone)
        phone.cable.cut()
        phone.ostiary.sfInput(PIN("314159"))
        _ = try await phone.failure()
        let next = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys)
        #expect(try await next.logIn { next.ostiary.sfInput(PIN("271828")) } == [.success])
        next.ostiary.changePIN()
        _ = try await next.secondFactor()
        next.ostiary.sfInput(PIN("271828"))
        _ = try await next.secondFactor()
        _ = try await next.secondFactor()
        next.ostiary.sfInput(PIN("602214"))
        #expect(try await next.secondFactor().stopped)
        #expect(try await next.logIn { next.ostiary.sfInput(PIN("602214")) } == [.success])
    }

    @Test("A biometric finds out about another epoch as well, and asks the person once more at most")
    func biometricAfterDoubt() async throws {
        let phone = try await TestPhone.enrolled()
        try await phone.addBiometrics()
        try await atNewPIN(phone)
        await phone.server.with { $0.mishaps.lostAnswers[.m3] = 100 }
        phone.ostiary.sfInput(PIN("314159"))
        _ = try await phone.failure()
        #expect(try await phone.secondFactor().stopped)
        await phone.server.with { $0.mishaps.lostAnswers = [:] }
        let before = phone.keys.biometrics.prompts
        #expect(try await phone.logIn { phone.ostiary.sfInput(.simulated(.confirm)) } == [.success])
        #expect(phone.keys.biometrics.prompts <= before + 2)
        #expect(try instance(of: phone).epoch == 2)
    }

    @Test("secondFactorUserInputTimeout ends a change as well, and says so")
    func timeout() async throws {
        let phone = try await TestPhone.enrolled { $0.secondFactorUserInputTimeout = .seconds(100) }
        let before = phone.clock.waits.filter { $0 == 100 }.count
        phone.ostiary.changePIN()
        _ = try await phone.secondFactor()
        try await waiting(while: phone.clock.waits.filter({ $0 == 100 }).count == before)
        phone.clock.advance(101)
        #expect(try await phone.secondFactor().stopped)
        #expect(try await phone.failure().0 == .userInputTimeout)
    }

    @Test("With the second-factor server down the new PIN is asked again, and then set")
    func serverDown() async throws {
        let phone = try await TestPhone.enrolled()
        try await atNewPIN(phone)
        await phone.server.with { $0.mishaps.isSecondFactorDown = true }
        phone.ostiary.sfInput(PIN("314159"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .error)
        await phone.server.with { $0.mishaps.isSecondFactorDown = false }
        phone.ostiary.sfInput(PIN("314159"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .success)
    }

    /// Another process of this phone writes down a new PIN of its own when a message arrives at the server, for whose answer this one waits.
    private func whenArrives(_ message: MessageType, at phone: TestPhone) async {
        let accounts = phone.accounts
        await phone.server.with { server in
            server.onMessage = { type in
                guard type == message else { return }
                try? accounts.update { old in
                    guard var state = try? StoredState(decoding: old) else { return nil }
                    for index in state.instances.indices {
                        state.instances[index].change = StoredPINChange(epoch: state.instances[index].epoch + 1, box: StoredBytes([7]))
                    }
                    return try? state.encoded()
                }
            }
        }
    }

    @Test("What another process of this phone writes down while the servers take a new PIN does not take its place: the new PIN opens")
    func anotherProcessMeanwhile() async throws {
        let phone = try await TestPhone.enrolled()
        try await atNewPIN(phone)
        await whenArrives(.m3, at: phone)
        phone.ostiary.sfInput(PIN("314159"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .success)
        await phone.server.with { $0.onMessage = nil }
        #expect(try instance(of: phone).epoch == 2 && instance(of: phone).change == nil)
        #expect(try await phone.logIn { phone.ostiary.sfInput(PIN("314159")) } == [.success])
    }

    @Test("A new PIN that another process of this phone is about to set is not written over: this change ends, and the PIN so far counts")
    func anotherProcessBefore() async throws {
        let phone = try await TestPhone.enrolled()
        try await atNewPIN(phone)
        await whenArrives(.m1, at: phone)
        phone.ostiary.sfInput(PIN("314159"))
        #expect(try await phone.failure().0 == .flowInProgress)
        await phone.server.with { $0.onMessage = nil }
        #expect(try instance(of: phone).epoch == 1 && instance(of: phone).change?.box == StoredBytes([7]))
        #expect(try await phone.logIn { phone.ostiary.sfInput(PIN("271828")) } == [.success])
        // What the other one left is in nobody's way.
        try await atNewPIN(phone)
        phone.ostiary.sfInput(PIN("314159"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .success)
    }
}
