import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("Second factor", .timeLimit(.minutes(10)))
struct SecondFactorTests {
    /// As far as the question for the PIN.
    private func atPIN(_ phone: TestPhone) async throws -> SecondFactor {
        _ = try await phone.beginLogin()
        return try await phone.secondFactor()
    }

    @Test(
        "S4-35 S4-55 S4-56 S4-84 the question carries its session, has no result, no retry that would forbid an input, and does not say stopped"
    )
    func question() async throws {
        let phone = try await TestPhone.enrolled()
        let factor = try await atPIN(phone)
        #expect(factor.secondFactorInfo.result == nil && factor.secondFactorInfo.retry && !factor.stopped)
        #expect(factor.secondFactorInfo.context == .verify)
        #expect(factor.session?.info.serviceName == "Shop")
        #expect(!factor.secondFactorInfo.blocked && factor.secondFactorInfo.penalisedFor == 0 && !factor.secondFactorInfo.showBiometrics)
    }

    @Test("S4-83 the question's session has what is announced, when it is asked for, asked again and over: texts, image, who asks from where")
    func announced() async throws {
        let phone = try await TestPhone.enrolled()
        let logo: [UInt8] = [1, 2, 3]
        await phone.server.with { server in
            server.settings.announceInfo = [Announcement(key: "what", text: "Pay 12 EUR to the bakery")]
            server.settings.logo = logo
        }
        let first = try await atPIN(phone)
        phone.ostiary.sfInput(PIN("271829"))
        let again = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        let last = try await phone.secondFactor()
        for factor in [first, again, last] {
            let info = try #require(factor.session?.info)
            #expect(info.announceInfo == ["what": "Pay 12 EUR to the bakery"])
            #expect(info.announceLogo.map { Array($0) } == logo)
            #expect(info.serviceName == "Shop" && info.serviceOrigin == "https://shop.example")
            #expect(info.browserLabel == "Firefox" && info.browserCity == "Ghent" && info.binding == .qrDynamic)
        }
        #expect(last.stopped)
    }

