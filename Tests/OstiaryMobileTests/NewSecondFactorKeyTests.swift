import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

/// The second-factor server signs with an operational key that the bundle which the phone holds does not have: its clock was wrong, or it was restored.
@Suite("A second-factor server with a key that no bundle had", .timeLimit(.minutes(10)))
struct NewSecondFactorKeyTests {
    private func fetched(_ phone: TestPhone) async -> Int { await phone.server.with { $0.bundleCalls } }

    private func renewKey(_ phone: TestPhone) async throws { try await phone.server.with { try $0.replaceSecondFactorOperatorKey() } }

    /// That the last try was counted once and was right.
    private func expectNoTryLost(_ phone: TestPhone, after highest: Int, tries: Int = 1) async throws {
        let counted = try await phone.server.with { try $0.counted }
        #expect(counted == TestServer.Counted(failed: 0, highest: highest + tries))
    }

    @Test("It is no impostor: a login asks for a new bundle, once, and goes through, and so does the next one without asking")
    func login() async throws {
        let phone = try await TestPhone.enrolled()
        let before = await fetched(phone)
        try await renewKey(phone)
        let highest = try await phone.server.with { try $0.counted.highest }
        for login in 1...2 {
            #expect(try await phone.logIn { phone.ostiary.sfInput(PIN("271828")) } == [.success])
            #expect(await fetched(phone) == before + 1)
            try await expectNoTryLost(phone, after: highest, tries: login)
        }
    }

    @Test("S4-74 a biometric alone, an AppLogin and a second account go through like that as well")
    func others() async throws {
        let phone = try await TestPhone.enrolled()
        try await phone.addBiometrics()
        try await renewKey(phone)
        #expect(try await phone.logIn { phone.ostiary.sfInput(.simulated(.confirm)) } == [.success])
        let app = try await TestPhone.enrolled()
        try await renewKey(app)
        app.ostiary.startAppLogin()
        _ = try await app.secondFactor()
        app.ostiary.sfInput(PIN("271828"))
        try await app.ostiary.end(try await app.login())
        let twice = try await TestPhone.enrolled()
        try await renewKey(twice)
        try await twice.enrol()
        #expect(twice.ostiary.accounts?.count == 2)
    }

