import Authentication
import Database
import HTTPService
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import AuthServer

/// An authentication server whose clock leaps ahead while somebody asks it, and a second-factor server whose clock is right.
@Suite("What ends by a clock that is contradicted", .timeLimit(.minutes(10)))
struct EndingClockTests {
    /// A phone that is logged in, and where.
    private struct Alive: Sendable {
        let phone: EnrolledPhone
        let nonce: SessionNonce
        let session: SessionID
    }

    private func loggedIn(_ servers: ServersFixture, userID: String = "alice") async throws -> Alive {
        let phone = try await TestPhone(servers).enrol(try servers.nonce(), userID: userID)
        let nonce = try servers.nonce()
        let session = try #require(try await phone.logIn(nonce).sessionID)
        servers.clock.advance(10)
        return Alive(phone: phone, nonce: nonce, session: session)
    }

    /// Ahead, or right again with zero.
    private func leap(_ servers: ServersFixture, by seconds: Int64) {
        servers.clock.jump(seconds + servers.skew.value)
        servers.skew.value = -seconds
    }

    private func sessions(_ servers: ServersFixture) async throws -> [String] {
        try await servers.snapshot().filter { $0.hasPrefix("session: ") || $0.hasPrefix("replay: ") || $0.hasPrefix("audit: ") }
    }

    @Test(
        "A99 A ping that is late by a clock ten minutes or an hour ahead ends nothing while the second-factor server contradicts it, known before or asked then",
        .onBothEngines, arguments: [600, 3_600] as [Int64])
    func ping(_ ahead: Int64) async throws {
        try await ServersFixture.run { servers in
            let alive = try await loggedIn(servers)
            for isKnown in [false, true] {
                leap(servers, by: ahead)
                if isKnown { await servers.runBackground() }
                let before = try await sessions(servers)
                for _ in 0..<2 { #expect(await servers.refusal { try await alive.phone.ping(alive.session) } == .clock) }
                #expect(try await servers.status(of: alive.nonce) == .nobody, "nobody is let in by it either")
                #expect(try await sessions(servers) == before)
                leap(servers, by: 0)
                servers.clock.advance(1)
                #expect(try await alive.phone.ping(alive.session).state == .loggedIn)
                #expect(try await servers.status(of: alive.nonce).loggedIn)
                await servers.runBackground()
            }
        }
    }

    @Test("A99 A phone that waits is not told by such a clock that its login is over")
    func held() async throws {
        let drain = DrainSignal()
        try await ServersFixture.run(drain: drain, second: .seconds(60)) { servers in
            let alive = try await loggedIn(servers)
            async let answer = alive.phone.ping(alive.session, hold: 25)
            try await servers.listeners(1)
            while try await servers.status(of: alive.nonce).lastPing != servers.now { await Task.yield() }
            leap(servers, by: 600)
            drain.begin()
            #expect(try await answer.state == .loggedIn)
        }
    }

    @Test(
        "A99 A stop is one by any clock, and what everybody is told is who stopped: the phone, a backend, a block; known to be contradicted or not yet",
        arguments: [true, false])
    func stops(_ isKnown: Bool) async throws {
        try await ServersFixture.run { servers in
            let first = try await loggedIn(servers)
            let second = try await loggedIn(servers, userID: "bob")
            let third = try await loggedIn(servers, userID: "carol")
            let fourth = try await loggedIn(servers, userID: "dave")
            await servers.runBackground()
            leap(servers, by: 600)
            if isKnown { #expect(await servers.refusal { try await first.phone.ping(first.session) } == .clock) }
            let (services, now) = (servers.services, servers.now)
            let stopped = try await first.phone.stop(first.session)
            #expect(stopped.state == .stopped && stopped.reason == .user)
            try await services.sessions.logOut(second.nonce, at: servers.server, by: .backend, now: now)
            try await services.accounts.delete(third.phone.account, at: servers.server, by: .backend, now: now)
            _ = try await services.accounts.setBlocked(true, fourth.phone.account, at: servers.server, by: .backend, now: now)
            leap(servers, by: 0)
            for each in [first, second, third, fourth] { #expect(try await servers.status(of: each.nonce) == .nobody) }
            #expect(await servers.refusal { try await third.phone.ping(third.session) } == .accountDeleted)
            _ = try await services.accounts.setBlocked(false, fourth.phone.account, at: servers.server, by: .backend, now: servers.now)
            for (each, reason) in [(first, .user), (second, .server), (fourth, .account)] as [(Alive, StopReason)] {
                let answer = try await each.phone.ping(each.session)
                #expect(answer.state == .stopped && answer.reason == reason)
            }
        }
    }

    @Test("A login that is late by a clock that was agreed with has ended by itself, whoever stops it then")
    func lateStop() async throws {
        try await ServersFixture.run { servers in
            try await servers.update { $0.pingTime = 60 }
            let late = try await loggedIn(servers)
            await servers.runBackground()
            servers.clock.advance(90)
            #expect(try await late.phone.stop(late.session).reason == .timeout)
        }
    }

    @Test("A99 A second-factor server whose clock is wrong, or that lies, revives nobody who is late, and ends nobody else")
    func liar() async throws {
        try await ServersFixture.run { servers in
            let alive = try await loggedIn(servers)
            servers.skew.value = 600
            await servers.runBackground()
            servers.clock.advance(300)
            #expect(try await alive.phone.ping(alive.session).state == .loggedIn)
            servers.clock.advance(316)
            #expect(await servers.refusal { try await alive.phone.ping(alive.session) } == .clock)
            #expect(try await servers.status(of: alive.nonce) == .nobody)
            servers.skew.value = 0
            await servers.runBackground()
            #expect(try await servers.status(of: alive.nonce) == .nobody)
            let answer = try await alive.phone.ping(alive.session)
            #expect(answer.state == .stopped && answer.reason == .timeout)

            let other = try await loggedIn(servers, userID: "bob")
            servers.secondFactor.isDown = true
            servers.clock.advance(316)
            #expect(try await other.phone.ping(other.session).reason == .timeout)
        }
    }

    @Test("Whose clock was agreed with a minute ago asks nobody when a ping is late, and one that leaps behind that asks")
    func agreed() async throws {
        try await ServersFixture.run { servers in
            try await servers.update { $0.pingTime = 60 }
            let late = try await loggedIn(servers)
            let alive = try await loggedIn(servers, userID: "bob")
            await servers.runBackground()
            let calls = servers.secondFactor.calls
            servers.clock.advance(60)
            #expect(try await alive.phone.ping(alive.session).state == .loggedIn)
            servers.clock.advance(30)
            #expect(try await late.phone.ping(late.session).reason == .timeout)
            #expect(servers.secondFactor.calls == calls)
            leap(servers, by: 121)
            #expect(await servers.refusal { try await alive.phone.ping(alive.session) } == .clock)
            #expect(servers.secondFactor.calls == calls + 1)
        }
    }

    @Test("A99 A phone that waits for its code is not told by such a clock that its account is gone: the code is typed when the clock is right")
    func enrolment() async throws {
        try await ServersFixture.run { servers in
            let nonce = try servers.nonce()
            let enrolling = try await TestPhone(servers).scan(try await servers.invite(nonce))
            #expect(try await enrolling.finish().status == .ok)
            leap(servers, by: 3_600)
            #expect(try await enrolling.wait().status == .accountPending)
            leap(servers, by: 0)
            servers.clock.advance(1)
            try await servers.confirm(nonce, enrolling.code)
            #expect(try await enrolling.wait().status == .ok)
        }
    }
}
