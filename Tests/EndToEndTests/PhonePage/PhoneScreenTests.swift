import Testing

@testable import OstiaryMobile
@testable import OstiaryPhone

@Suite("What the phone page makes of the SDK's events")
struct PhoneScreenTests {
    private typealias Events = ScreenEvents

    @Test("A login is asked, answered, asks for the PIN, and is over when the SDK says that somebody is logged in")
    func login() {
        var screen = PhoneScreen()
        let session = Events.session()
        screen.begin()
        #expect(screen.asked == .beginning)
        screen.take(.sessionUpdate(session))
        #expect(screen.asked == .working(session))
        screen.take(.confirmLogin(session, accounts: [Events.account()]))
        #expect(screen.asked == .login(session, accounts: [Events.account()]))
        screen.answer()
        #expect(screen.asked == .working(session))
        screen.take(.secondFactorStarted(Events.factor(Events.info(), session)))
        #expect(screen.factor?.context == .verify)
        screen.answer()
        screen.take(.secondFactorUpdated(Events.factor(Events.info(.verify, .success, retry: false), session, stopped: true)))
        #expect(screen.asked == .working(session))
        screen.take(.sessionLogin(Events.changed(session) { $0.state = .active }))
        #expect(screen.asked == .nothing)
        #expect(screen.notices.map(\.kind) == [.good])
    }

    @Test("Every question has a number of its own, also the same one asked again: an answer to the last is none to this")
    func numbers() {
        var screen = PhoneScreen()
        let session = Events.session()
        var seen = [screen.question]
        screen.take(.confirmLogin(session, accounts: [Events.account()]))
        seen.append(screen.question)
        screen.take(.confirmLogin(Events.changed(session) { $0.info.announceInfo = ["sum": "9000 EUR"] }, accounts: [Events.account()]))
        seen.append(screen.question)
        screen.take(.secondFactorStarted(Events.factor(Events.info(), session)))
        seen.append(screen.question)
        for _ in 0..<2 {
            screen.take(.secondFactorUpdated(Events.factor(Events.info(.verify, .failed), session)))
            seen.append(screen.question)
        }
        #expect(Set(seen).count == seen.count)
    }

    @Test("A session that is not the one that is asked about changes nothing of the question")
    func others() {
        var screen = PhoneScreen()
        let (session, other) = (Events.session(), Events.session { $0.state = .active })
        screen.take(.confirmLogin(session, accounts: [Events.account()]))
        let number = screen.question
        screen.take(
            .sessionUpdate(other), .sessionLogin(other), .sessionStop(Events.changed(other) { $0.end(as: .server) }),
            .error(.serverConnection, session: other), .error(.linkOld, session: Events.changed(other) { $0.end(as: .failed) }),
            .error(.serverConnection, session: nil), .accountUpdated(Events.account()))
        #expect(screen.question == number && screen.asked.session == session)
    }

    @Test("A login that ends while it is asked takes its question along", arguments: Session.Ending.allCases)
    func ends(_ ending: Session.Ending) {
        let session = Events.session()
        var screen = PhoneScreen.asking(for: session)
        screen.take(.sessionStop(Events.changed(session) { $0.end(as: ending) }))
        #expect(screen.asked == .nothing)
        #expect(screen.notices.count == 1)
    }

    @Test("An answer that the SDK does not take leaves the question open, under a new number")
    func refusedAnswer() {
        var screen = PhoneScreen()
        let session = Events.session()
        screen.take(.confirmLogin(session, accounts: [Events.account()]))
        let (asked, number) = (screen.asked, screen.question)
        screen.answer()
        screen.take(.error(.userInputRefused, session: session))
        #expect(screen.asked == asked && screen.question > number)
        // While it is worked at, other news of it put no question back.
        screen.answer()
        screen.take(.error(.logoUnavailable, session: session))
        #expect(screen.asked == .working(session))
    }

    @Test(
        "What cannot even begin is told, and nothing is waited for", arguments: [OstiaryError.linkUnreadable, .noAccountsForServer, .severalAccounts])
    func doesNotBegin(_ error: OstiaryError) {
        var screen = PhoneScreen()
        screen.begin()
        screen.take(.error(error, session: nil))
        #expect(screen.asked == .nothing)
        #expect(screen.notices.map(\.error) == [error])
    }

