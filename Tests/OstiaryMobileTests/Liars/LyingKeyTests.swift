import OstiaryProtocol
import Testing

@testable import OstiaryMobile

/// Servers that pass somebody else's keys off as those of the second-factor server, where a phone asks for a new bundle.
@Suite("A lying server about new keys", .timeLimit(.minutes(10)))
struct LyingKeyTests {
    private func attempts(_ phone: TestPhone) async -> Int { await phone.server.with { $0.seenAttempts.count } }

    @Test("A key that another root certified is a stranger's: 48, and the new bundle takes no other's place")
    func strangersRoot() async throws {
        let phone = try await TestPhone.enrolled()
        let before = try StoredState(decoding: phone.accounts.document).servers
        let asked = await attempts(phone)
        try await phone.server.with { server in
            try server.replaceSecondFactorOperatorKey(certifiedBy: server.keys.root)
        }
        _ = try await phone.beginLogin()
        let error = try await phone.finalFailure()
        #expect(error == .serverIdentity && error.code == 48)
        phone.ostiary.changePIN()
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.failure().0 == .serverIdentity)
        #expect(try StoredState(decoding: phone.accounts.document).servers == before)
        #expect(await attempts(phone) == asked + 1, "the change of the PIN, sealed to the key of before")
    }

    @Test("An offered key, or an answer, by a key that is in no bundle is a stranger's after one look at a new one", arguments: [true, false])
    func strangersKey(_ isOffered: Bool) async throws {
        let phone = try await TestPhone.enrolled()
        let stranger = try await phone.server.otherSecondFactor()
        if isOffered {
            await phone.server.with { $0.lies.prekey = stranger.published(at: $0.now) }
            let before = await phone.server.with { $0.bundleCalls }
            _ = try await phone.beginLogin()
            #expect(try await phone.finalFailure() == .serverIdentity)
            #expect(await phone.server.with { $0.bundleCalls } == before + 1)
        } else {
            _ = try await phone.atSecondFactor()
            let before = await phone.server.with { $0.bundleCalls }
            await phone.server.with { $0.lies.evaluationSigner = stranger.operatorKey }
            phone.ostiary.sfInput(PIN("271828"))
            #expect(try await phone.finalFailure() == .serverIdentity)
            #expect(await phone.server.with { $0.bundleCalls } == before + 1)
        }
    }

    @Test("Another second-factor server in the new bundle is 48: nothing is sealed to it, whether it is offered or comes with an answer")
    func otherRoot() async throws {
        for isOffered in [true, false] {
            let phone = try await TestPhone.enrolled()
            if !isOffered { _ = try await phone.atSecondFactor() }
            let asked = await attempts(phone)
            try await phone.server.with { $0.secondFactor = try $0.otherSecondFactor() }
            if isOffered { _ = try await phone.beginLogin() } else { phone.ostiary.sfInput(PIN("271828")) }
            #expect(try await phone.finalFailure() == .serverIdentity)
            #expect(await attempts(phone) == asked + (isOffered ? 0 : 1))
        }
    }

    @Test("S4-43 a server that names another second-factor server, and only then refuses, gets no new PIN sealed to that one")
    func otherRootBetweenTries() async throws {
        let phone = try await TestPhone.enrolled()
        phone.ostiary.changePIN()
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        while try await phone.secondFactor().secondFactorInfo.context != .pinChangeSet {}
        let before = try StoredState(decoding: phone.accounts.document).instances
        try await phone.server.with { server in
            server.secondFactor = try server.otherSecondFactor()
            try server.keys.rotatePrekey()
            server.mishaps.isSecondFactorDown = true
        }
        phone.ostiary.sfInput(PIN("314159"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .error)
        let asked = await phone.server.with { server in
            server.mishaps.isSecondFactorDown = false
            return server.seenAttempts.count
        }
        phone.ostiary.sfInput(PIN("314159"))
        #expect(try await phone.failure().0 == .serverIdentity)
        #expect(await attempts(phone) == asked)
        #expect(try StoredState(decoding: phone.accounts.document).instances == before)
    }
}
