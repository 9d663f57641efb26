import Foundation
import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import OstiaryMobile

@Suite("AppLogin", .timeLimit(.minutes(10)))
struct AppLoginTests {
    private func loggedIn(_ phone: TestPhone) async throws -> Session {
        phone.ostiary.startAppLogin()
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        return try await phone.login()
    }

    @Test("S1-32 S1-33 S1-34 S1-35 nothing to scan or confirm: SecondFactor(VERIFY), SecondFactor(SUCCESS), SessionLogin")
    func sequence() async throws {
        let phone = try await TestPhone.enrolled()
        phone.ostiary.startAppLogin()
        let first = try await phone.all { if case .secondFactorStarted = $0 { true } else { false } }
        phone.ostiary.sfInput(PIN("271828"))
        let rest = try await phone.all { if case .sessionLogin = $0 { true } else { false } }
        let steps = (first + rest).compactMap { event -> String? in
            switch event {
            case .confirmLogin, .confirmEnrol: "confirm"
            case .secondFactorStarted(let factor): "started \(factor.secondFactorInfo.context.rawValue)"
            case .secondFactorUpdated(let factor): "updated \(factor.secondFactorInfo.result?.rawValue ?? "none")"
            case .sessionLogin: "login"
            case .accountUpdated: "another name"
            default: nil
            }
        }
        #expect(steps == ["started VERIFY", "updated SUCCESS", "login"])
    }

    @Test("S1-02 S1-03 S1-20 S1-23 S1-29 S1-37 S0-01 S0-04 S0-05 while logged in the session has webNonce and user name, at any time")
    func whileLoggedIn() async throws {
        let phone = try await TestPhone.enrolled()
        #expect(phone.ostiary.appLoginSession == nil)
        let session = try await loggedIn(phone)
        #expect(session.isAppLogin && session.isLoggedIn && !session.isLoggedOut)
        #expect(session.webNonce?.count == 43 && session.username == "ada" && session.account?.username == "ada")
        #expect(phone.ostiary.appLoginSession?.webNonce == session.webNonce)
        #expect(await phone.server.with { server in server.sessions.values.contains { $0.outcome?.answer.webNonce == session.webNonce } }, "S1-38")
    }

    @Test("S0-04 S0-19 before and after there is no webNonce, and it is in no description")
    func webNonceStaysInside() async throws {
        let phone = try await TestPhone.enrolled()
        phone.ostiary.startAppLogin()
        let factor = try await phone.secondFactor()
        #expect(factor.session?.webNonce == nil && factor.session?.username == nil)
        phone.ostiary.sfInput(PIN("271828"))
        let session = try await phone.login()
        let webNonce = try #require(session.webNonce)
        for text in [
            "\(session)", String(reflecting: session), "\(OstiaryEvent.sessionLogin(session))", "\(Mirror(reflecting: session).children.map { $0 })",
        ] {
            #expect(!text.contains(webNonce))
        }
        var dumped = ""
        dump(session, to: &dumped)
        #expect(!dumped.contains(webNonce))
        let document = String(decoding: try #require(phone.accounts.document), as: UTF8.self)
        #expect(!document.contains(webNonce))
        phone.ostiary.stopAppLogin()
        #expect(try await phone.stopped().webNonce == nil)
        #expect(phone.ostiary.sessions.allSatisfy { $0.webNonce == nil })
    }

    @Test("S1-40 stop logs out at once, here and at the server")
    func stops() async throws {
        let phone = try await TestPhone.enrolled()
        let session = try await loggedIn(phone)
        phone.ostiary.stopAppLogin()
        let ended = try await phone.stopped()
        #expect(ended.id == session.id && ended.isLoggedOut && !ended.isLoggedIn && ended.ending == .user && ended.username == nil)
        phone.ostiary.stopAppLogin()
        #expect(try await phone.failure().0 == .wrongOrder)
    }

    @Test("S1-31 straight after the enrolment it is silent, once")
    func silentAfterEnrolment() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        phone.ostiary.setAccount(nil, for: try await phone.confirmEnrol())
        _ = try await phone.secondFactor()
        await phone.server.with { $0.settings.skipsConfirmation = true }
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.login()
        phone.ostiary.startAppLogin()
        let events = try await phone.all { if case .sessionLogin = $0 { true } else { false } }
        #expect(!events.contains { if case .secondFactorStarted = $0 { true } else { false } })
        phone.ostiary.stopAppLogin()
        _ = try await phone.stopped()
        phone.ostiary.startAppLogin()
        _ = try await phone.secondFactor()
    }