    @Test("A code that is scanned while something is asked leaves the question as it is")
    func scanBetween() {
        var screen = PhoneScreen()
        let session = Events.session()
        screen.take(.confirmLogin(session, accounts: []))
        let number = screen.question
        screen.begin()
        screen.take(.error(.flowInProgress, session: nil))
        #expect(screen.question == number && screen.asked.session == session)
    }

    @Test("The code of an enrolment stands there until the account is confirmed, given up or over, whatever else is asked")
    func codes() {
        let session = Events.session(isEnrolment: true)
        let ends: [OstiaryEvent] = [
            .sessionLogin(Events.changed(session) { $0.state = .active }), .sessionStop(Events.changed(session) { $0.end(as: .cancelled) }),
            .error(.enrolmentExpired, session: Events.changed(session) { $0.end(as: .failed) }),
        ]
        for end in ends {
            var screen = PhoneScreen()
            screen.take(.confirmEnrol(session, accounts: [], visualHash: nil))
            screen.answer()
            screen.take(.enrolConfirmation(session, code: "K7Q3"))
            #expect(screen.asked == .nothing && screen.codes.map(\.code) == ["K7Q3"])
            // As after a restart, when the SDK finds out that it still waits.
            screen.take(.enrolConfirmation(session, code: "K7Q3"), .confirmLogin(Events.session(), accounts: []))
            #expect(screen.codes.count == 1)
            screen.take(end)
            #expect(screen.codes.isEmpty && screen.asked.session != nil)
        }
    }

    @Test("After a yes the person goes on in the browser: nothing is asked, and another code may be scanned")
    func returning() {
        var screen = PhoneScreen()
        let session = Events.session()
        screen.take(.confirmLogin(session, accounts: [Events.account()]))
        screen.answer()
        screen.take(.sessionUpdate(Events.changed(session) { $0.isReturning = true }))
        #expect(screen.asked == .nothing)
    }
}

@Suite("What the phone page tells beside its questions")
struct PhoneNoticeTests {
    private typealias Events = ScreenEvents

    private var newDevice: OstiaryEvent { .newDevice(NewDevice(name: "phone on desk", enrolledAt: 1), account: Events.account()) }

    @Test("News of another device stays until it is put away, whatever else happens; the rest has its time")
    func warnings() {
        var screen = PhoneScreen()
        screen.take(
            newDevice, .pinReplacedByBiometric(ReplacedPIN(deviceName: "tablet", replacedAt: 1), account: Events.account()),
            .error(.loginInOtherBrowser, session: nil))
        for error in [OstiaryError.serverConnection, .linkOld, .tooMany] { screen.take(.error(error, session: nil)) }
        for number in 0..<40 { screen.take(.accountDeleted(Events.account("user \(number)"))) }
        #expect(screen.notices.count(where: { $0.kind == .warning }) == 3)
        #expect(screen.notices.count == 3 + PhoneScreen.mostNotices)
        screen.begin()
        #expect(screen.notices.map(\.kind) == [.warning, .warning, .warning])
        screen.putAway(screen.notices[0].id)
        #expect(screen.notices.count == 2 && !screen.texts.contains { $0.contains("phone on desk") })
    }

    @Test("What is told twice stands there once, as the newest, and under a new number")
    func twice() throws {
        var screen = PhoneScreen()
        screen.take(newDevice)
        let first = try #require(screen.notices.first)
        screen.take(.accountDeleted(Events.account()), newDevice)
        #expect(screen.notices.count == 2)
        #expect(try #require(screen.notices.last).text == first.text && screen.notices.last?.id != first.id)
    }

    @Test("An error is told with its number and the SDK's own advice")
    func errors() throws {
        var screen = PhoneScreen()
        screen.take(.error(.serverConnection, session: nil))
        let notice = try #require(screen.notices.first)
        #expect(notice.error?.code == 70 && notice.error?.advice == .retry)
        for error in [OstiaryError.serverConnection, .accountPending, .loginInOtherBrowser, .cancelled, .numbersUsedUp] {
            #expect(error.words.first?.isUppercase == true && error.words.hasSuffix("."))
            #expect(!error.words.contains("ostiary phone"))
        }
    }

