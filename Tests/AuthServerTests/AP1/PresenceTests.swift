import AuthServer
import Authentication
import HTTPService
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("Presence (protocol §8)", .againWithLostCommits, .timeLimit(.minutes(10)))
struct PresenceTests {
    private static func run(
        drain: DrainSignal = DrainSignal(), second: Duration = .milliseconds(20),
        _ body: @Sendable @escaping (ServersFixture, EnrolledPhone, SessionID, SessionNonce) async throws -> Void
    ) async throws {
        try await ServersFixture.run(drain: drain, second: second) { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let login = try await phone.logInApp()
            try await body(servers, phone, try #require(login.sessionID), try SessionNonce(try #require(login.webNonce)))
        }
    }

    @Test("A ping keeps the session; without one it is over at pingTime and a grace, at every reader at once (S1-05)")
    func deadline() async throws {
        try await Self.run { servers, phone, session, nonce async throws in
            servers.clock.advance(300)
            #expect(try await phone.ping(session).pingTime == 300)
            servers.clock.advance(315)
            #expect(try await servers.status(of: nonce).loggedIn)
            servers.clock.advance(1)
            #expect(try await servers.status(of: nonce) == .nobody)
        }
    }

    @Test("A late ping does not revive, and tells why")
    func late() async throws {
        try await Self.run { servers, phone, session, nonce async throws in
            servers.clock.advance(316)
            for _ in 0..<2 {
                let answer = try await phone.ping(session)
                #expect(answer.state == .stopped && answer.reason == .timeout)
                servers.clock.advance(1)
            }
            #expect(try await servers.status(of: nonce) == .nobody)
        }
    }

    @Test("A ping that was sent before the last one moves no deadline")
    func outOfOrder() async throws {
        try await Self.run { servers, phone, session, nonce async throws in
            servers.clock.advance(100)
            let early = try phone.phone.sealFresh(Ping(sessionID: session, hold: 0))
            servers.clock.advance(1)
            _ = try await phone.ping(session)
            servers.clock.advance(100)
            #expect(try PingAnswer(decoding: try await phone.phone.send(early).body).state == .loggedIn)
            #expect(try await servers.status(of: nonce).expiresAt == servers.now - 100 + 315)
        }
    }

    @Test("A login that is not watched lives half a day, pings or not")
    func unwatched() async throws {
        try await ServersFixture.run { servers in
            try await servers.update { $0.pingTime = 0 }
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let nonce = try servers.nonce()
            #expect(try await phone.logIn(nonce).pingTime == 0)
            servers.clock.advance(43_200)
            #expect(try await servers.status(of: nonce).loggedIn)
            servers.clock.advance(1)
            #expect(try await servers.status(of: nonce) == .nobody)
        }
    }

    @Test("A stop on the phone is a stop for everybody, and again the same (S1-40)")
    func stop() async throws {
        try await Self.run { servers, phone, session, nonce async throws in
            #expect(try await phone.stop(session).reason == .user)
            #expect(try await servers.status(of: nonce) == .nobody)
            #expect(try await phone.stop(session).reason == .user)
            #expect(try await phone.ping(session).reason == .user)
        }
    }

    @Test("A waiting ping hears of a stop by the server (S1-42)")
    func held() async throws {
        try await Self.run(second: .seconds(60)) { servers, phone, session, nonce async throws in
            async let answer = phone.ping(session, hold: 25)
            try await servers.listeners(1)
            try await servers.services.sessions.logOut(nonce, at: servers.server, by: .backend, now: servers.now)
            let heard = try await answer
            #expect(heard.state == .stopped && heard.reason == .server)
        }
    }

    @Test("A waiting ping is answered when its time is over, and when the server stops")
    func released() async throws {
        try await Self.run { _, phone, session, _ async throws in
            #expect(try await phone.ping(session, hold: 1).state == .loggedIn)
        }
        let drain = DrainSignal()
        try await Self.run(drain: drain, second: .seconds(60)) { servers, phone, session, _ in
            async let answer = phone.ping(session, hold: 25)
            try await servers.listeners(1)
            drain.begin()
            #expect(try await answer.state == .loggedIn)
        }
    }

    @Test("A waiting phone hears that its code was typed")
    func confirmed() async throws {
        try await ServersFixture.run(second: .seconds(60)) { servers in
            let nonce = try servers.nonce()
            let enrolling = try await TestPhone(servers).scan(try await servers.invite(nonce))
            _ = try await enrolling.finish()
            async let answer = enrolling.wait(hold: 25)
            try await servers.listeners(1)
            try await servers.confirm(nonce, enrolling.code)
            #expect(try await answer.status == .ok)
        }
    }

    @Test("The sweep writes down what ran out and tells the page")
    func swept() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let nonce = try servers.nonce()
            try await phone.logIn(nonce)
            let stream = try await servers.services.sessions.stream(of: nonce, at: servers.server)
            var news = servers.services.events.subscribe(to: [.stream(stream)]).makeAsyncIterator()
            servers.clock.advance(316)
            try await servers.services.housekeeping.run(at: servers.now)
            #expect(await news.next()?.kind == .loggedOut(.timeout))
        }
    }

    @Test("Another phone's key stops nothing")
    func foreign() async throws {
        try await Self.run { servers, _, session, nonce in
            let other = try await TestPhone(servers).enrol(try servers.nonce(), userID: "bob")
            #expect(await servers.refusal { try await other.stop(session) } == .sessionUnknown)
            #expect(await servers.refusal { try await other.ping(session) } == .sessionUnknown)
            #expect(try await servers.status(of: nonce).loggedIn)
        }
    }
}

extension ServersFixture {
    /// Returns when so many callers wait for news.
    func listeners(_ count: Int) async throws {
        let hub = try #require(services.events as? SessionEventHub)
        while hub.listenerCount < count { await Task.yield() }
    }
}
