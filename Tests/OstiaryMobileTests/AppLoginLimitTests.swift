import Foundation
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("AppLogin: its end in time", .timeLimit(.minutes(10)))
struct AppLoginLimitTests {
    /// A phone that is logged in to its app, whose pings are far apart. What ends the login in time waits already: begun after the clock was moved
    /// close to the end it would wait for so short a while that this clock lets it pass.
    private func loggedIn(_ configure: (inout Ostiary.Configuration) -> Void) async throws -> TestPhone {
        let phone = try await TestPhone.restarted(configure)
        await phone.server.with { $0.settings.pingTime = 36_000 }
        try await phone.logInToApp()
        var configuration = Ostiary.Configuration()
        configure(&configuration)
        let limits = [configuration.appLoginInactivityTimeout, configuration.timeoutAppLogin].filter { $0 > .zero }
        if let first = limits.min() {
            let seconds = Double(first.components.seconds)
            try await waiting(while: !phone.clock.waits.contains(seconds))
        }
        return phone
    }

    /// Calls that an app makes because somebody uses it.
    private static let calls: [(name: String, call: @Sendable (Ostiary) async -> Void)] = [
        ("accounts", { _ = $0.accounts }), ("sessions", { _ = $0.sessions }), ("session", { _ = $0.session(UUID()) }),
        ("history", { _ = $0.history }), ("userIsActive", { $0.userIsActive() }), ("start", { $0.start(link: "nothing") }),
        ("startUserInteraction", { $0.startUserInteraction() }), ("sfInput", { $0.sfInput(PIN("271828")) }), ("sfCancel", { $0.sfCancel() }),
        ("setAccount", { $0.setAccount(nil, for: Session(id: UUID())) }), ("deny", { $0.deny(Session(id: UUID())) }),
        ("stop", { $0.stop(Session(id: UUID())) }), ("startAppLogin", { $0.startAppLogin() }), ("clearHistory", { $0.clearHistory() }),
        ("getToken", { $0.getToken(for: Session(id: UUID())) }), ("begin", { _ = try? await $0.begin(link: "nothing") }),
        ("end", { try? await $0.end(Session(id: UUID())) }), ("fetchWaitingLogins", { $0.fetchWaitingLogins() }),
        ("beginWaitingLogin", { _ = try? await $0.beginWaitingLogin() }),
    ]

    /// Calls that a system, a timer or a push message makes an app do.
    private static let calledBySystem: [(name: String, call: @Sendable (Ostiary) async -> Void)] = [
        ("resume", { $0.resume() }), ("enterForeground", { $0.enterForeground() }), ("enterBackground", { $0.enterBackground() }),
        ("setWatching", { $0.setWatching(false) }), ("refresh", { _ = try? await $0.refresh() }), ("events", { _ = $0.events }),
        ("tokenProof", { _ = try? await $0.tokenProof(for: Session(id: UUID()), method: "GET", url: URL(fileURLWithPath: "/nothing")) }),
        ("delegate", { $0.delegate = nil }), ("AppLogin session", { _ = $0.appLoginSession?.webNonce }),
    ]

    @Test("S1-09 S1-13 S1-14 what implies a person starts the time of the AppLogin anew", arguments: Self.calls.indices)
    func kept(_ index: Int) async throws {
        let phone = try await loggedIn { $0.appLoginInactivityTimeout = .seconds(300) }
        phone.clock.advance(200)
        await Self.calls[index].call(phone.ostiary)
        phone.clock.advance(150)
        #expect(phone.ostiary.appLoginSession?.isLoggedIn == true, "\(Self.calls[index].name)")
        phone.clock.advance(150)
        #expect(phone.ostiary.appLoginSession?.isLoggedIn == false, "\(Self.calls[index].name)")
    }

    @Test("S1-13 what a system makes the app do does not", arguments: Self.calledBySystem.indices)
    func notKept(_ index: Int) async throws {
        let phone = try await loggedIn { $0.appLoginInactivityTimeout = .seconds(300) }
        phone.clock.advance(200)
        await Self.calledBySystem[index].call(phone.ostiary)
        phone.clock.advance(99)
        #expect(phone.ostiary.appLoginSession?.isLoggedIn == true, "\(Self.calledBySystem[index].name)")
        phone.clock.advance(1)
        #expect(phone.ostiary.appLoginSession?.isLoggedIn == false, "\(Self.calledBySystem[index].name)")
        #expect(try await phone.stopped().ending == .inactivity)
    }