    @Test("S4-83 an enrolment's question, be it for a first PIN or for the one that is there, has the enrolInfo of the account that is made")
    func announcedEnrolment() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        for context in [SecondFactorInfo.Context.firstSet, .verify] {
            phone.ostiary.start(with: try await phone.server.makeEnrolLink())
            phone.ostiary.setAccount(nil, for: try await phone.confirmEnrol())
            let factor = try await phone.secondFactor()
            #expect(factor.secondFactorInfo.context == context)
            #expect(factor.session?.isEnrolment == true && factor.session?.info.serverName == "Example")
            #expect(factor.session?.enrolInfo.displayName == "ada@example")
            #expect(factor.session?.enrolInfo.nsAccounts.map(\.description) == ["ada on a tablet"])
            phone.ostiary.sfInput(PIN("271828"))
            _ = try await phone.code()
            await phone.server.confirmAccounts()
            let session = try await phone.login()
            try await phone.ostiary.end(session)
        }
    }

    @Test("S4-29 S4-34 S4-50 S4-51 S4-53 S4-58 S4-59 a wrong PIN says FAILED with the tries used and asks again; the right one says SUCCESS")
    func wrongThenRight() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await atPIN(phone)
        phone.ostiary.sfInput(PIN("271829"))
        let failed = try await phone.secondFactor()
        #expect(failed.secondFactorInfo.result == .failed && failed.secondFactorInfo.retry && !failed.stopped)
        #expect(failed.secondFactorInfo.failedAttempts == 1 && failed.secondFactorInfo.maxAttempts == 5)
        phone.ostiary.sfInput(PIN("271828"))
        let success = try await phone.secondFactor()
        #expect(success.secondFactorInfo.result == .success && !success.secondFactorInfo.retry && success.stopped)
        #expect(success.secondFactorInfo.failedAttempts == 0)
        #expect(try await phone.login().isLoggedIn)
    }

    @Test("S4-36 S4-54 after the flow stopped an input is an error and reaches nobody")
    func nothingAfterStopped() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await atPIN(phone)
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.login()
        let before = await phone.server.with { $0.seenAttempts.count }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.failure().0 == .wrongOrder)
        phone.ostiary.sfCancel()
        #expect(try await phone.failure().0 == .wrongOrder)
        #expect(await phone.server.with { $0.seenAttempts.count } == before)
    }

    @Test("S4-38 sfCancel stops the question and gives up the session, without a word that it was refused")
    func cancels() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await atPIN(phone)
        phone.ostiary.sfCancel()
        let last = try await phone.secondFactor()
        #expect(last.stopped && last.secondFactorInfo.result == nil)
        let session = try await phone.stopped()
        #expect(session.ending == .cancelled && session.state == .done)
        #expect(await phone.server.with { $0.sessions.values.compactMap(\.denial) }.isEmpty)
    }

    @Test("S4-61 S4-63 S4-64 during a penalty an input is taken, reaches nobody, costs nothing, and says how long it still lasts")
    func penalty() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await atPIN(phone)
        for number in 1...3 {
            phone.ostiary.sfInput(PIN("99887\(number)"))
            #expect(try await phone.secondFactor().secondFactorInfo.failedAttempts == number)
        }
        let asked = await phone.server.with { $0.seenAttempts.count }
        phone.clock.advance(10)
        phone.ostiary.sfInput(PIN("271828"))
        let waiting = try await phone.secondFactor()
        #expect(waiting.secondFactorInfo.penalisedFor == 20 && waiting.secondFactorInfo.failedAttempts == 3)
        #expect(waiting.secondFactorInfo.result == .failed && waiting.secondFactorInfo.retry && !waiting.stopped)
        phone.clock.advance(5)
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.penalisedFor == 15)
        #expect(await phone.server.with { $0.seenAttempts.count } == asked)
        phone.clock.advance(16)
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .success)
    }

    @Test("A penalty that only the server knows of is told by the server, and nothing is counted")
    func penaltyFromTheServer() async throws {
        let phone = try await TestPhone.enrolled()
        let now = phone.clock.wall
        await phone.server.with { server in
            for id in server.instances.keys {
                server.instances[id]?.highest += 3
                server.instances[id]?.penaltyUntil = now + 30
            }
        }
        _ = try await atPIN(phone)
        phone.ostiary.sfInput(PIN("271828"))
        let factor = try await phone.secondFactor()
        #expect(factor.secondFactorInfo.penalisedFor == 30 && factor.secondFactorInfo.failedAttempts == 3)
        #expect(await phone.server.with { $0.instances.values.map(\.failed) } == [3])
    }

    @Test("S4-57 when the tries are used up the person is blocked: no retry, the flow stops, and the next question says so before any try")
    func blocked() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.settings.penalties = [0, 0, 0, 0, 0] }
        _ = try await atPIN(phone)
        for number in 1...4 {
            phone.ostiary.sfInput(PIN("99887\(number)"))
            #expect(try await phone.secondFactor().secondFactorInfo.failedAttempts == number)
        }
        phone.ostiary.sfInput(PIN("998875"))
        let last = try await phone.secondFactor()
        #expect(last.stopped && last.secondFactorInfo.blocked && !last.secondFactorInfo.retry && last.secondFactorInfo.result == .failed)
        #expect(try await phone.finalFailure() == .secondFactorBlocked)
        let next = try await atPIN(phone)
        #expect(next.secondFactorInfo.blocked && next.secondFactorInfo.failedAttempts == 5 && next.secondFactorInfo.result == nil)
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().stopped)
    }

    @Test("After an operator lifted a block the right PIN works, whatever the phone remembers")
    func unblocked() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.settings.penalties = [0, 0, 0, 0, 0] }
        _ = try await atPIN(phone)
        for number in 1...5 {
            phone.ostiary.sfInput(PIN("99887\(number)"))
            _ = try await phone.secondFactor()
        }
        #expect(try await phone.finalFailure() == .secondFactorBlocked)
        await phone.server.with { server in for id in server.instances.keys { server.prove(id) } }
        #expect(try await atPIN(phone).secondFactorInfo.blocked)
        phone.ostiary.sfInput(PIN("271828"))
        let success = try await phone.secondFactor()
        #expect(success.secondFactorInfo.result == .success && !success.secondFactorInfo.blocked)
    }

    @Test("S4-59 the tries of an earlier process are shown before the first try of the next")
    func triesSurvive() async throws {
        let first = try await TestPhone.enrolled()
        _ = try await atPIN(first)
        first.ostiary.sfInput(PIN("271829"))
        _ = try await first.secondFactor()
        let next = TestPhone(first.server, accounts: first.accounts, keys: first.keys)
        #expect(try await atPIN(next).secondFactorInfo.failedAttempts == 1)
    }

    @Test("S4-52 with the second-factor server down the result is ERROR and the same try may be repeated; nothing was counted")
    func serverDown() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await atPIN(phone)
        await phone.server.with { $0.mishaps.isSecondFactorDown = true }
        phone.ostiary.sfInput(PIN("271828"))
        let factor = try await phone.secondFactor()
        #expect(factor.secondFactorInfo.result == .error && factor.secondFactorInfo.retry && !factor.stopped)
        #expect(await phone.server.with { $0.instances.values.map(\.failed) } == [0])
        let attempts = await phone.server.with { $0.seenAttempts }
        #expect(attempts.count > 1 && Set(attempts.suffix(attempts.count - 1)).count == 1, "one attempt id for all repeats")
        await phone.server.with { $0.mishaps.isSecondFactorDown = false }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .success)
        #expect(await phone.server.with { $0.seenAttempts.last } == attempts.last, "the same digits are the same attempt")
    }

    @Test("A lost answer is repaired by the same attempt id, and costs one try only")
    func lostAnswer() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await atPIN(phone)
        await phone.server.with { $0.mishaps.lostAnswers[.m1] = 3 }
        phone.ostiary.sfInput(PIN("271829"))
        #expect(try await phone.secondFactor().secondFactorInfo.failedAttempts == 1)
        #expect(await phone.server.with { $0.instances.values.map(\.failed) } == [1])
    }

    @Test("BUSY is waited out, a second after the first, then two, four and eight")
    func busy() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await atPIN(phone)
        let before = phone.clock.waits.count
        await phone.server.with { $0.mishaps.statuses[.m1] = [.busy, .busy, .busy] }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .success)
        #expect(Array(phone.clock.waits.dropFirst(before).prefix(3)) == [1, 2, 4])
    }

    @Test("An evaluation that the pinned key did not make is the server's problem, error 48, and never a wrong PIN")
    func otherEvaluationKey() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await atPIN(phone)
        await phone.server.with { $0.mishaps.usesWrongEvaluationKey = true }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.finalFailure() == .serverIdentity)
        #expect(try StoredState(decoding: phone.accounts.document).instances.first?.tries.failed == 0)
    }

    @Test("S4-31 a PIN of an impossible length is not sent, and the question stays", arguments: ["1234", ""])
    func impossibleLength(_ digits: String) async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await atPIN(phone)
        let before = await phone.server.with { $0.seenAttempts.count }
        phone.ostiary.sfInput(PIN(digits))
        #expect(try await phone.failure().0 == .pinLength)
        #expect(try await phone.secondFactor().secondFactorInfo.retry)
        #expect(await phone.server.with { $0.seenAttempts.count } == before)
    }

    @Test("An easy PIN that is in use is not refused")
    func easyPINInUse() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await atPIN(phone)
        phone.ostiary.sfInput(PIN("123456"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .failed, "it was looked at, and wrong")
    }

    @Test("S4-02 S4-30 a login for which the server wants no second factor asks for none")
    func noFactorWanted() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.settings.secondFactorNeed = .none }
        _ = try await phone.beginLogin()
        let events = try await phone.all { if case .sessionLogin = $0 { true } else { false } }
        #expect(!events.contains { if case .secondFactorStarted = $0 { true } else { false } })
    }
}