    @Test("A key that is new only when the answer comes is looked up as well, and the try is counted once")
    func answer() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        let (before, highest) = (await fetched(phone), try await phone.server.with { try $0.counted.highest })
        try await renewKey(phone)
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .success)
        try await phone.ostiary.end(try await phone.login())
        #expect(await fetched(phone) == before + 1)
        try await expectNoTryLost(phone, after: highest)
    }

    @Test(
        "If the new bundle cannot be had, the PIN cannot be checked at the moment, and the same PIN afterwards is the same try",
        arguments: [503, 404, 302])
    func answerWithoutBundle(_ status: Int) async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        let highest = try await phone.server.with { try $0.counted.highest }
        try await phone.server.with { server in
            try server.replaceSecondFactorOperatorKey()
            server.mishaps.bundleStatus = status
        }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .error)
        await phone.server.with { $0.mishaps.bundleStatus = nil }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .success)
        try await phone.ostiary.end(try await phone.login())
        try await expectNoTryLost(phone, after: highest)
    }

    /// The changes of the second factor itself, for which no key is offered.
    enum Change: CaseIterable { case pin, addition, removal }

    /// Until it is done, with one input for each question.
    private func make(_ change: Change, _ phone: TestPhone) async throws -> SecondFactorInfo {
        switch change {
        case .pin:
            phone.ostiary.changePIN()
            _ = try await phone.secondFactor()
            phone.ostiary.sfInput(PIN("271828"))
            let verified = try await phone.secondFactor()
            guard verified.secondFactorInfo.result == .success else { return verified.secondFactorInfo }
            _ = try await phone.secondFactor()
            phone.ostiary.sfInput(PIN("314159"))
        case .addition:
            phone.ostiary.addBiometrics()
            _ = try await phone.secondFactor()
            phone.ostiary.sfInput(.simulated(.confirm))
            _ = try await phone.secondFactor()
            phone.ostiary.sfInput(PIN("271828"))
        case .removal:
            phone.ostiary.removeBiometrics()
            _ = try await phone.secondFactor()
            phone.ostiary.sfInput(PIN("271828"))
        }
        return try await phone.secondFactor().secondFactorInfo
    }

    @Test("S4-43 S4-46 the PIN is changed and biometrics are added and removed at the first try", arguments: Change.allCases)
    func changes(_ change: Change) async throws {
        let phone = try await TestPhone.enrolled()
        if change == .removal { try await phone.addBiometrics() }
        let (before, highest) = (await fetched(phone), try await phone.server.with { try $0.counted.highest })
        try await renewKey(phone)
        #expect(try await make(change, phone).result == .success)
        #expect(await fetched(phone) == before + 1)
        try await expectNoTryLost(phone, after: highest)
    }

    @Test(
        "After the second-factor server lost its keys the PIN is changed, and biometrics are added and removed, at the first try, which is counted once",
        arguments: Change.allCases)
    func lost(_ change: Change) async throws {
        let phone = try await TestPhone.enrolled()
        if change == .removal { try await phone.addBiometrics() }
        let (before, highest) = (await fetched(phone), try await phone.server.with { try $0.counted.highest })
        try await phone.server.with { try $0.loseSecondFactorPrekeys() }
        #expect(try await make(change, phone).result == .success)
        #expect(await fetched(phone) == before + 1)
        try await expectNoTryLost(phone, after: highest)
    }

    @Test("A key that is lost while a login asks for the PIN costs the person nothing, not even a new start")
    func lostMeanwhile() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        let highest = try await phone.server.with { try $0.counted.highest }
        try await phone.server.with { try $0.loseSecondFactorPrekeys() }
        phone.ostiary.sfInput(PIN("271829"))
        #expect(try await phone.secondFactor().secondFactorInfo.failedAttempts == 1)
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .success)
        try await phone.ostiary.end(try await phone.login())
        try await expectNoTryLost(phone, after: highest, tries: 2)
    }

    @Test("A first PIN is set, too, though the key that was offered is lost meanwhile")
    func lostAtFirstPIN() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        phone.ostiary.setAccount(nil, for: try await phone.confirmEnrol())
        _ = try await phone.secondFactor()
        try await phone.server.with { try $0.loseSecondFactorPrekeys() }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .success)
    }

    @Test("REFUSED for any other reason is told as it was, after one look at a bundle and one message", arguments: [true, false])
    func refused(_ isLogin: Bool) async throws {
        let phone = try await TestPhone.enrolled()
        if isLogin {
            _ = try await phone.atSecondFactor()
        } else {
            phone.ostiary.changePIN()
            _ = try await phone.secondFactor()
        }
        let before = await fetched(phone)
        let asked = await phone.server.with { server in
            server.lies.answers = { type, status, body in type == .m1 ? (.refused, []) : (status, body) }
            return server.received.count { $0 == .m1 }
        }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.failure().0 == .refused)
        #expect(await fetched(phone) == before + 1)
        #expect(await phone.server.with { server in server.received.count { $0 == .m1 } } == asked + 1)
    }

    @Test("REFUSED once more, of the same try sealed to another key, is told: there is no third message")
    func refusedForEver() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        let before = await fetched(phone)
        let asked = await phone.server.with { server in
            server.lies.answers = { type, status, body in type == .m1 ? (.refused, []) : (status, body) }
            try? server.loseSecondFactorPrekeys()
            return server.received.count { $0 == .m1 }
        }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.finalFailure() == .refused)
        #expect(await fetched(phone) == before + 1)
        #expect(await phone.server.with { server in server.received.count { $0 == .m1 } } == asked + 2)
    }
}
