import OstiaryProtocol
import Testing

@testable import OstiaryMobile

/// A server names another second-factor server for a while, as when an operator pinned the wrong one, and then the right one again. Its own keys stay, so
/// that nothing makes a phone look at a new bundle but the phone itself.
@Suite("A second-factor server that was named by mistake", .timeLimit(.minutes(10)))
struct MistakenSecondFactorTests {
    /// What a phone does that needs the second-factor server.
    enum Errand: CaseIterable { case login, appLogin, pinChange, enrolment }

    private func begin(_ errand: Errand, _ phone: TestPhone) async throws {
        switch errand {
        case .login: _ = try await phone.beginLogin()
        case .appLogin: phone.ostiary.startAppLogin()
        case .pinChange: phone.ostiary.changePIN()
        case .enrolment:
            phone.ostiary.start(with: try await phone.server.makeEnrolLink())
            phone.ostiary.setAccount(nil, for: try await phone.confirmEnrol())
        }
    }

    /// The other one is named, and the phone hears of it with its next request.
    private func mistake(at server: TestServer) async throws -> TestServerKeys {
        try await server.with { server in
            let right = server.secondFactor
            server.secondFactor = try server.otherSecondFactor()
            try server.keys.rotatePrekey()
            return right
        }
    }

    private func fetched(_ phone: TestPhone) async -> Int { await phone.server.with { $0.bundleCalls } }

    @Test(
        "It keeps no phone out once the right one is named again: whoever holds the wrong bundle asks for a new one, once, and goes on",
        arguments: Errand.allCases, [true, false])
    func mended(_ errand: Errand, _ isRestarted: Bool) async throws {
        let phone = try await TestPhone.enrolled()
        let right = try await mistake(at: phone.server)
        _ = try await phone.beginLogin()
        #expect(try await phone.finalFailure() == .serverIdentity)
        let tried = await phone.server.with { server in
            server.secondFactor = right
            return server.seenAttempts.count
        }
        let next = isRestarted ? TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys) : phone
        let before = await fetched(next)
        try await begin(errand, next)
        _ = try await next.secondFactor()
        next.ostiary.sfInput(PIN("271828"))
        #expect(try await next.secondFactor().secondFactorInfo.result == .success)
        #expect(await fetched(next) == before + 1)
        #expect(await phone.server.with { $0.seenAttempts.count } == tried + 1)
    }

    @Test("While it is named each refusal asks for one new bundle, which wins nothing: no attempt is sealed, and no word of it is believed")
    func lasting() async throws {
        let phone = try await TestPhone.enrolled()
        let tried = await phone.server.with { $0.seenAttempts.count }
        _ = try await mistake(at: phone.server)
        for _ in 1...3 {
            let before = await fetched(phone)
            _ = try await phone.beginLogin()
            #expect(try await phone.finalFailure() == .serverIdentity)
            #expect(await fetched(phone) == before + 1)
        }
        #expect(await phone.server.with { $0.seenAttempts.count } == tried)
    }

    @Test("Named while the person is at the PIN, and mended before they type it once more: the same login goes on, and one try is counted")
    func duringQuestion() async throws {
        let phone = try await TestPhone.enrolled()
        let highest = try await phone.server.with { try $0.counted.highest }
        _ = try await phone.atSecondFactor()
        let right = try await mistake(at: phone.server)
        await phone.server.with { $0.mishaps.isSecondFactorDown = true }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .error)
        await phone.server.with { server in
            server.secondFactor = right
            server.mishaps.isSecondFactorDown = false
        }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .success)
        try await phone.ostiary.end(try await phone.login())
        #expect(try await phone.server.with { try $0.counted } == TestServer.Counted(failed: 0, highest: highest + 1))
    }

    @Test("Without a new bundle nobody can say which one is named: that is no connection, and no impostor")
    func withoutBundle() async throws {
        let phone = try await TestPhone.enrolled { $0.connectionPatience = .zero }
        let right = try await mistake(at: phone.server)
        _ = try await phone.beginLogin()
        #expect(try await phone.finalFailure() == .serverIdentity)
        await phone.server.with { server in
            server.secondFactor = right
            server.mishaps.bundleStatus = 503
        }
        _ = try await phone.beginLogin()
        #expect(try await phone.finalFailure() == .serverConnection)
        await phone.server.with { $0.mishaps.bundleStatus = nil }
        #expect(try await phone.logIn { phone.ostiary.sfInput(PIN("271828")) } == [.success])
    }
}