    @Test("What an enrolment leaves for one login is sent to the server once: the next login asks for the PIN straight away")
    func onceAfterEnrolment() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock())) { $0.alwaysRequireSecondFactorIfInactiveAppLogin = false }
        await phone.server.with { server in
            server.settings.skipsConfirmation = true
            server.settings.secondFactorNeed = .cacheAllowed
        }
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        phone.ostiary.setAccount(nil, for: try await phone.confirmEnrol())
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.login()
        _ = try await phone.beginLogin()
        #expect(try await phone.login().isLoggedIn, "nothing was asked")
        let decisions = await phone.server.with { server in server.received.count { $0 == .l5 } }
        _ = try await phone.beginLogin()
        #expect(try await phone.secondFactor().secondFactorInfo.context == .verify)
        #expect(await phone.server.with { server in server.received.count { $0 == .l5 } } == decisions)
    }

    @Test("S1-43 S1-44 a logout forgets the last second factor on this side, for a login by code too", arguments: ["app", "server"])
    func logoutForgets(_ side: String) async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { server in
            server.settings.pinTimeout = 5
            server.settings.secondFactorNeed = .cacheAllowed
        }
        let session = try await loggedIn(phone)
        _ = try await phone.beginLogin()
        let silent = try await phone.login()
        #expect(!silent.isAppLogin, "the cache is good for a login by code")
        let cache = await phone.server.with { $0.caches }
        if side == "app" {
            phone.ostiary.stopAppLogin()
        } else {
            await phone.server.stopSessions()
            phone.clock.advance(UInt64(session.pingTime))
        }
        _ = try await phone.until { if case .sessionStop(let stopped) = $0, stopped.isAppLogin { true } else { nil } }
        // Even with a server that forgot to forget.
        await phone.server.with { $0.caches = cache }
        _ = try await phone.beginLogin()
        let factor = try await phone.secondFactor()
        #expect(factor.secondFactorInfo.context == .verify)
    }

    @Test("A remembered second factor that the server does not accept any more only means that the PIN is asked")
    func cacheIsOver() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { server in
            server.settings.pinTimeout = 5
            server.settings.secondFactorNeed = .cacheAllowed
        }
        _ = try await loggedIn(phone)
        await phone.server.with { $0.caches = [:] }
        _ = try await phone.beginLogin()
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.login()
    }

    @Test("S1-42 a stop by the server reaches the app at once while it watches, at the next ping otherwise", arguments: [true, false])
    func stoppedByServer(_ isWatching: Bool) async throws {
        let phone = try await TestPhone.enrolled()
        phone.ostiary.setWatching(isWatching)
        let session = try await loggedIn(phone)
        if isWatching {
            try await waiting(while: await phone.server.with({ $0.waiting.isEmpty }))
            await phone.server.stopSessions()
        } else {
            try await waiting(while: phone.clock.sleeping == 0)
            await phone.server.stopSessions()
            #expect(phone.ostiary.appLoginSession?.isLoggedIn == true)
            phone.clock.advance(UInt64(session.pingTime) / 2)
        }
        let ended = try await phone.stopped()
        #expect(ended.isLoggedOut && ended.ending == .server && ended.webNonce == nil)
    }

    @Test("S1-04 without an account it is error 34, with two a typed error, and none may be begun while one is there")
    func needsOneAccount() async throws {
        let empty = TestPhone(try TestServer(clock: TestClock()))
        empty.ostiary.startAppLogin()
        #expect(try await empty.failure().0.code == 34)
        let phone = try await TestPhone.enrolled()
        _ = try await loggedIn(phone)
        phone.ostiary.startAppLogin()
        #expect(try await phone.failure().0 == .wrongOrder)
        phone.ostiary.stopAppLogin()
        _ = try await phone.stopped()
        _ = try await phone.enrolUpToCode()
        await phone.server.confirmAccounts()
        _ = try await phone.login()
        phone.ostiary.startAppLogin()
        #expect(try await phone.failure().0 == .severalAccounts)
    }

    @Test("An answer about another kind of session than was asked for is refused")
    func otherPurpose() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.settings.saysLoginForApp = true }
        phone.ostiary.startAppLogin()
        #expect(try await phone.finalFailure() == .serverAnswer)
    }
}

