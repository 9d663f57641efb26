import OstiaryProtocol
import Testing

@testable import OstiaryMobile

/// The site asks something else by the same code while the person reads or types.
@Suite("A login that is changed while it is answered", .timeLimit(.minutes(10)))
struct ChangedQuestionTests {
    private func ask(_ amount: String, _ phone: TestPhone) async {
        await phone.server.ask([Announcement(key: "amount", text: amount)])
    }

    /// What an app hears, in a word each.
    private func steps(_ events: [OstiaryEvent]) -> [String] {
        events.compactMap { event in
            switch event {
            case .confirmLogin(let session, _): "confirm \(session.info.announceInfo["amount"] ?? "")"
            case .sessionUpdate(let session): "update \(session.info.announceInfo["amount"] ?? "")"
            case .secondFactorStarted: "PIN"
            case .secondFactorUpdated(let factor): factor.stopped ? "PIN over" : "PIN again"
            case .sessionLogin(let session): "login \(session.info.announceInfo["amount"] ?? "")"
            case .error(let error, _): "\(error)"
            default: nil
            }
        }
    }

    private func isConfirm(_ event: OstiaryEvent) -> Bool { if case .confirmLogin = event { true } else { false } }
    private func isLogin(_ event: OstiaryEvent) -> Bool { if case .sessionLogin = event { true } else { false } }

    @Test("While the PIN is typed: the PIN's screen closes, the new words come and are confirmed anew, and only they log in")
    func whileTyping() async throws {
        let phone = try await TestPhone.enrolled()
        let instance = try #require(await phone.server.with { server in server.instances.keys.first })
        await ask("10 EUR", phone)
        let session = try await phone.beginLogin()
        #expect(session.info.announceInfo == ["amount": "10 EUR"])
        _ = try await phone.secondFactor()
        let counted = await phone.server.with { server in server.instances[instance]?.highest }
        await ask("9000 EUR", phone)
        phone.ostiary.sfInput(PIN("271828"))
        let asked = try await phone.all(until: isConfirm)
        #expect(steps(asked) == ["PIN over", "update 9000 EUR", "confirm 9000 EUR"])
        #expect(await phone.server.with { server in server.instances[instance]?.highest } == counted)
        #expect(await phone.server.with { server in server.sessions.values.allSatisfy { $0.outcome == nil || $0.stop != nil } })
        phone.ostiary.setAccount(phone.ostiary.accounts?.first, for: session, with: "for the rent")
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        let end = try await phone.all(until: isLogin)
        #expect(steps(end).last == "login 9000 EUR")
        #expect(await phone.server.userInputs.last == "for the rent")
    }

