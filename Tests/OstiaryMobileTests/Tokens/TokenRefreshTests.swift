import Foundation
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Synchronization
import Testing

@testable import OstiaryMobile

@Suite("Tokens that are good now: one refresh at a time, and none is lost", .timeLimit(.minutes(10)))
struct TokenRefreshTests {
    @Test("S3-45, 47…49 a token that is over is renewed with the refresh token, and stored; one that is good is not")
    func renewed() async throws {
        let world = try TokenFixture()
        let client = try await world.loggedIn()
        let first = try await client.freshToken()
        #expect(try await client.freshToken().value == first.value && world.server.calls(to: "/oauth/token") == 1)
        world.passLife()
        let second = try await client.freshToken()
        #expect(second.value != first.value && world.server.isGood(second))
        let form = try #require(world.server.with { $0.forms.last })
        #expect(form["grant_type"] == "refresh_token" && form["client_id"] == "timesheets" && form["refresh_token"] == "refresh.0.0")
        #expect(try await world.process().freshToken().value == second.value, "the next process has it, and asks nobody")
        #expect(world.server.calls(to: "/oauth/token") == 2)
        #expect(try await client.credentials()?.profile?.name == "Alice Example")
    }

    @Test("A token is renewed before its end, so that it lasts for a call; one that lasts no longer than that, at half of its life")
    func margin() async throws {
        let world = try TokenFixture()
        let client = try await world.loggedIn()
        world.clock.advance(269)
        _ = try await client.freshToken()
        #expect(world.server.calls(to: "/oauth/token") == 1)
        world.clock.advance(1)
        _ = try await client.freshToken()
        #expect(world.server.calls(to: "/oauth/token") == 2)
        world.server.with { $0.life = 20 }
        world.passLife()
        for _ in 0..<3 { _ = try await client.freshToken() }
        #expect(world.server.calls(to: "/oauth/token") == 3)
        world.clock.advance(11)
        _ = try await client.freshToken()
        #expect(world.server.calls(to: "/oauth/token") == 4)
    }

