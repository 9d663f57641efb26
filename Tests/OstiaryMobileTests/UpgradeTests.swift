import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("A headless account becomes a full one", .timeLimit(.minutes(10)))
struct UpgradeTests {
    @Test("By its link it gets a PIN: the same account under the same id, logged in once the code was typed, with the key that it had")
    func upgrades() async throws {
        let phone = try await TestPhone.headless()
        let (id, before) = (try phone.account, try #require(try phone.document.accounts.first))
        phone.ostiary.start(with: try await phone.server.makeUpgradeLink(of: id))
        let session = try await phone.confirmEnrol()
        #expect(session.enrolInfo.isUpgrade && session.enrolInfo.asksSecondFactor && session.account?.id.rawValue == id.text)
        phone.ostiary.setAccount(nil, for: session)
        #expect(try await phone.secondFactor().secondFactorInfo.context == .firstSet)
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.code()
        #expect(phone.ostiary.accounts?.map(\.hasSecondFactor) == [false], "until the code is typed")
        #expect(try await phone.ostiary.getData([1, 2]) == [2, 1])
        await phone.server.confirmAccounts()
        #expect(try await phone.login().isLoggedIn)
        let account = try #require(phone.ostiary.accounts?.first)
        #expect(account.id.rawValue == id.text && account.hasSecondFactor && phone.ostiary.accounts?.count == 1)
        let state = try phone.document
        let after = try #require(state.accounts.first)
        #expect(after.keyName == before.keyName && after.otpSecretName == before.otpSecretName && after.upgrade == nil)
        #expect(after.instance == state.instances.first?.id && state.claims.isEmpty && state.discarded.isEmpty)
        try await phone.logInByCode()
    }

    @Test("By a link as well as by a code, and also in an app that allows one account")
    func byLink() async throws {
        let phone = try await TestPhone.headless { $0.singleAccount = true }
        let bytes = try await phone.server.makeUpgradeLink(of: try phone.account)
        phone.ostiary.start(link: Link.text(of: bytes, at: TestServer.url))
        #expect(try await phone.confirmEnrol().enrolInfo.isUpgrade)
    }

    @Test("The PIN that this app has at the server vouches: none is set")
    func vouchedFor() async throws {
        let phone = try await TestPhone.headless()
        let id = try phone.account
        await phone.server.with { $0.settings.enrolsWithSecondFactor = true }
        try await phone.enrol()
        phone.ostiary.start(with: try await phone.server.makeUpgradeLink(of: id))
        phone.ostiary.setAccount(nil, for: try await phone.confirmEnrol())
        #expect(try await phone.secondFactor().secondFactorInfo.context == .verify)
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.code()
        await phone.server.confirmAccounts()
        #expect(try await phone.login().isLoggedIn)
        let state = try phone.document
        #expect(Set(state.accounts.map(\.instance)) == [state.instances.first?.id] && state.instances.count == 1)
    }

    @Test("The link of another phone, of a server without an account here, of an account that has its PIN, and of one that waits for its code")
    func otherLinks() async throws {
        let phone = try await TestPhone.headless()
        let id = try phone.account
        phone.ostiary.start(with: try await phone.server.makeUpgradeLink(of: AccountID(using: SystemRandomSource())))
        #expect(try await phone.failure().0 == .accountNotOffered)
        let stranger = try TestServer(clock: TestClock(), seed: 0x21)
        phone.ostiary.start(with: try await stranger.makeUpgradeLink(of: id))
        #expect(try await phone.failure().0 == .noAccountsForServer)
        _ = try await phone.upgradeUpToCode()
        await phone.server.confirmAccounts()
        let loggedIn = try await phone.login()
        try await phone.ostiary.end(loggedIn)
        phone.ostiary.start(with: try await phone.server.makeUpgradeLink(of: id))
        #expect(try await phone.failure().0 == .enrolmentExpired)
    }

    @Test("A person who says no, and an app that is given up before the PIN, leave the account as it was", arguments: [true, false])
    func declined(isDenied: Bool) async throws {
        let phone = try await TestPhone.headless()
        let before = try phone.document
        phone.ostiary.start(with: try await phone.server.makeUpgradeLink(of: try phone.account))
        let session = try await phone.confirmEnrol()
        if isDenied { phone.ostiary.deny(session) } else { phone.ostiary.stop(session) }
        #expect(try await phone.stopped().ending == (isDenied ? .denied : .cancelled))
        #expect(try phone.document.accounts == before.accounts)
        #expect(await phone.server.with { $0.declines } == [isDenied ? .decline : .gaveUp])
        #expect(try await phone.ostiary.getData([1, 2]) == [2, 1])
    }

    @Test("A code that was never typed: the account asks for data as before, nothing is left of the PIN, and another link goes through")
    func neverConfirmed() async throws {
        let phone = try await TestPhone.headless()
        _ = try await phone.upgradeUpToCode()
        await phone.server.giveUpUpgrades()
        #expect(try await phone.finalFailure() == .enrolmentExpired)
        let state = try phone.document
        #expect(state.accounts.first?.upgrade == nil && state.accounts.first?.instance == nil && state.instances.isEmpty)
        #expect(try await phone.ostiary.getData([1, 2]) == [2, 1])
        _ = try await phone.upgradeUpToCode()
        await phone.server.confirmAccounts()
        #expect(try await phone.login().isLoggedIn)
    }

    @Test("A server that was put back to before the upgrade: its word counts, and another upgrade gives the same account a new PIN")
    func putBack() async throws {
        let phone = try await TestPhone.headless()
        let id = try phone.account
        _ = try await phone.upgradeUpToCode()
        await phone.server.confirmAccounts()
        try await phone.ostiary.end(try await phone.login())
        let former = try #require(phone.document.instances.first?.id)
        await phone.server.with { server in
            server.accounts[id]?.isHeadless = true
            server.mishaps.statuses[.m1] = [.headless]
        }
        phone.ostiary.start(with: try await phone.server.makeUpgradeLink(of: id))
        phone.ostiary.setAccount(nil, for: try await phone.confirmEnrol())
        #expect(try await phone.secondFactor().secondFactorInfo.context == .verify)
        phone.ostiary.sfInput(PIN("271828"))
        let asked = try await phone.until { event -> SecondFactor? in
            if case .secondFactorStarted(let factor) = event, factor.secondFactorInfo.context == .firstSet { factor } else { nil }
        }
        #expect(!asked.stopped)
        phone.ostiary.sfInput(PIN("314159"))
        _ = try await phone.code()
        await phone.server.confirmAccounts()
        #expect(try await phone.login().isLoggedIn)
        let state = try phone.document
        #expect(state.instances.count == 1 && state.instances.first?.id != former && state.accounts.first?.instance == state.instances.first?.id)
        #expect(phone.ostiary.accounts?.map(\.id.rawValue) == [id.text])
    }

    @Test("A server that makes another account of an upgrade, or asks for no second factor in it, is not believed")
    func lyingServer() async throws {
        let phone = try await TestPhone.headless()
        let id = try phone.account
        let link = try await phone.server.makeUpgradeLink(of: id)
        await phone.server.with { server in
            for each in server.enrolments.keys where server.enrolments[each]?.upgrades == id { server.enrolments[each]?.upgrades = nil }
            server.settings.enrolsWithSecondFactor = true
        }
        phone.ostiary.start(with: link)
        #expect(try await phone.finalFailure() == .serverAnswer)
        #expect(try phone.account == id)
        #expect(try await phone.ostiary.getData([1, 2]) == [2, 1])
    }
}

@Suite("A phone that dies in the middle of an upgrade", .timeLimit(.minutes(10)))
struct DyingUpgradeTests {
    /// The phone in a new process.
    private func again(_ phone: TestPhone) -> TestPhone { TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys) }

