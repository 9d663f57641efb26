import Foundation
import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import OstiaryMobile

@Suite("The ends of a login", .timeLimit(.minutes(10)))
struct TokenEndTests {
    @Test("S3-46 revoked is over at the provider, and nothing stays here")
    func revoked() async throws {
        let world = try TokenFixture()
        let client = try await world.loggedIn()
        let token = try await client.freshToken()
        try await client.revoke()
        #expect(world.server.with { $0.revoked } == ["refresh.0.0"])
        #expect(!world.server.isGood(token))
        #expect(try await client.credentials() == nil)
        #expect(world.keys.names.isEmpty)
        await #expect(throws: TokenError.notLoggedIn) { try await client.freshToken() }
        try await client.revoke()
    }

    @Test("S3-46 without a network it is over here at once, and at the provider as soon as a later call reaches it, in the next process too")
    func revokedLater() async throws {
        let world = try TokenFixture()
        let client = try await world.loggedIn()
        world.server.with { $0.isDown = true }
        await #expect(throws: TokenError.serverConnection) { try await client.revoke() }
        #expect(try await client.credentials() == nil)
        #expect(world.server.with { $0.revoked.isEmpty })
        world.server.with { $0.isDown = false }
        try await world.process().logIn(in: world.browser)
        #expect(world.server.with { $0.revoked } == ["refresh.0.0"])
        #expect(try world.stored.ended.isEmpty)
        #expect(world.keys.names.count == 2)
    }

    @Test("A logout ends the browser's login too: it goes there with the ID token and the client, and comes back by its own state")
    func logOut() async throws {
        let world = try TokenFixture()
        let client = try await world.loggedIn()
        try await client.logOut(in: world.browser)
        let opened = try #require(world.server.with { $0.opened.last })
        let asked = TokenServer.query(opened.query(percentEncoded: true) ?? "")
        #expect(opened.path == "/logout" && asked["client_id"] == "timesheets" && asked["post_logout_redirect_uri"] == "com.example.timesheets:/bye")
        #expect(asked["id_token_hint"]?.hasPrefix("eyJ") == true && asked["state"]?.isEmpty == false)
        #expect(world.server.with { $0.revoked } == ["refresh.0.0"])
        #expect(try await client.credentials() == nil)
    }

    @Test("A browser that is closed, or comes back for somebody else, logs nobody in again")
    func brokenLogOut() async throws {
        for (error, lie) in [(TokenError.cancelled, false), (.callback(.state), true)] {
            let world = try TokenFixture()
            let client = try await world.loggedIn()
            world.server.with { state in if lie { state.lies.callback = { $0[0].value = "another" } } }
            let browser = PersonAtBrowser { [server = world.server] url in
                guard lie else { throw BrowserError.cancelled }
                return try server.authorize(url)
            }
            await #expect(throws: error) { try await client.logOut(in: browser) }
            #expect(try await client.credentials() == nil)
            #expect(world.server.with { $0.families[0].isOver })
        }
    }

    @Test("A reset of the SDK leaves no token here, also where the document of tokens is damaged")
    func reset() async throws {
        let world = try TokenFixture()
        for isDamaged in [false, true] {
            let client = try await world.loggedIn()
            if isDamaged { world.documents.document = Array("{".utf8) }
            var ports = Ports(keys: world.keys, accounts: MemoryAccountStore(), transport: world.server, clock: world.clock)
            ports.tokens = world.documents
            ports.tokenLock = LeasedTokenLock(in: world.leases, clock: world.clock)
            try await Ostiary(ports: ports).eraseEverything()
            #expect(try await client.credentials() == nil)
            #expect(try world.stored == StoredTokens())
            if !isDamaged { #expect(world.keys.names.isEmpty) }
        }
    }

    @Test("Two clients of one home keep their logins apart: another API, another client, another issuer")
    func apart() async throws {
        let world = try TokenFixture()
        let client = try await world.loggedIn()
        var other = world
        other.settings.audience = nil
        #expect(try await other.process().credentials() == nil)
        try await other.process().logIn(in: world.browser)
        try await other.process().revoke()
        #expect(try await client.credentials() != nil)
        #expect(world.server.with { $0.revoked } == ["refresh.1.0"])
    }
}

@Suite("One process at a time", .timeLimit(.minutes(10)))
struct TokenLockTests {
    @Test("A lease is one's until it is let go or over, and who comes late lets go of nobody else's")
    func lease() throws {
        let (clock, store) = (TestClock(), MemoryAccountStore())
        let (app, widget) = (LeasedTokenLock(in: store, clock: clock), LeasedTokenLock(in: store, clock: clock))
        let first = try #require(try app.take())
        #expect(try widget.take() == nil)
        #expect(try app.take() == nil)
        first.release()
        let second = try #require(try widget.take())
        first.release()
        #expect(try app.take() == nil)
        clock.advance(59)
        #expect(try app.take() == nil)
        clock.advance(1)
        let third = try #require(try app.take())
        second.release()
        #expect(try widget.take() == nil)
        third.release()
        #expect(try widget.take() != nil)
    }

