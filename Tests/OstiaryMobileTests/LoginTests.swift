import OstiaryProtocol
import Testing

@testable import OstiaryMobile

@Suite("Login", .timeLimit(.minutes(10)))
struct LoginTests {
    @Test("S4-03 S4-04 startUserInteraction leads from ready to the question, when the app does that itself")
    func startsInteraction() async throws {
        let phone = try await TestPhone.enrolledByHand()
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let ready = try await phone.until {
            if case .sessionUpdate(let session) = $0, session.state == .readyForUserInteraction { session } else { nil }
        }
        #expect(ready.info.serviceName == "Shop")
        phone.ostiary.setAccount(phone.ostiary.accounts?.first, for: ready)
        #expect(try await phone.failure().0 == .wrongOrder, "nobody was asked yet")
        phone.ostiary.startUserInteraction()
        let (session, _) = try await phone.confirmLogin()
        #expect(session.id == ready.id && session.state == .waitingForUserInput)
        phone.ostiary.startUserInteraction()
        #expect(try await phone.failure().0 == .wrongOrder)
    }

    @Test("Without that setting the SDK goes on by itself, and the call is harmless")
    func goesOnByItself() async throws {
        let phone = try await TestPhone.enrolled()
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let (session, accounts) = try await phone.confirmLogin()
        phone.ostiary.startUserInteraction(for: session)
        phone.ostiary.setAccount(accounts.first, for: session)
        #expect(try await phone.secondFactor().secondFactorInfo.context == .verify, "S4-01 S4-39")
    }