    @Test("The last wrong number of a day is told as what it is: over until tomorrow, and no third one that ends it")
    func numbers() {
        #expect(OstiaryError.numbersUsedUp.words.contains("until tomorrow") && !OstiaryError.numbersUsedUp.words.contains("third"))
        #expect(OstiaryError.numberWrong.words.contains("third") && OstiaryError.numbersUsedUp.exit == .secondFactorFailed)
    }

    @Test("A login that ends says who ended it", arguments: Session.Ending.allCases)
    func endings(_ ending: Session.Ending) {
        var screen = PhoneScreen()
        screen.take(.sessionStop(Events.session { $0.end(as: ending) }))
        #expect(screen.texts.first?.contains("Hallway") == true)
    }
}

@Suite("Second factors on the phone page")
struct PhoneFactorScreenTests {
    private typealias Events = ScreenEvents

    @Test("A penalty is counted from when it was told, and rounded up: the pad opens when it is over and not before")
    func penalty() {
        let session = Events.session()
        var screen = PhoneScreen.asking(for: session)
        #expect(screen.penalty(at: Events.now) == 0)
        screen.hear(.failed, failed: 3, penalty: 30, of: session)
        #expect(screen.penalty(at: Events.now) == 30)
        #expect(screen.penalty(at: Events.now + .milliseconds(29_500)) == 1)
        #expect(screen.penalty(at: Events.now + .seconds(30)) == 0)
        #expect(screen.factor?.failedAttempts == 3)
    }

    @Test("A block is no penalty: the person may try, in case the operator lifted it")
    func blocked() {
        var screen = PhoneScreen()
        screen.take(.secondFactorStarted(Events.factor(Events.info(blocked: true, failed: 5, penalty: 300), Events.session())))
        #expect(screen.penalty(at: Events.now) == 0)
    }

    @Test("A try that cost something is told from one that did not")
    func counted() {
        let session = Events.session()
        var screen = PhoneScreen.asking(for: session, failed: 2)
        #expect(!screen.isCounted)
        screen.hear(.failed, failed: 3, of: session)
        #expect(screen.isCounted)
        screen.hear(.failed, failed: 3, of: session)
        #expect(!screen.isCounted)
        screen.hear(.error, failed: 3, of: session)
        #expect(!screen.isCounted)
    }

    @Test("A change of the factor has no session: its steps follow each other, and its end is told")
    func change() {
        var screen = PhoneScreen()
        screen.begin()
        screen.take(.secondFactorStarted(Events.factor(Events.info(.pinChangeVerify), nil)))
        screen.answer()
        screen.take(.secondFactorUpdated(Events.factor(Events.info(.pinChangeVerify, .success, retry: false), nil)))
        #expect(screen.asked == .working(nil))
        screen.take(.secondFactorUpdated(Events.factor(Events.info(.pinChangeSet), nil)))
        #expect(screen.factor?.context == .pinChangeSet)
        screen.answer()
        screen.take(.secondFactorUpdated(Events.factor(Events.info(.pinChangeSet, .success, retry: false), nil, stopped: true)))
        #expect(screen.asked == .nothing)
        #expect(screen.texts == ["The PIN is changed."])
    }

    @Test("A change that fails is over, and its error is told")
    func failedChange() {
        var screen = PhoneScreen()
        screen.begin()
        screen.take(.secondFactorStarted(Events.factor(Events.info(.biometricsAdd, biometrics: true), nil)))
        #expect(screen.factor?.takesFeatureOnly == true)
        screen.answer()
        screen.take(
            .secondFactorUpdated(Events.factor(Events.info(.biometricsAdd, .error, retry: false), nil, stopped: true)),
            .error(.biometricsUnavailable, session: nil))
        #expect(screen.asked == .nothing && screen.notices.map(\.error) == [.biometricsUnavailable])
    }

    @Test("The digits were not even handed over: the same question is open again")
    func lockedMemory() {
        let session = Events.session()
        var screen = PhoneScreen.asking(for: session)
        screen.answer()
        screen.take(.error(.lockedMemory, session: nil))
        #expect(screen.factor?.context == .verify)
    }
}