    @Test("100 callers at once, in the app and in an extension, are one refresh", arguments: [true, false])
    func herd(_ bindsToDevice: Bool) async throws {
        let world = try TokenFixture(bindsToDevice: bindsToDevice)
        let (app, widget) = (world.process(waiting: StillClock(base: world.clock)), world.process(waiting: StillClock(base: world.clock)))
        try await app.logIn(in: world.browser)
        world.passLife()
        let values = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<100 { group.addTask { try await (number.isMultiple(of: 2) ? app : widget).freshToken().value } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(values.count == 1 && world.server.calls(to: "/oauth/token") == 2)
        #expect(world.server.with { !$0.families[0].isOver })
    }

    @Test("Who gives up waiting ends the refresh for nobody else")
    func givenUp() async throws {
        let world = try TokenFixture()
        let client = try await world.loggedIn()
        world.passLife()
        let impatient = Task { try await client.freshToken() }
        impatient.cancel()
        _ = await impatient.result
        #expect(world.server.isGood(try await client.freshToken()))
        #expect(world.server.calls(to: "/oauth/token") == 2)
    }

    @Test("A lost answer is asked for again, by the same refresh token, and nobody is logged out", arguments: [true, false])
    func lostAnswer(_ bindsToDevice: Bool) async throws {
        let world = try TokenFixture(bindsToDevice: bindsToDevice)
        let client = try await world.loggedIn()
        for mishap in [TokenServer.Mishap.lostAnswer, .lostRequest, .status(503), .status(500), .status(429)] {
            world.passLife()
            world.server.with { $0.mishaps["/oauth/token"] = [mishap, mishap] }
            #expect(world.server.isGood(try await client.freshToken()), "\(mishap)")
        }
        #expect(world.server.with { !$0.families[0].isOver })
    }

    @Test("A provider that takes each call and says nothing costs the patience and one call, and not a call's time for every wait")
    func silent() async throws {
        var world = try TokenFixture()
        world.settings.patience = .seconds(30)
        let client = try await world.loggedIn()
        world.passLife()
        world.server.with { $0.mishaps["/oauth/token"] = Array(repeating: .silence, count: 20) }
        let begun = world.clock.monotonic
        await #expect(throws: TokenError.serverConnection) { try await client.freshToken() }
        #expect(world.clock.monotonic - begun == 31, "two calls of 15 seconds, and the second between them")
        #expect(world.server.calls(to: "/oauth/token") == 3, "with that of the login")
        world.server.with { $0.mishaps = [:] }
        #expect(world.server.isGood(try await client.freshToken()), "and nobody was logged out")
    }

    @Test("A provider that is away, busy or somebody else's page for longer is a reason to come back later: the login goes on")
    func away() async throws {
        let world = try TokenFixture()
        let client = try await world.loggedIn()
        world.passLife()
        world.server.with { $0.isDown = true }
        await #expect(throws: TokenError.serverConnection) { try await client.freshToken() }
        world.server.with { state in
            state.isDown = false
            state.mishaps["/oauth/token"] = Array(repeating: .status(503), count: 20)
        }
        await #expect(throws: TokenError.serverBusy) { try await client.freshToken() }
        world.server.with { $0.mishaps["/oauth/token"] = [.page] }
        await #expect(throws: TokenError.serverAnswer) { try await client.freshToken() }
        for error in [TokenError.serverConnection, .serverBusy, .serverAnswer] { #expect(error.advice == .retryLater) }
        #expect(try await client.credentials()?.profile?.subject == "alice")
        #expect(world.server.isGood(try await client.freshToken()))
    }

    @Test("A login that the provider ended is over here as well, and nothing of it stays; any other refusal keeps it")
    func over() async throws {
        let world = try TokenFixture()
        let client = try await world.loggedIn()
        world.passLife()
        let words: [(String, TokenRefusalCode)] = [
            ("invalid_client", .invalidClient), ("unauthorized_client", .unauthorizedClient), ("invalid_scope", .invalidScope), ("anything", .other),
        ]
        for (word, code) in words {
            world.server.with { $0.mishaps["/oauth/token"] = [.refused(word)] }
            await #expect(throws: TokenError.refused(code)) { try await client.freshToken() }
            #expect(try await client.credentials() != nil)
        }
        world.server.with { $0.mishaps["/oauth/token"] = [.status(400)] }
        await #expect(throws: TokenError.serverAnswer) { try await client.freshToken() }
        world.server.with { $0.families[0].isOver = true }
        await #expect(throws: TokenError.loginOver) { try await client.freshToken() }
        #expect(try await client.credentials() == nil)
        #expect(world.keys.names.isEmpty)
        await #expect(throws: TokenError.notLoggedIn) { try await client.freshToken() }
        #expect(TokenError.loginOver.advice == .logIn && TokenError.notLoggedIn.advice == .logIn)
    }

    @Test("An access token that an API refuses is renewed once, whatever its time; a second refusal is the developer's")
    func refusedByAPI() async throws {
        let world = try TokenFixture()
        let client = try await world.loggedIn()
        let first = try await client.freshToken().value
        let value = try await client.performWithFreshToken { token in
            guard token.value != first else { throw AccessTokenRefused() }
            return token.value
        }
        #expect(value != first && world.server.calls(to: "/oauth/token") == 2)
        let tries = Mutex(0)
        await #expect(throws: TokenError.accessTokenRefused) {
            try await client.performWithFreshToken { _ in
                tries.withLock { $0 += 1 }
                throw AccessTokenRefused()
            }
        }
        #expect(tries.withLock { $0 } == 2 && TokenError.accessTokenRefused.advice == .askDeveloper)
        struct Own: Error, Equatable {}
        await #expect(throws: Own()) { try await client.performWithFreshToken { _ in throw Own() } }
    }

    @Test("A nonce that an API asks for is in the next proof of the same token, and in those after it")
    func nonceOfAPI() async throws {
        let world = try TokenFixture()
        let client = try await world.loggedIn()
        let url = try #require(URL(string: "https://api.example.com/timesheets"))
        @Sendable func nonce(_ token: FreshToken) throws -> String? {
            let proof = try #require(try token.fields(method: "GET", url: url)["DPoP"])
            return try UnverifiedJWS(compact: proof).claimed["nonce"]?.string
        }
        for _ in 0..<2 {
            try await client.performWithFreshToken { token in
                guard try nonce(token) == "of-the-api" else { throw AccessTokenRefused(nonce: "of-the-api") }
            }
        }
        #expect(world.server.calls(to: "/oauth/token") == 1)
        #expect(try nonce(try await client.freshToken()) == "of-the-api")
    }

    @Test("A provider that asks for nonces gets them, also where it answers a code: that spends none")
    func nonceOfProvider() async throws {
        let world = try TokenFixture()
        world.server.with { $0.asksNonce = true }
        let client = try await world.loggedIn()
        #expect(world.server.calls(to: "/oauth/token") == 2)
        world.passLife()
        _ = try await client.freshToken()
        #expect(world.server.calls(to: "/oauth/token") == 3, "the next call knows it")
    }

    @Test("A device whose clock is hours off logs in and renews: proofs are made by the provider's time, which its answers tell")
    func wrongClock() async throws {
        for ahead: Int64 in [7_200, -7_200] {
            let world = try TokenFixture()
            world.server.with { $0.ahead = ahead }
            let client = try await world.loggedIn()
            world.passLife()
            #expect(world.server.isGood(try await client.freshToken()))
            #expect(world.server.isGood(try await world.process().freshToken()))
        }
        let world = try TokenFixture()
        world.server.with { state in
            state.ahead = 7_200
            state.tellsDate = false
        }
        await #expect(throws: TokenError.clockWrong) { try await world.process().logIn(in: world.browser) }
        #expect(TokenError.clockWrong.advice == .askUser)
    }

    @Test("A clock that is set back or forward costs a refresh and no login")
    func clockSet() async throws {
        let world = try TokenFixture()
        let client = try await world.loggedIn()
        for change: Int64 in [-100_000, 200_000] {
            world.clock.setWall(by: change)
            #expect(world.server.isGood(try await client.freshToken()))
        }
        #expect(world.server.calls(to: "/oauth/token") == 3)
    }

    @Test("A refresh whose ID token is another person's, another issuer's or signed by somebody else gives no access token")
    func lyingRefresh() async throws {
        let thief = try LocalSigner(.es256, stored: [UInt8](repeating: 9, count: 32))
        let lies: [(IDTokenFault, @Sendable (inout TokenServer.Lies) -> Void)] = [
            (.subject, { $0.claims = { $0["sub"] = .string("mallory") } }),
            (.issuer, { $0.claims = { $0["iss"] = .string("https://evil.example") } }),
            (.audience, { $0.claims = { $0["aud"] = .string("another") } }), (.key, { $0.signer = thief }),
        ]
        for (fault, lie) in lies {
            let world = try TokenFixture(bindsToDevice: false)
            let client = try await world.loggedIn()
            world.passLife()
            world.server.with { lie(&$0.lies) }
            await #expect(throws: TokenError.idToken(fault)) { try await client.freshToken() }
            #expect(try await client.credentials()?.profile?.subject == "alice")
            world.server.with { $0.lies = TokenServer.Lies() }
            #expect(world.server.isGood(try await client.freshToken()), "the refresh token of the answer was kept all the same")
        }
    }

    @Test("Another key under the same name is met while the app goes on; keys that cannot be had then are no reason to believe the token")
    func keyReplacedUnderItsName() async throws {
        let world = try TokenFixture(bindsToDevice: false)
        let client = try await world.loggedIn()
        let another = try RenamedSigner(LocalSigner(.es256, stored: [UInt8](repeating: 9, count: 32)), as: world.server.signer.key.id)
        world.passLife()
        world.server.with { state in
            state.lies.signer = another
            state.lies.keys = JWKSet([another.key])
            state.mishaps["/keys"] = [.page]
        }
        await #expect(throws: TokenError.idToken(.signature)) { try await client.freshToken() }
        #expect(world.server.isGood(try await client.freshToken()))
        // And whose key that is not, is nobody's, by whatever keys.
        world.passLife()
        world.server.with { $0.lies.keys = JWKSet([world.server.signer.key]) }
        let restarted = world.process()
        await #expect(throws: TokenError.idToken(.signature)) { try await restarted.freshToken() }
    }

    @Test("A bearer login is not renewed while nothing can be kept: the one refresh token that there is stays the newest, however long that lasts")
    func noRoom() async throws {
        let world = try TokenFixture(bindsToDevice: false)
        let client = try await world.loggedIn()
        world.passLife()
        world.documents.refusals = 3
        for _ in 0..<3 { await #expect(throws: TokenError.storeUnavailable) { try await client.freshToken() } }
        #expect(world.server.calls(to: "/oauth/token") == 1 && TokenError.storeUnavailable.advice == .retryLater)
        #expect(world.server.isGood(try await client.freshToken()))
        #expect(world.server.with { $0.families[0].generation } == 1)
    }

    @Test("What a refresh leaves out stays: no ID token, no scope, no refresh token; and keys that cannot be had keep nobody from a token")
    func leftOut() async throws {
        let world = try TokenFixture()
        let client = try await world.loggedIn()
        world.passLife()
        world.server.with { state in
            state.issuesRefreshTokens = false
            state.lies.answer = { object in for name in ["id_token", "scope"] { object[name] = nil } }
        }
        #expect(try await client.freshToken().hasScope("read:timesheets"))
        #expect(try await client.credentials()?.profile?.email == "alice@example.org")
        world.passLife()
        world.server.with { state in
            state.lies = TokenServer.Lies()
            state.mishaps["/keys"] = Array(repeating: .lostRequest, count: 20)
        }
        let process = world.process()
        #expect(world.server.isGood(try await process.freshToken()))
        #expect(try await process.credentials()?.isLasting == true)
    }

    @Test("A login that was not meant to last is over with its token, and only then")
    func notLasting() async throws {
        var world = try TokenFixture()
        world.settings.scope = "openid read:timesheets"
        let client = try await world.loggedIn()
        #expect(try await client.credentials()?.isLasting == false)
        await #expect(throws: TokenError.accessTokenRefused) { try await client.performWithFreshToken { _ in throw AccessTokenRefused() } }
        #expect(try await client.credentials() != nil)
        world.passLife()
        await #expect(throws: TokenError.loginOver) { try await client.freshToken() }
        #expect(try await client.credentials() == nil)
    }

    @Test("A key store that is locked is waited for; secrets that stayed on another device are a login that is not there")
    func restoredDevice() async throws {
        let world = try TokenFixture()
        _ = try await world.loggedIn()
        world.passLife()
        world.keys.refusal = .unavailable
        await #expect(throws: TokenError.keyStore) { try await world.process().freshToken() }
        world.keys.refusal = nil
        #expect(world.server.isGood(try await world.process().freshToken()))
        for name in world.keys.names { try world.keys.delete(named: name) }
        let restored = world.process()
        #expect(try await restored.credentials() == nil)
        await #expect(throws: TokenError.notLoggedIn) { try await restored.freshToken() }
        try await restored.logIn(in: world.browser)
        #expect(world.server.isGood(try await restored.freshToken()))
        #expect(try world.stored.ended.isEmpty)
    }

    @Test("A store that is damaged, or that there is none, is said so, and nothing is overwritten")
    func damaged() async throws {
        let world = try TokenFixture()
        for text in ["", "{", #"{"version":2}"#, "[]"] {
            world.documents.document = Array(text.utf8)
            await #expect(throws: TokenError.storeUnreadable) { try await world.process().freshToken() }
            await #expect(throws: TokenError.storeUnreadable) { try await world.process().logIn(in: world.browser) }
            #expect(world.documents.document == Array(text.utf8))
        }
        let ports = Ports(keys: world.keys, accounts: MemoryAccountStore(), transport: world.server, clock: world.clock)
        await #expect(throws: TokenError.storeUnavailable) { try await TokenClient(world.settings, ports: ports).freshToken() }
    }
}

/// A key under another name than its own.
private struct RenamedSigner: TokenSigner {
    let key: JWK
    private let signer: LocalSigner

    init(_ signer: LocalSigner, as name: String?) {
        self.signer = signer
        key = JWK(signer.key.material, id: name)
    }

    func signature(over input: [UInt8]) throws -> [UInt8] { try signer.signature(over: input) }
}