    @Test("Where a single account is not confirmed, a login that was changed is")
    func alwaysConfirmed() async throws {
        let phone = try await TestPhone.enrolled { $0.automaticallySelectSingleAccountWhenSecondFactorNeeded = true }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let factor = try await phone.secondFactor()
        await ask("9000 EUR", phone)
        phone.ostiary.sfInput(PIN("271828"))
        let (session, accounts) = try await phone.confirmLogin()
        #expect(session.id == factor.session?.id && session.info.announceInfo == ["amount": "9000 EUR"])
        phone.ostiary.setAccount(accounts.first, for: session)
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.login().id == session.id)
    }

    @Test(
        "A login that was changed into one that announces nothing is confirmed as well: the person agreed to something else",
        arguments: [true, false])
    func changedIntoNothing(announcedBefore: Bool) async throws {
        let phone = try await TestPhone.enrolled { $0.automaticallySelectSingleAccountWhenSecondFactorNeeded = true }
        if announcedBefore { await ask("10 EUR", phone) }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        if announcedBefore {
            let (session, accounts) = try await phone.confirmLogin()
            phone.ostiary.setAccount(accounts.first, for: session)
        }
        _ = try await phone.secondFactor()
        await phone.server.ask([])
        phone.ostiary.sfInput(PIN("271828"))
        let next = try await phone.until { event -> OstiaryEvent? in
            switch event {
            case .confirmLogin, .secondFactorStarted, .sessionLogin: event
            default: nil
            }
        }
        guard case .confirmLogin(let session, let accounts) = next else {
            Issue.record("the person was not asked again")
            return
        }
        #expect(session.info.announceInfo.isEmpty)
        phone.ostiary.setAccount(accounts.first, for: session)
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.login().info.announceInfo.isEmpty)
    }

    @Test("Where no second factor is asked, the decision itself is told, and the person asked again")
    func withoutSecondFactor() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { server in server.settings.secondFactorNeed = .none }
        await ask("10 EUR", phone)
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let (session, accounts) = try await phone.confirmLogin()
        await ask("9000 EUR", phone)
        phone.ostiary.setAccount(accounts.first, for: session)
        let (again, _) = try await phone.confirmLogin()
        #expect(again.info.announceInfo == ["amount": "9000 EUR"])
        phone.ostiary.setAccount(accounts.first, for: session)
        #expect(try await phone.login().info.announceInfo == ["amount": "9000 EUR"])
    }

    @Test("A login that goes on changing ends after four questions, with an error that says what to do")
    func bounded() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { server in server.mishaps.statuses[.m1] = [Status](repeating: .changed, count: 9) }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        for _ in 0..<4 {
            let (session, accounts) = try await phone.confirmLogin()
            phone.ostiary.setAccount(accounts.first, for: session)
            _ = try await phone.secondFactor()
            phone.ostiary.sfInput(PIN("271828"))
            let closed = try await phone.secondFactor()
            #expect(closed.stopped && closed.secondFactorInfo.result == nil)
        }
        let error = try await phone.finalFailure()
        #expect(error == .questionChanged && error.advice == .askUser)
        #expect(await phone.server.received.filter { $0 == .l1 }.count == 4)
        #expect(await phone.server.with { server in server.sessions.values.allSatisfy { $0.outcome == nil || $0.stop != nil } })
    }

    @Test("Who says no to the former words has said no: the denial reaches the server whatever it asks by now")
    func denied() async throws {
        let phone = try await TestPhone.enrolled()
        await ask("10 EUR", phone)
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let (session, _) = try await phone.confirmLogin()
        await ask("9000 EUR", phone)
        phone.ostiary.deny(session, notMe: true)
        #expect(try await phone.stopped().ending == .denied)
        #expect(await phone.server.with { server in server.sessions.values.compactMap(\.denial) } == [.notMe])
    }

    @Test("A denial that the server refuses for another reason is not said a second time")
    func deniedOnce() async throws {
        let phone = try await TestPhone.enrolled()
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let (session, _) = try await phone.confirmLogin()
        await phone.server.with { $0.mishaps.statuses[.l5] = [.refused] }
        phone.ostiary.deny(session)
        #expect(try await phone.failure().0 == .refused)
        #expect(try await phone.stopped().ending == .denied)
        #expect(await phone.server.received.filter { $0 == .l1 || $0 == .l5 } == [.l1, .l5])
    }

    @Test("An AppLogin asks again by itself, and asks for the PIN again")
    func appLogin() async throws {
        let phone = try await TestPhone.enrolled()
        phone.ostiary.startAppLogin()
        _ = try await phone.secondFactor()
        await phone.server.with { server in server.mishaps.statuses[.m1] = [.changed] }
        phone.ostiary.sfInput(PIN("271828"))
        let asked = try await phone.all { if case .secondFactorStarted = $0 { true } else { false } }
        #expect(steps(asked) == ["PIN over", "update ", "PIN"])
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.login().isAppLogin)
    }

    @Test("An answer to an AppLogin that names another account is refused before anything is asked")
    func otherAccount() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { server in server.settings.namesAnotherAccountForApp = true }
        phone.ostiary.startAppLogin()
        #expect(try await phone.finalFailure() == .serverAnswer)
        #expect(await phone.server.received.last == .l1)
    }
}
