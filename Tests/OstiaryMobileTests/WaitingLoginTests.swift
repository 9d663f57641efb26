import OstiaryProtocol
import Testing

@testable import OstiaryMobile

@Suite("Waiting login", .timeLimit(.minutes(10)))
struct WaitingLoginTests {
    /// An enrolled phone that was asked about a login that waits for it.
    private func asked() async throws -> (phone: TestPhone, sid: SessionID, session: Session, account: Account) {
        let phone = try await TestPhone.enrolled()
        let sid = await phone.server.makeWaitingLogin(for: try phone.account)
        phone.ostiary.fetchWaitingLogins()
        let (session, accounts) = try await phone.confirmLogin()
        return (phone, sid, session, try #require(accounts.first))
    }

    private func count(_ type: MessageType, _ phone: TestPhone) async -> Int { await phone.server.received.count { $0 == type } }

    @Test("A login that waits is fetched, shown, confirmed by its number and the PIN, and nobody is logged in before the server said so")
    func whole() async throws {
        let (phone, _, session, account) = try await asked()
        #expect(session.needsNumber && session.wrongNumbers == 0 && session.info.binding == .push)
        phone.ostiary.setAccount(account, for: session, number: TestServer.number)
        _ = try await phone.secondFactor()
        #expect(phone.ostiary.session(session.id)?.isLoggedIn == false)
        phone.ostiary.sfInput(PIN("271828"))
        let loggedIn = try await phone.login().id
        #expect(loggedIn == session.id)
        #expect(await phone.server.numbers == [TestServer.number])
    }

    @Test("It is confirmed by the person also where the only account would be taken, because somebody else began it")
    func alwaysConfirmed() async throws {
        let phone = try await TestPhone.enrolled { $0.automaticallySelectSingleAccountWhenSecondFactorNeeded = true }
        _ = await phone.server.makeWaitingLogin(for: try phone.account)
        phone.ostiary.fetchWaitingLogins()
        let needsNumber = try await phone.confirmLogin().0.needsNumber
        #expect(needsNumber)
    }

    @Test("A yes without a number, or with what can be none, is refused before anything is sent", arguments: [nil, "", "31", "3141", "031", "3a4"])
    func missing(_ number: String?) async throws {
        let (phone, _, session, account) = try await asked()
        phone.ostiary.setAccount(account, for: session, number: number)
        let (error, about) = try await phone.failure()
        #expect(error == .numberMissing && about?.id == session.id && about?.isOver == false)
        phone.ostiary.setAccount(account, for: session, number: TestServer.number)
        _ = try await phone.secondFactor()
        #expect(await phone.server.numbers.isEmpty)
    }

    @Test("After a wrong number the number is asked again, not the PIN, and the right one logs in")
    func wrongOnce() async throws {
        let (phone, _, session, account) = try await asked()
        let before = await count(.m1, phone)
        phone.ostiary.setAccount(account, for: session, number: "159")
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        let error = try await phone.failure().0
        #expect(error == .numberWrong)
        let (again, accounts) = try await phone.confirmLogin()
        #expect(again.id == session.id && again.wrongNumbers == 1 && !again.isLoggedIn && accounts == [account])
        phone.ostiary.setAccount(account, for: again, number: TestServer.number)
        let loggedIn = try await phone.login().id
        #expect(loggedIn == session.id)
        #expect(await count(.m1, phone) == before + 1)
        #expect(await phone.server.numbers == ["159", TestServer.number])
    }

    @Test("The third wrong number ends the login, and nothing of it is left to be found out")
    func wrongThrice() async throws {
        let (phone, _, session, account) = try await asked()
        phone.ostiary.setAccount(account, for: session, number: "159")
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        for _ in 0..<2 {
            let (again, _) = try await phone.confirmLogin()
            phone.ostiary.setAccount(account, for: again, number: "159")
        }
        let error = try await phone.finalFailure()
        #expect(error == .numberWrong)
        #expect(await phone.server.numbers.count == 3)
        #expect(phone.ostiary.session(session.id)?.wasLoggedIn == false)
        let isDecided = try await phone.ostiary.undecidedLogins().isEmpty
        #expect(isDecided)
    }

    @Test("The last wrong number of a day ends the login, be it its first, and the app is told that there are no more and not that the third ends it")
    func wrongNumbersOfADay() async throws {
        let (phone, _, session, account) = try await asked()
        await phone.server.with { $0.numbersLeft = 2 }
        phone.ostiary.setAccount(account, for: session, number: "159")
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        let (again, _) = try await phone.confirmLogin()
        phone.ostiary.setAccount(account, for: again, number: "159")
        let error = try await phone.finalFailure()
        #expect(error == .numbersUsedUp && error.advice == .askUser)
        #expect(await phone.server.numbers.count == 2)
        #expect(phone.ostiary.session(session.id)?.wasLoggedIn == false)
        let isDecided = try await phone.ostiary.undecidedLogins().isEmpty
        #expect(isDecided)
    }

    @Test("A server that calls every number wrong is not believed for ever: the third is the last")
    func neverRight() async throws {
        let (phone, _, session, account) = try await asked()
        await phone.server.with { $0.mishaps.statuses[.l5] = Array(repeating: .numberWrong, count: 9) }
        phone.ostiary.setAccount(account, for: session, number: TestServer.number)
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        for _ in 0..<2 { phone.ostiary.setAccount(account, for: try await phone.confirmLogin().0, number: TestServer.number) }
        let error = try await phone.finalFailure()
        #expect(error == .numberWrong)
    }

    @Test("A no needs no number, also after a wrong one, and says that it was not the person", arguments: [false, true])
    func denied(afterWrong: Bool) async throws {
        var (phone, sid, session, account) = try await asked()
        if afterWrong {
            phone.ostiary.setAccount(account, for: session, number: "159")
            _ = try await phone.secondFactor()
            phone.ostiary.sfInput(PIN("271828"))
            (session, _) = try await phone.confirmLogin()
        }
        phone.ostiary.deny(session, notMe: true)
        let ending = try await phone.stopped().ending
        #expect(ending == .denied)
        #expect(await phone.server.sessions[sid]?.denial == .notMe)
    }

    @Test("While another login is under way it waits, and comes when that is over")
    func afterAnother() async throws {
        let phone = try await TestPhone.enrolled()
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let (scanned, _) = try await phone.confirmLogin()
        _ = await phone.server.makeWaitingLogin(for: try phone.account)
        await #expect(throws: OstiaryError.flowInProgress) { try await phone.ostiary.beginWaitingLogin() }
        #expect(phone.ostiary.sessions.filter { !$0.isOver }.map(\.id) == [scanned.id])
        phone.ostiary.stop(scanned)
        let needsNumber = try await phone.confirmLogin().0.needsNumber
        #expect(needsNumber)
    }

    @Test("What was given up is not begun a second time by itself, but when the person asks")
    func notTwice() async throws {
        let (phone, _, session, _) = try await asked()
        phone.ostiary.stop(session)
        _ = try await phone.stopped()
        await (try phone.ostiary.core()).engine.lookForWaitingLogins()
        let isAllOver = phone.ostiary.sessions.allSatisfy(\.isOver)
        #expect(isAllOver)
        let again = try #require(try await phone.ostiary.beginWaitingLogin())
        #expect(again.id != session.id && again.needsNumber)
    }

    @Test("Two that wait come one after the other, the oldest first")
    func inOrder() async throws {
        let (phone, first, session, _) = try await asked()
        let second = await phone.server.makeWaitingLogin(for: try phone.account)
        phone.ostiary.deny(session)
        _ = try await phone.stopped()
        await (try phone.ostiary.core()).engine.lookForWaitingLogins()
        let (next, _) = try await phone.confirmLogin()
        phone.ostiary.deny(next)
        _ = try await phone.stopped()
        let denials = await phone.server.with { server in [first, second].map { server.sessions[$0]?.denial } }
        #expect(denials == [.decline, .decline])
    }

    @Test("An answer to a ping that says that something waits has it fetched")
    func byPing() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        let session = try await phone.login()
        _ = await phone.server.makeWaitingLogin(for: try phone.account)
        try await (try phone.ostiary.core(for: .system)).engine.ping(session.id, hold: 0)
        let needsNumber = try await phone.confirmLogin().0.needsNumber
        #expect(needsNumber)
    }

    @Test("In the background nothing is fetched; in front again it is")
    func foreground() async throws {
        let phone = try await TestPhone.enrolled()
        _ = await phone.server.makeWaitingLogin(for: try phone.account)
        let engine = try phone.ostiary.core(for: .system).engine
        await engine.enterBackground()
        await engine.lookForWaitingLogins()
        #expect(await count(.fetch, phone) == 0)
        phone.ostiary.enterForeground()
        let needsNumber = try await phone.confirmLogin().0.needsNumber
        #expect(needsNumber)
    }

    @Test("A code that was scanned is no login that waits, whatever its server says of it")
    func scannedIsNone() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.settings.binding = .push }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let error = try await phone.finalFailure()
        #expect(error == .serverAnswer)
    }
}
