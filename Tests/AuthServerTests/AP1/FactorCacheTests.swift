import AuthServer
import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("PIN cache (protocol §6, S1-43, S1-44)", .againWithLostCommits)
struct FactorCacheTests {
    /// A phone on a server that asks for a PIN every five minutes.
    private static func run(minutes: Int = 5, _ body: @Sendable @escaping (ServersFixture, EnrolledPhone) async throws -> Void) async throws {
        try await ServersFixture.run { servers in
            try await servers.update {
                $0.pinTimeout = minutes
                $0.pingTime = 3_600
            }
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            servers.clock.advance(61)
            try await body(servers, phone)
        }
    }

    @Test("Within pinTimeout a login asks no PIN, says so, and its time is that of the PIN")
    func within() async throws {
        try await Self.run { servers, phone in
            let typedAt = servers.now
            let first = try #require(try await phone.logInApp().cache)
            servers.clock.advance(120)
            let nonce = try servers.nonce()
            let shown = try await phone.scan(try await servers.link(nonce))
            #expect(shown.screen.secondFactor == .cacheAllowed)
            let answer = try await shown.logInByCache(first)
            let status = try await servers.status(of: nonce)
            #expect(status.authentication?.time == typedAt && status.loginTime == servers.now && status.authentication?.amr == ["mfa", "pin", "pop"])
            let second = try #require(answer.cache)
            #expect(second != first)
            servers.clock.advance(179)
            #expect(try await phone.scan(try await servers.link(try servers.nonce())).logInByCache(second).cache != nil)
        }
    }

    @Test("It runs out so many minutes after the PIN, not after the last login")
    func expiry() async throws {
        try await Self.run { servers, phone in
            let first = try #require(try await phone.logInApp().cache)
            servers.clock.advance(200)
            let second = try #require(try await phone.scan(try await servers.link(try servers.nonce())).logInByCache(first).cache)
            servers.clock.advance(101)
            let shown = try await phone.scan(try await servers.link(try servers.nonce()))
            #expect(await servers.refusal { try await shown.logInByCache(second) } == .secondFactorNeeded)
            #expect(try await shown.logInByPIN().result == .loggedIn)
        }
    }

    @Test(
        "After the end of the AppLogin the PIN is asked again, for QR codes too, whoever ended it",
        arguments: ["stop", "logout", "timeout", "block"])
    func logout(how: String) async throws {
        try await Self.run { servers, phone in
            let login = try await phone.logInApp()
            let (cache, session) = (try #require(login.cache), try #require(login.sessionID))
            let shown = try await phone.scan(try await servers.link(try servers.nonce()))
            switch how {
            case "stop": try await phone.stop(session)
            case "logout":
                try await servers.services.sessions.logOut(
                    try SessionNonce(try #require(login.webNonce)), at: servers.server, by: .backend, now: servers.now)
            case "timeout":
                try await servers.update { $0.pinTimeout = 1_000 }
                servers.clock.advance(3_616)
            default:
                for blocked in [true, false] {
                    _ = try await servers.services.accounts.setBlocked(blocked, phone.account, at: servers.server, by: .backend, now: servers.now)
                }
            }
            let fresh = how == "timeout" ? try await phone.scan(try await servers.link(try servers.nonce())) : shown
            #expect(await servers.refusal { try await fresh.logInByCache(cache) } == .secondFactorNeeded)
            #expect(try await phone.openApp().screen.secondFactor == .needed)
        }
    }

    @Test("The cache of one account is no good for another, nor a guess for any")
    func foreign() async throws {
        try await Self.run { servers, phone in
            let cache = try #require(try await phone.logInApp().cache)
            let other = try await TestPhone(servers).enrol(try servers.nonce(), userID: "bob")
            servers.clock.advance(61)
            let shown = try await other.scan(try await servers.link(try servers.nonce()))
            #expect(await servers.refusal { try await shown.logInByCache(cache) } == .secondFactorNeeded)
            let mine = try await phone.scan(try await servers.link(try servers.nonce()))
            #expect(await servers.refusal { try await mine.logInByCache([UInt8](repeating: 0, count: 32)) } == .secondFactorNeeded)
        }
    }

    @Test("With pinTimeout 0 every login asks; the phone cannot talk the server out of it")
    func never() async throws {
        try await Self.run(minutes: 0) { servers, phone in
            let answer = try await phone.logInApp()
            #expect(answer.cache == nil)
            let shown = try await phone.scan(try await servers.link(try servers.nonce()))
            #expect(await servers.refusal { try await shown.logInByCache([UInt8](repeating: 1, count: 32)) } == .refused)
            #expect(await servers.refusal { try await shown.send(try shown.decision()) } == .secondFactorNeeded)
        }
    }

    @Test("With pinTimeout -1 the device key alone logs in, and the level says so")
    func deviceOnly() async throws {
        try await Self.run(minutes: -1) { servers, phone in
            let nonce = try servers.nonce()
            let shown = try await phone.scan(try await servers.link(nonce))
            #expect(shown.screen.secondFactor == .none && shown.screen.methods == [])
            #expect(try await shown.send(try shown.decision()).cache == nil)
            let status = try await servers.status(of: nonce)
            #expect(status.authentication?.amr == ["pop"] && status.authentication?.acr == "sf")
        }
    }
}
