import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("What the page hears of the phone", .timeLimit(.minutes(10)))
struct PageReportTests {
    @Test("A login that is given up at the PIN, or at the question, is told to the page as that", arguments: [true, false])
    func gaveUp(atPIN: Bool) async throws {
        let phone = try await TestPhone.enrolled()
        if atPIN {
            _ = try await phone.atSecondFactor()
            phone.ostiary.sfCancel()
        } else {
            phone.ostiary.start(with: try await phone.server.makeLoginLink())
            phone.ostiary.stop(try await phone.confirmLogin().0)
        }
        #expect(try await phone.stopped().ending == .cancelled)
        #expect(try await phone.reports() == [.gaveUp])
    }

    @Test("A PIN that nobody types in time is given up, too")
    func timedOut() async throws {
        let phone = try await TestPhone.enrolled { $0.secondFactorUserInputTimeout = .seconds(120) }
        _ = try await phone.atSecondFactor()
        try await waiting(while: phone.clock.sleeping == 0)
        phone.clock.advance(121)
        #expect(try await phone.finalFailure() == .userInputTimeout)
        #expect(try await phone.reports() == [.gaveUp])
    }

    @Test("After a wrong PIN nothing is said; with the penalty the page hears until when, and who leaves in it gave up")
    func penalised() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        for number in 1...2 {
            phone.ostiary.sfInput(PIN("99887\(number)"))
            _ = try await phone.secondFactor()
        }
        #expect(try await phone.reports() == [])
        phone.ostiary.sfInput(PIN("998873"))
        #expect(try await phone.secondFactor().secondFactorInfo.penalisedFor == 30)
        #expect(try await phone.reports() == [.penalised])
        #expect(try await phone.said().map(\.until) == [Instant(phone.clock.wall + 30)])
        phone.ostiary.sfCancel()
        _ = try await phone.stopped()
        #expect(try await phone.reports() == [.penalised, .gaveUp])
    }

    @Test("The end of a penalty is told by the server's clock, wherever the phone's own stands", arguments: [3_600, -3_600] as [Int64])
    func penaltyByTheServersClock(_ ahead: Int64) async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.mishaps.clockAhead = ahead }
        _ = try await phone.atSecondFactor()
        for number in 1...3 {
            phone.ostiary.sfInput(PIN("99887\(number)"))
            _ = try await phone.secondFactor()
        }
        let now = await phone.server.with { $0.now }
        #expect(try await phone.said().map(\.until) == [now + 30])
    }

    @Test("A penalty that began in an earlier login is told without asking the servers")
    func penalisedBefore() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        for number in 1...3 {
            phone.ostiary.sfInput(PIN("99887\(number)"))
            _ = try await phone.secondFactor()
        }
        phone.ostiary.sfCancel()
        _ = try await phone.stopped()
        await phone.ostiary.settle()
        _ = try await phone.atSecondFactor()
        let asked = await phone.server.with { $0.seenAttempts.count }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.penalisedFor == 30)
        #expect(try await phone.reports().filter { $0 == .penalised }.count == 2)
        #expect(await phone.server.with { $0.seenAttempts.count } == asked)
    }

    @Test("Nothing that was in the way is told once the person could go on: who leaves after the penalty gave up")
    func penaltyOver() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        for number in 1...3 {
            phone.ostiary.sfInput(PIN("99887\(number)"))
            _ = try await phone.secondFactor()
        }
        phone.clock.advance(31)
        phone.ostiary.sfInput(PIN("12"))
        _ = try await phone.secondFactor()
        phone.ostiary.sfCancel()
        _ = try await phone.stopped()
        #expect(try await phone.reports() == [.penalised, .gaveUp])
    }

    @Test("A block is told when it comes, and stays what the page hears when the login ends by it")
    func blocked() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.settings.penalties = [0, 0, 0, 0, 0] }
        _ = try await phone.atSecondFactor()
        for number in 1...5 {
            phone.ostiary.sfInput(PIN("99887\(number)"))
            _ = try await phone.secondFactor()
        }
        #expect(try await phone.finalFailure() == .secondFactorBlocked)
        let reports = try await phone.reports()
        #expect(!reports.isEmpty && reports.allSatisfy { $0 == .blocked })
    }

    @Test("A block is told when it comes, also while a feature of the person is still a way on")
    func blockedWithAWayOn() async throws {
        let phone = try await TestPhone.enrolled()
        try await phone.addBiometrics()
        await phone.server.with { $0.settings.penalties = [0, 0, 0, 0, 0] }
        _ = try await phone.atSecondFactor()
        for number in 1...5 {
            phone.ostiary.sfInput(PIN("99887\(number)"))
            _ = try await phone.secondFactor()
        }
        #expect(try await phone.reports() == [.blocked], "before anybody left")
        phone.ostiary.sfInput(.simulated(.confirm))
        _ = try await phone.login()
        #expect(try await phone.reports() == [.blocked])
    }

    @Test("Once a decision is on its way nobody gave up: when its outcome is not heard of, the server is told to stop, and no page that it was left")
    func afterTheDecision() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        await phone.server.with { $0.mishaps.lostAnswers[.l5] = 1_000 }
        await phone.server.with { $0.received = [] }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.finalFailure() == .serverConnection)
        try await waiting(while: await phone.server.with({ !$0.received.contains(.stop) }))
        await phone.ostiary.settle()
        #expect(await phone.server.with { !$0.received.contains(.l7) })
    }

    @Test("A second-factor server that cannot be asked is told; a PIN that is right afterwards says nothing more")
    func noSecondFactor() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        await phone.server.with { $0.mishaps.isSecondFactorDown = true }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .error)
        #expect(try await phone.reports() == [.noSecondFactor])
        await phone.server.with { $0.mishaps.isSecondFactorDown = false }
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.login()
        #expect(try await phone.reports() == [.noSecondFactor])
    }

    @Test("A decision that the second-factor server could not be asked about leaves the login where it was: who leaves it then is told to the page")
    func declinedDecision() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        await phone.server.with { server in
            server.mishaps.statuses[.l5] = Array(repeating: .secondFactorUnavailable, count: 6)
            server.received = []
        }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .error)
        phone.ostiary.sfCancel()
        _ = try await phone.stopped()
        #expect(try await phone.reports() == [.noSecondFactor, .noSecondFactor])
        #expect(await !phone.server.with { $0.received.contains(.stop) })
    }

    @Test("Neither a denial, nor a login, nor an AppLogin that is given up says anything to a page")
    func silent() async throws {
        let phone = try await TestPhone.enrolled()
        phone.ostiary.deny(try await phone.beginLogin())
        _ = try await phone.stopped()
        _ = try await phone.logIn { phone.ostiary.sfInput(PIN("271828")) }
        phone.ostiary.startAppLogin()
        _ = try await phone.secondFactor()
        phone.ostiary.sfCancel()
        _ = try await phone.stopped()
        #expect(try await phone.reports() == [])
    }

    @Test("Nobody waits for it: a server that cannot be reached holds up no end, and it is not said again later")
    func bestEffort() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        await phone.server.with { $0.mishaps.isDown = true }
        phone.ostiary.sfCancel()
        let events = try await phone.all { if case .sessionStop = $0 { true } else { false } }
        #expect(!events.contains { if case .error = $0 { true } else { false } })
        await phone.ostiary.settle()
        await phone.server.with { $0.mishaps.isDown = false }
        _ = try await phone.logIn { phone.ostiary.sfInput(PIN("271828")) }
        #expect(try await phone.reports() == [])
    }

    @Test("An app that lets the SDK go gave nothing up, and nothing is said")
    func letGo() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        await (try phone.ostiary.core().engine).shutDown()
        _ = try await phone.stopped()
        #expect(try await phone.reports() == [])
    }
}

extension TestPhone {
    /// All that was said to pages, once nothing is on its way any more.
    fileprivate func said() async throws -> [L7] {
        await ostiary.settle()
        return await server.with { server in server.sessions.values.flatMap(\.reports) }
    }

    fileprivate func reports() async throws -> [PhoneState] { try await said().map(\.state) }
}