    @Test(
        "Before the code was typed: the next process shows it again, and ends with the full account; or with the headless one, when it is not typed",
        arguments: [true, false])
    func whileWaiting(isTyped: Bool) async throws {
        let first = try await TestPhone.headless()
        _ = try await first.upgradeUpToCode()
        await (try first.ostiary.core().engine).shutDown()
        let phone = again(first)
        #expect(try await phone.ostiary.getData([1, 2]) == [2, 1], "it is what it was")
        await #expect(throws: OstiaryError.accountPending) { try await phone.ostiary.beginAppLogin() }
        phone.ostiary.resume()
        _ = try await phone.code()
        if isTyped {
            await phone.server.confirmAccounts()
            #expect(try await phone.login().isEnrolment)
            #expect(phone.ostiary.accounts?.map(\.hasSecondFactor) == [true])
            try await phone.logInByCode()
        } else {
            await phone.server.giveUpUpgrades()
            #expect(try await phone.finalFailure() == .enrolmentExpired)
            #expect(try phone.document.instances.isEmpty)
            #expect(try await phone.ostiary.getData([1, 2]) == [2, 1])
        }
    }

    @Test("The decision is sent and its answer lost, while the code is typed: the next process finds the full account, and its PIN opens it")
    func afterTheDecision() async throws {
        let first = try await TestPhone.headless()
        let id = try first.account
        await first.server.with { $0.mishaps.lostAnswers[.e3] = 1_000 }
        first.ostiary.start(with: try await first.server.makeUpgradeLink(of: id))
        first.ostiary.setAccount(nil, for: try await first.confirmEnrol())
        _ = try await first.secondFactor()
        first.ostiary.sfInput(PIN("271828"))
        try await waiting(while: await first.server.with { $0.accounts[id]?.upgrading == nil })
        await (try first.ostiary.core().engine).shutDown()
        await first.server.confirmAccounts()
        let phone = again(first)
        phone.ostiary.resume()
        #expect(try await phone.login().isEnrolment)
        let state = try phone.document
        #expect(state.accounts.first?.instance == state.instances.first?.id && state.accounts.first?.upgrade == nil)
        try await phone.logInByCode()
    }

    @Test("The decision never arrived: the box is kept as long as a copy of it may still arrive, and then goes")
    func beforeTheDecision() async throws {
        let first = try await TestPhone.headless(clock: TestClock(pauses: .pass))
        let id = try first.account
        await first.server.with { ($0.mishaps.answered[.e3], $0.mishaps.statuses[.e3]) = (0, [Status](repeating: .busy, count: 1_000)) }
        first.ostiary.start(with: try await first.server.makeUpgradeLink(of: id))
        first.ostiary.setAccount(nil, for: try await first.confirmEnrol())
        _ = try await first.secondFactor()
        first.ostiary.sfInput(PIN("271828"))
        // The first one was that of the headless account.
        try await waiting(while: await first.server.with { server in server.received.count { $0 == .e3 } < 2 })
        await (try first.ostiary.core().engine).shutDown()
        let phone = again(first)
        _ = try await phone.ostiary.refresh()
        let kept = try phone.document
        #expect(kept.accounts.map(\.upgrade?.instance) == kept.instances.map(\.id) && kept.instances.count == 1)
        #expect(phone.ostiary.accounts?.map(\.hasSecondFactor) == [false])
        #expect(try await phone.ostiary.getData([1, 2]) == [2, 1])
        phone.clock.advance(Engine.enrolmentLife + 1)
        _ = try await phone.ostiary.refresh()
        #expect(try phone.document.accounts.first?.upgrade == nil && phone.document.instances.isEmpty)
        #expect(phone.ostiary.accounts?.map(\.hasSecondFactor) == [false])
    }
}