    @Test("A lease of a clock that was set back since keeps nobody out, and neither does junk")
    func setBack() throws {
        let (clock, store) = (TestClock(), MemoryAccountStore())
        let lock = LeasedTokenLock(in: store, clock: clock)
        _ = try #require(try lock.take())
        clock.setWall(by: -100_000)
        _ = try #require(try lock.take())
        store.document = [1, 2, 3]
        #expect(try lock.take() != nil)
    }

    @Test("A lock of the file system is one's until it is let go, or nobody holds it any more")
    func file() throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent("ostiary-lock-\(UUID())")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: home) }
        let (app, widget) = (FileTokenLock(home: home.path), FileTokenLock(home: home.path))
        var held = try app.take()
        #expect(held != nil)
        #expect(try widget.take() == nil)
        held?.release()
        held = try widget.take()
        #expect(held != nil)
        #expect(try app.take() == nil)
        held = nil
        #expect(try app.take() != nil)
        #expect(throws: AccountStoreError.unavailable) { try FileTokenLock(home: home.path + "/nowhere").take() }
    }

    @Test("Who waits in vain for a process that has it is told to come back")
    func busy() async throws {
        struct Taken: TokenLock {
            func take() throws(AccountStoreError) -> (any HeldTokenLock)? { nil }
        }
        let clock = TestClock()
        await #expect(throws: TokenError.busy) { try await TokenTurn(lock: Taken(), clock: clock).take { () async throws(TokenError) in } }
        #expect(TokenError.busy.advice == .retryLater)
    }
}

@Suite("What calls are made of")
struct TokenCallPartTests {
    @Test("The field Date is read as RFC 9110 writes it, and in no other form")
    func date() {
        #expect(HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        #expect(HTTPDate.seconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
        #expect(HTTPDate.seconds("Tue, 29 Feb 2028 23:59:60 GMT") == 1_835_481_600)
        for seconds: UInt64 in [951_782_400, 1_800_000_000, 4_107_542_399] { #expect(HTTPDate.seconds(FieldDate.text(seconds)) == seconds) }
        for text in [
            "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 06 Nov 1969 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994  08:49:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT", "Mon, 29 Feb 2027 00:00:00 GMT",
        ] {
            #expect(HTTPDate.seconds(text) == nil, "\(text)")
        }
    }

    @Test("A call tells of the answer's fields those that were asked for, and of one that came twice none")
    func answerFields() throws {
        let url = try #require(URL(string: "https://login.example/"))
        let request = TransportRequest(url: url, body: nil, timeout: 1, answerFields: ["dpop-nonce", "date"])
        let fields = [("DPoP-Nonce", "a"), ("Date", "b"), ("date", "c"), ("X", "d")].map { (name: $0.0, value: $0.1) }
        let told = request.told(of: fields)
        #expect(told == ["dpop-nonce": "a"])
        #expect(TransportRequest(url: url, body: nil, timeout: 1).told(of: [(name: "Date", value: "b")]).isEmpty)
    }

    @Test("A call and its answer print where they go, and nothing of what they carry")
    func printed() throws {
        let url = try #require(URL(string: "https://login.example/oauth/token?hint=abc"))
        let carried = ["authorization": "DPoP abc"]
        let request = TransportRequest(url: url, body: Array("abc".utf8), timeout: 1, fields: carried)
        let response = TransportResponse(status: 200, body: Array("abc".utf8), fields: carried)
        var texts = ["\(request)", "\(response)", String(reflecting: request), String(reflecting: response)]
        for value in [request, response] as [Any] {
            var text = ""
            dump(value, to: &text)
            texts.append(text)
        }
        #expect(texts.allSatisfy { !$0.contains("abc") && !$0.contains("97") && $0.contains("‹secret›") }, "\(texts)")
        #expect(texts[0] == "POST login.example/oauth/token ‹secret›")
    }

    @Test("Each error has an advice, and whoever is told to come back later is still logged in")
    func advice() {
        let later: [TokenError] = [.serverConnection, .serverBusy, .serverAnswer, .storeUnavailable, .keyStore, .busy, .inProgress]
        #expect(later.allSatisfy { $0.advice == .retryLater })
        let developer: [TokenError] = [
            .metadata(.issuer), .idToken(.nonce), .refused(.invalidClient), .settings(.scope), .storeUnreadable, .browserUnavailable,
        ]
        #expect(developer.allSatisfy { $0.advice == .askDeveloper })
        #expect(TokenError.cancelled.advice == .nothing && TokenError.denied.advice == .nothing)
    }
}