@Suite("Delegate and notifications", .timeLimit(.minutes(10)))
struct DelegateTests {
    /// What a delegate and a notification observer were told, in the order of each.
    final class Witness: OstiaryDelegate {
        private let content = Mutex<[String]>([])

        var calls: [String] { content.withLock { $0 } }

        func note(_ call: String) { content.withLock { $0.append(call) } }

        func ostiary(_ ostiary: Ostiary, didStartSecondFactorWith secondFactor: SecondFactor) {
            note("didStartSecondFactorWith \(secondFactor.secondFactorInfo.context.rawValue)")
            ostiary.sfInput(PIN("271828"))
        }

        func ostiary(_ ostiary: Ostiary, didUpdateSecondFactorWith secondFactor: SecondFactor) {
            note("didUpdateSecondFactorWith \(secondFactor.secondFactorInfo.result?.rawValue ?? "none")")
        }

        func ostiary(_ ostiary: Ostiary, didFailWith error: OstiaryError, for session: Session?) { note("didFailWith \(error)") }
    }

    @Test(
        "S1-18 S1-22 S1-26 S1-27 S1-28 S1-36 second factor started, updated with SUCCESS, sessionUpdate; then a stop, then a removal"
    )
    func sequence() async throws {
        let phone = try await TestPhone.enrolled()
        let witness = Witness()
        phone.ostiary.delegate = witness
        let account = try #require(phone.ostiary.accounts?.first)
        let tokens = [
            NotificationCenter.default.addObserver(forName: Ostiary.NotificationNames.sessionUpdate, object: nil, queue: nil) { notification in
                guard let session = notification.object as? Session, session.isAppLogin, session.account?.id == account.id else { return }
                if session.isLoggedIn { witness.note("sessionUpdate logged in") }
                if session.isLoggedOut { witness.note("sessionUpdate logged out") }
            },
            NotificationCenter.default.addObserver(forName: Ostiary.NotificationNames.accountDelete, object: nil, queue: nil) { notification in
                if (notification.object as? Account)?.id == account.id { witness.note("accountDelete") }
            },
        ]
        defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
        phone.ostiary.startAppLogin()
        // The delegate gives the PIN.
        _ = try await phone.until { if case .sessionLogin = $0 { true } else { nil } }
        phone.ostiary.stopAppLogin()
        _ = try await phone.stopped()
        phone.ostiary.deleteAccount(account)
        try await waiting(while: witness.calls.last != "accountDelete")
        #expect(
            witness.calls == [
                "didStartSecondFactorWith VERIFY", "didUpdateSecondFactorWith SUCCESS", "sessionUpdate logged in", "sessionUpdate logged out",
                "accountDelete",
            ])
        #expect(phone.ostiary.accounts?.count == 0, "S1-19")
    }

    @Test("Calls before configure are reported; accounts are nil, and there is no AppLogin")
    func unconfigured() async throws {
        let ostiary = Ostiary.default
        var events = ostiary.events.makeAsyncIterator()
        #expect(ostiary.accounts?.count == nil && Ostiary.AppLogin.session?.webNonce == nil && !Ostiary.AppLogin.isLoggedIn)
        Ostiary.AppLogin.start()
        #expect(await events.next() == .error(.notConfigured, session: nil))
        Ostiary.AppLogin.stop()
        #expect(await events.next() == .error(.notConfigured, session: nil))
    }

    @Test("A second configure changes nothing and says so")
    func configuredTwice() async throws {
        let phone = try await TestPhone.enrolled()
        phone.ostiary.configure(ports: Ports(keys: MemoryKeyStore(), accounts: MemoryAccountStore()))
        #expect(try await phone.failure().0 == .alreadyConfigured)
        #expect(phone.ostiary.accounts?.count == 1)
    }
}
