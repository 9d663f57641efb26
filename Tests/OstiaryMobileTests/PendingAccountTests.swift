import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

/// An enrolment whose process ended before its code was typed.
@Suite("An account that waits for its code", .timeLimit(.minutes(10)))
struct PendingAccountTests {
    /// A phone that was started again while its only account waits.
    private func waiting() async throws -> TestPhone {
        let first = TestPhone(try TestServer(clock: TestClock()))
        first.ostiary.start(with: try await first.server.makeEnrolLink())
        first.ostiary.setAccount(nil, for: try await first.confirmEnrol())
        _ = try await first.secondFactor()
        first.ostiary.sfInput(PIN("271828"))
        _ = try await first.until { if case .enrolConfirmation = $0 { true } else { nil } }
        first.cable.cut()
        return TestPhone(first.server, accounts: first.accounts, keys: first.keys)
    }

    private func states(_ phone: TestPhone) throws -> [Account.State] { try StoredState(decoding: phone.accounts.document).accounts.map(\.state) }

    private func asked(_ phone: TestPhone) async -> Int { await phone.server.with { server in server.received.count { $0 == .w1 } } }

    @Test("A login meanwhile says that the account waits, not that there is none")
    func login() async throws {
        let phone = try await waiting()
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        #expect(try await phone.failure().0 == .accountPending)
        phone.ostiary.start(with: Array(await phone.server.makeDeviceCode().uri.utf8))
        #expect(try await phone.failure().0 == .accountPending)
        #expect(await phone.server.brought.isEmpty)
        let other = TestPhone(try TestServer(clock: phone.clock, seed: 0x31), accounts: phone.accounts, keys: phone.keys)
        other.ostiary.start(with: try await other.server.makeLoginLink())
        #expect(try await other.failure().0 == .noAccountsForServer, "at another server there is none")
    }

    @Test("When refresh returns, an account that was confirmed meanwhile is active and logged in, and the server was asked once")
    func confirmedMeanwhile() async throws {
        let phone = try await waiting()
        let before = await asked(phone)
        await phone.server.confirmAccounts()
        let sessions = try await phone.ostiary.refresh()
        #expect(sessions.map(\.isLoggedIn) == [true] && sessions.allSatisfy(\.isEnrolment))
        #expect(try states(phone) == [.active] && phone.ostiary.accounts?.map(\.state) == [.active])
        #expect(await asked(phone) == before + 1)
        #expect(try await phone.login().isEnrolment)
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        #expect(try await phone.confirmLogin().1.count == 1)
    }

    @Test("When refresh returns, an account that came to nothing is gone, and the app is told")
    func overMeanwhile() async throws {
        let phone = try await waiting()
        await phone.server.with { $0.accounts = [:] }
        #expect(try await phone.ostiary.refresh().filter { !$0.isOver }.isEmpty)
        #expect(try await phone.finalFailure() == .enrolmentExpired)
        #expect(try states(phone).isEmpty)
    }

    @Test("One that still waits keeps nobody: refresh returns, shows the code, and the login comes when it was typed")
    func stillWaiting() async throws {
        let phone = try await waiting()
        #expect(try await phone.ostiary.refresh().map(\.isLoggedIn) == [false])
        _ = try await phone.until { if case .enrolConfirmation = $0 { true } else { nil } }
        #expect(try states(phone) == [.pending])
        await phone.server.confirmAccounts()
        #expect(try await phone.login().isEnrolment)
    }

    @Test("Nor does a server that cannot be reached")
    func unreachable() async throws {
        let phone = try await waiting()
        await phone.server.with { $0.mishaps.isDown = true }
        #expect(try await phone.ostiary.refresh().map(\.isLoggedIn) == [false])
        #expect(try states(phone) == [.pending])
        await phone.server.with { $0.mishaps.isDown = false }
        await phone.server.confirmAccounts()
        #expect(try await phone.login().isEnrolment)
    }
}