    @Test("S4-12 S4-16 setAccount chooses one of the accounts offered; before that the session has none")
    func choosesAccount() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.settings.announceInfo = [Announcement(key: "Amount", text: "12 €")] }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let (session, accounts) = try await phone.confirmLogin()
        #expect(session.account == nil)
        #expect(session.info.announceInfo == ["Amount": "12 €"] && session.info.browserCity == "Ghent")
        #expect(accounts == phone.ostiary.accounts)
        phone.ostiary.setAccount(accounts.first, for: session, with: "from the phone")
        let factor = try await phone.secondFactor()
        #expect(factor.session?.account == accounts.first)
        phone.ostiary.sfInput(PIN("271828"))
        let loggedIn = try await phone.login()
        #expect(loggedIn.username == "ada" && loggedIn.webNonce == nil && !loggedIn.isAppLogin)
        #expect(await phone.server.with { $0.userInputs.last } == "from the phone")
    }

    @Test("S4-15 any other account is refused, and the question stays open")
    func refusesOtherAccounts() async throws {
        let phone = try await TestPhone.enrolled()
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let (session, accounts) = try await phone.confirmLogin()
        let own = try #require(accounts.first)
        let other = Account(
            id: Account.ID(rawValue: AccountID(using: SystemRandomSource()).text), username: own.username, displayName: own.displayName,
            serverName: own.serverName, serverURL: own.serverURL, serverIdentity: own.serverIdentity, state: .active, hasSecondFactor: true,
            createdAt: 0)
        phone.ostiary.setAccount(other, for: session)
        #expect(try await phone.failure().0 == .accountNotOffered)
        phone.ostiary.setAccount(nil, for: session)
        #expect(try await phone.failure().0 == .accountNotOffered)
        phone.ostiary.setAccount(own, for: session, with: String(repeating: "x", count: 4_097))
        #expect(try await phone.failure().0 == .userInputRefused)
        phone.ostiary.setAccount(own, for: session)
        _ = try await phone.secondFactor()
    }

    @Test("S4-07 an account that the server selected is the only one offered")
    func preselected() async throws {
        let phone = try await TestPhone.enrolled()
        let account = try phone.account
        await phone.server.with { $0.settings.selectedAccount = account }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        #expect(try await phone.confirmLogin().1.map(\.id.rawValue) == [account.text])
        phone.ostiary.sfCancel()
        #expect(try await phone.failure().0 == .wrongOrder, "no second factor is being asked for")
    }

    @Test("A login for an account that is not on this phone says that, and leaves the account that is there alone")
    func preselectedElsewhere() async throws {
        let phone = try await TestPhone.enrolled()
        let before = phone.accounts.document
        await phone.server.with { $0.settings.selectedAccount = AccountID(using: $0.random) }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let error = try await phone.finalFailure()
        #expect(error == .accountNotOffered && error.advice == .askUser && error.code == nil)
        #expect(phone.accounts.document == before)
    }

    @Test("A denial is signed and reaches the server", arguments: [(false, Decision.decline), (true, .notMe)])
    func denies(_ notMe: Bool, _ decision: Decision) async throws {
        let phone = try await TestPhone.enrolled()
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let (session, _) = try await phone.confirmLogin()
        phone.ostiary.deny(session, notMe: notMe)
        let ended = try await phone.stopped()
        #expect(ended.ending == .denied && ended.state == .done && !ended.isLoggedOut)
        #expect(await phone.server.with { $0.sessions.values.compactMap(\.denial) } == [decision])
    }

    @Test("A denial while the PIN is asked for closes that question too")
    func deniesAtSecondFactor() async throws {
        let phone = try await TestPhone.enrolled()
        let session = try await phone.beginLogin()
        _ = try await phone.secondFactor()
        phone.ostiary.deny(session)
        #expect(try await phone.secondFactor().stopped)
        #expect(try await phone.stopped().ending == .denied)
        #expect(await phone.server.with { $0.sessions.values.compactMap(\.denial) } == [.decline])
    }

    @Test("A code of a server without an account here is error 34")
    func unknownServer() async throws {
        let phone = try await TestPhone.enrolled()
        let stranger = try TestServer(clock: phone.clock, seed: 0x21)
        phone.ostiary.start(with: try await stranger.makeLoginLink())
        let (error, session) = try await phone.failure()
        #expect(error == .noAccountsForServer && error.code == 34 && session == nil)
    }

    @Test(
        "What the server says of a session is what the app hears",
        arguments: [
            (Status.linkOld, OstiaryError.linkOld), (.sessionTaken, .sessionTaken), (.sessionOver, .sessionOver), (.sessionUnknown, .sessionUnknown),
            (.accountBlocked, .accountBlocked), (.tooMany, .tooMany), (.refused, .refused),
        ])
    func statuses(_ status: Status, _ error: OstiaryError) async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.mishaps.statuses[.l1] = [status] }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        #expect(try await phone.finalFailure() == error)
    }

    @Test("Rubbish is no link: error 32, and 33 for a kind that does not exist yet")
    func rubbish() async throws {
        let phone = try await TestPhone.enrolled()
        phone.ostiary.start(with: [1, 2, 3])
        #expect(try await phone.failure().0.code == 32)
        phone.ostiary.start(link: "https://login.example/l#!!")
        #expect(try await phone.failure().0.code == 32)
        phone.ostiary.start(with: [1, 9] + [UInt8](repeating: 0, count: 40))
        #expect(try await phone.failure().0.code == 33)
        let link = try await phone.server.makeLoginLink()
        for count in 0..<link.count {
            phone.ostiary.start(with: Array(link.prefix(count)))
            #expect(try await phone.failure().0.code == 32)
        }
        #expect(!phone.ostiary.sessions.contains { !$0.isOver })
    }

    @Test("A link works as text, and as the text in a code")
    func textLinks() async throws {
        let phone = try await TestPhone.enrolled()
        let text = Link.text(of: try await phone.server.makeLoginLink(), at: TestServer.url)
        phone.ostiary.start(with: Array(text.utf8))
        let (session, _) = try await phone.confirmLogin()
        phone.ostiary.stop(session)
        #expect(try await phone.stopped().ending == .cancelled)
        phone.ostiary.start(link: text)
        _ = try await phone.confirmLogin()
    }
}

extension TestPhone {
    /// With one account, and `manuallyStartUserInteraction`.
    static func enrolledByHand() async throws -> TestPhone {
        let first = try await enrolled()
        return TestPhone(first.server, accounts: first.accounts, keys: first.keys) { $0.manuallyStartUserInteraction = true }
    }
}
