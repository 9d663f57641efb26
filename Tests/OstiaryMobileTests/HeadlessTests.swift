import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

extension TestPhone {
    /// A phone with one active headless account, at a server whose Data Service says everything backwards.
    static func headless(
        clock: TestClock = TestClock(), _ configure: (inout Ostiary.Configuration) -> Void = { _ in }
    ) async throws -> TestPhone {
        let phone = TestPhone(try TestServer(clock: clock), configure)
        await phone.server.with { server in
            server.settings.enrolsWithSecondFactor = false
            server.settings.offlineCodes = .six
            server.dataService = { Array($0.reversed()) }
        }
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        phone.ostiary.setAccount(nil, for: try await phone.confirmEnrol())
        _ = try await phone.code()
        await phone.server.confirmAccounts()
        _ = try await phone.stopped()
        return phone
    }

    /// As far as the code of an upgrade, which the server waits for.
    func upgradeUpToCode() async throws -> Session {
        let account = try account
        ostiary.start(with: try await server.makeUpgradeLink(of: account))
        let session = try await confirmEnrol()
        ostiary.setAccount(nil, for: session)
        _ = try await secondFactor()
        ostiary.sfInput(PIN("271828"))
        _ = try await code()
        return session
    }

    var document: StoredState { get throws { try StoredState(decoding: accounts.document) } }
}

@Suite("Accounts without a second factor", .timeLimit(.minutes(10)))
struct HeadlessTests {
    @Test("Where the server wants no second factor the person is told so, none is asked for, nobody is logged in, and nothing is kept of one")
    func enrols() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        await phone.server.with { $0.settings.enrolsWithSecondFactor = false }
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        let session = try await phone.confirmEnrol()
        #expect(!session.enrolInfo.asksSecondFactor && !session.enrolInfo.isUpgrade)
        phone.ostiary.setAccount(nil, for: session)
        _ = try await phone.code()
        await phone.server.confirmAccounts()
        let ended = try await phone.stopped()
        #expect(ended.ending == .enrolled && ended.state == .done && !ended.isLoggedOut)
        let account = try #require(phone.ostiary.accounts?.first)
        #expect(account.state == .active && !account.hasSecondFactor)
        let state = try phone.document
        #expect(state.accounts.map(\.instance) == [nil] && state.instances.isEmpty && state.sessions.isEmpty && state.claims.isEmpty)
        #expect(await phone.server.with { $0.seenAttempts.isEmpty && $0.instances.isEmpty && $0.caches.isEmpty })
        #expect(phone.ostiary.history.isEmpty, "nothing was logged in, nor did anything fail")
    }

    @Test("S0-03 it asks for data, by its name and as the only account, also after the app was started again")
    func asksForData() async throws {
        let phone = try await TestPhone.headless()
        #expect(try await phone.ostiary.getData([1, 2, 3]) == [3, 2, 1])
        let again = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys)
        let account = try #require(again.ostiary.accounts?.first)
        #expect(try await again.ostiary.getData([1, 2], for: account) == [2, 1])
    }

    @Test("Everything else is refused on the phone, in words of its own, and no server hears of it")
    func refuses() async throws {
        let phone = try await TestPhone.headless()
        let heard = await phone.server.with { $0.received.count }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        #expect(try await phone.finalFailure() == .noSecondFactor)
        await #expect(throws: OstiaryError.noSecondFactor) { try await phone.ostiary.beginAppLogin() }
        await #expect(throws: OstiaryError.noSecondFactor) { try await phone.ostiary.replacePIN() }
        let account = try #require(phone.ostiary.accounts?.first)
        await #expect(throws: OstiaryError.noSecondFactor) { try await phone.ostiary.replacePIN(for: account) }
        phone.ostiary.start(link: TestServer.url + "/device?user_code=WDJB-MJHT")
        #expect(try await phone.failure().0 == .noSecondFactor)
        phone.ostiary.fetchWaitingLogins()
        #expect(try await phone.ostiary.getData([7]) == [7])
        #expect(await phone.server.with { $0.received.count } == heard + 1)
        #expect(OstiaryError.noSecondFactor.advice == .askUser && OstiaryError(Status.headless) == .noSecondFactor)
    }

    @Test("A login goes to the account beside it that has a second factor, and offers no code of the one without")
    func besideAFullAccount() async throws {
        let phone = try await TestPhone.headless()
        await phone.server.with { $0.settings.enrolsWithSecondFactor = true }
        try await phone.enrol()
        let full = try #require(phone.ostiary.accounts?.last)
        #expect(full.hasSecondFactor)
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let offered = try await phone.until { if case .otpAvailable(_, let accounts) = $0 { accounts } else { nil } }
        #expect(offered.map(\.id) == [full.id])
        let (session, accounts) = try await phone.confirmLogin()
        #expect(accounts.map(\.id) == [full.id])
        phone.ostiary.setAccount(phone.ostiary.accounts?.first, for: session)
        #expect(try await phone.failure().0 == .accountNotOffered)
    }

    @Test("A server that says of an account that it is another kind than the person has confirmed is not believed", arguments: [true, false])
    func otherKind(isHeadless: Bool) async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        await phone.server.with { $0.settings.enrolsWithSecondFactor = !isHeadless }
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        phone.ostiary.setAccount(nil, for: try await phone.confirmEnrol())
        if !isHeadless {
            _ = try await phone.secondFactor()
            phone.ostiary.sfInput(PIN("271828"))
        }
        _ = try await phone.code()
        await phone.server.with { server in
            for id in server.accounts.keys { server.accounts[id]?.isHeadless = !isHeadless }
        }
        await phone.server.confirmAccounts()
        #expect(try await phone.finalFailure() == .serverAnswer)
        #expect(phone.ostiary.accounts?.contains { $0.state == .active } != true)
    }
}