    @Test("S1-41 S1-43 S1-44 after the time the app is logged out, the server hears it, and a login by code asks for the PIN")
    func loggedOut() async throws {
        let phone = try await loggedIn { $0.appLoginInactivityTimeout = .seconds(300) }
        await phone.server.with { server in
            server.settings.pinTimeout = 5
            for id in server.accounts.keys { _ = server.mintCache(id, isSingleUse: false) }
        }
        phone.clock.advance(300)
        let ended = try await phone.stopped()
        #expect(ended.isAppLogin && ended.isLoggedOut && ended.ending == .inactivity && ended.webNonce == nil && ended.username == nil)
        try await waiting(while: await phone.server.with({ $0.sessions.values.allSatisfy { $0.stop != .inactivity } }))
        _ = try await phone.beginLogin()
        #expect(try await phone.secondFactor().secondFactorInfo.context == .verify)
    }

    @Test("A device that slept past the time wakes logged out: reading the accounts first does not help")
    func slept() async throws {
        let phone = try await loggedIn { $0.appLoginInactivityTimeout = .seconds(300) }
        phone.clock.advance(10_000)
        _ = phone.ostiary.accounts
        #expect(phone.ostiary.appLoginSession?.isLoggedIn == false && phone.ostiary.appLoginSession?.webNonce == nil)
        #expect(phone.ostiary.sessions.last { $0.isAppLogin }?.isLoggedIn == false)
        #expect(try await phone.stopped().ending == .inactivity)
    }

    @Test("A wall clock that is set by a day changes nothing", arguments: [-86_400, 86_400])
    func clockJumps(_ jump: Int64) async throws {
        let phone = try await loggedIn { $0.appLoginInactivityTimeout = .seconds(300) }
        phone.clock.advance(100)
        phone.clock.setWall(by: jump)
        phone.clock.advance(199)
        #expect(phone.ostiary.appLoginSession?.isLoggedIn == true)
        phone.clock.advance(1)
        #expect(phone.ostiary.appLoginSession?.isLoggedIn == false)
        #expect(try await phone.stopped().ending == .inactivity)
    }

    @Test("timeoutAppLogin ends an AppLogin that is used all the time")
    func lifetime() async throws {
        let phone = try await loggedIn { configuration in
            configuration.appLoginInactivityTimeout = .seconds(300)
            configuration.timeoutAppLogin = .seconds(600)
        }
        for _ in 0..<5 {
            phone.clock.advance(100)
            phone.ostiary.userIsActive()
        }
        #expect(phone.ostiary.appLoginSession?.isLoggedIn == true)
        phone.clock.advance(100)
        #expect(phone.ostiary.appLoginSession?.isLoggedIn == false)
        #expect(try await phone.stopped().ending == .timeout)
    }

    @Test("A login by code while the app is logged in does not make the AppLogin last longer")
    func loginByCode() async throws {
        let phone = try await loggedIn { $0.timeoutAppLogin = .seconds(600) }
        phone.clock.advance(500)
        try await phone.logInByCode()
        #expect(phone.ostiary.appLoginSession?.isLoggedIn == true)
        phone.clock.advance(100)
        #expect(phone.ostiary.appLoginSession?.isLoggedIn == false)
        #expect(try await phone.stopped().ending == .timeout)
    }

    @Test("Without a limit an AppLogin lasts as long as the server says, and the next one has its own time")
    func nextLogin() async throws {
        let unlimited = try await loggedIn { _ in }
        unlimited.clock.advance(30_000)
        #expect(unlimited.ostiary.appLoginSession?.isLoggedIn == true)
        let phone = try await loggedIn { $0.appLoginInactivityTimeout = .seconds(300) }
        phone.clock.advance(290)
        phone.ostiary.stopAppLogin()
        #expect(try await phone.stopped().ending == .user)
        try await phone.logInToApp()
        phone.clock.advance(290)
        #expect(phone.ostiary.appLoginSession?.isLoggedIn == true)
    }

    @Test("A restart of the process ends the AppLogin: a new one begins without it")
    func restart() async throws {
        let phone = try await loggedIn { $0.appLoginInactivityTimeout = .seconds(300) }
        let next = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys)
        next.ostiary.resume()
        #expect(try await next.ostiary.refresh().allSatisfy { !$0.isAppLogin })
        #expect(next.ostiary.appLoginSession == nil)
    }
}

extension TestPhone {
    /// Logs in to the app with the PIN 271828.
    @discardableResult
    func logInToApp() async throws -> Session {
        ostiary.startAppLogin()
        _ = try await secondFactor()
        ostiary.sfInput(PIN("271828"))
        return try await login()
    }
}
