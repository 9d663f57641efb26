import Foundation
import OstiaryMobile
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// What passes with time: both servers and the phones share one clock that these tests move.
@Suite("As time goes by", .onBothEngines)
struct TimeTests {
    @Test(
        "S1-31 straight after the enrolment an AppLogin asks for nothing; a minute later, or a second time, it asks for the PIN", arguments: [0, 61])
    func activationCache(_ delay: UInt64) async throws {
        try await ServersFixture.run { world in
            let phone = try world.phone()
            try await world.enrol(phone)
            world.clock.advance(delay)
            let first = try await phone.logInToApp()
            #expect(first.answers.map(\.result) == (delay == 0 ? [] : [.success]))
            let webNonce = try #require(first.end.session?.webNonce)
            #expect(try await world.backend.session(webNonce)["userid"] == .string("alice"))
            phone.ostiary.stopAppLogin()
            _ = try await phone.until(FixturePhone.end)
            #expect(try await phone.logInToApp().answers.map(\.result) == [.success])
        }
    }

    @Test("Twelve logins one after the other on one phone: each is asked for the PIN, each succeeds, none waits for the one before")
    func oneAfterTheOther() async throws {
        try await ServersFixture.run { world in
            let phone = try world.phone()
            try await world.enrol(phone)
            world.clock.advance(61)
            for _ in 0..<12 {
                let nonce = world.backend.newNonce()
                let login = try await phone.logIn(world.backend.loginCode(nonce))
                #expect(login.answers.map(\.result) == [.success])
                #expect(try await world.backend.isLoggedIn(nonce))
            }
        }
    }

    @Test("The cache of the activation lives in the memory of one process: another process with the same home is asked")
    func cacheIsInMemory() async throws {
        try await ServersFixture.run { world in
            try await world.enrol(try world.phone())
            #expect(try await world.phone().logInToApp().answers.map(\.result) == [.success])
        }
    }

    @Test("S1-43, S1-44 within the PIN's time-out nothing is asked; after a logout of the AppLogin the next login asks, by QR code too")
    func logoutWipesTheCache() async throws {
        try await ServersFixture.run { world in
            let phone = try world.phone(isWatching: true)
            try await world.enrol(phone)
            world.clock.advance(61)
            try await world.backend.updateServer(#"{"pinTimeout":10}"#)
            let app = try await phone.logInToApp()
            #expect(app.answers.map(\.result) == [.success])
            let webNonce = try #require(app.end.session?.webNonce)
            #expect(try await phone.logIn(world.backend.loginCode(world.backend.newNonce())).answers.isEmpty)

            try await world.backend.logOut(webNonce)
            let stopped = try await phone.until { event -> Session? in
                if case .sessionStop(let session) = event, session.isAppLogin { session } else { nil }
            }
            #expect(stopped.ending == .server)
            #expect(try await phone.logIn(world.backend.loginCode(world.backend.newNonce())).answers.map(\.result) == [.success])
        }
    }

    @Test("S1-19 the number of accounts is known at once: none before the first enrolment, one and two after it, the same after a restart")
    func numberOfAccounts() async throws {
        try await ServersFixture.run { world in
            let phone = try world.phone()
            #expect(phone.ostiary.accounts?.count == 0)
            try await world.enrol(phone)
            #expect(phone.ostiary.accounts?.count == 1)
            try await world.enrol(phone, user: "bob")
            #expect(phone.ostiary.accounts?.count == 2)
            #expect(try world.phone().ostiary.accounts?.count == 2)
        }
    }

    @Test("Attack 12: an enrol link older than ten minutes is refused, and the account is never made")
    func oldEnrolLink() async throws {
        try await ServersFixture.run { world in
            let nonce = world.backend.newNonce()
            let code = try await world.backend.enrolCode(nonce, name: "Alice", user: "alice")
            world.clock.advance(601)
            let phone = try world.phone()
            let end = try await phone.enrol(code) { _ in Issue.record("a code was shown") }
            #expect(end == .failed(.enrolmentExpired))
            #expect(phone.ostiary.accounts?.isEmpty == true)
        }
    }

    @Test("An enrolment whose code is not typed within ten minutes comes to nothing, on both sides")
    func unconfirmed() async throws {
        try await ServersFixture.run { world in
            let nonce = world.backend.newNonce()
            let code = try await world.backend.enrolCode(nonce, name: "Alice", user: "alice")
            let phone = try world.phone()
            let end = try await phone.enrol(code) { _ in world.clock.advance(601) }
            #expect(end.session == nil)
            #expect(try await world.backend.isLoggedIn(nonce) == false)
            #expect(try await world.phone().logInToApp().end.session == nil)
        }
    }

    @Test("qr_expired: a static code is good for ninety seconds", arguments: [(90, true), (91, false)])
    func staticCode(_ age: UInt64, _ isTaken: Bool) async throws {
        try await ServersFixture.run { world in
            let phone = try world.phone()
            try await world.enrol(phone)
            let code = try await world.backend.loginCode(world.backend.newNonce())
            world.clock.advance(age)
            let end = try await phone.logIn(code).end
            #expect(isTaken ? end.session != nil : end == .failed(.linkOld), "\(end)")
        }
    }

    @Test("A frame of a moving code is dynamic for ten seconds, static for ninety, and no code after that", arguments: [10, 11, 91])
    func movingCode(_ age: UInt64) async throws {
        try await ServersFixture.run { world in
            let phone = try world.phone()
            try await world.enrol(phone)
            let nonce = world.backend.newNonce()
            let code = try await world.movingCode(nonce)
            world.clock.advance(age)
            let end = try await phone.logIn(code).end
            guard age <= 90 else {
                #expect(end == .failed(.linkOld))
                return
            }
            #expect(end.session?.info.binding == (age <= 10 ? .qrDynamic : .qrStatic))
            #expect(try await world.backend.session(nonce)["binding"]?.string == (age <= 10 ? "qrDynamic" : "qrStatic"))
        }
    }

    @Test("S4-61, S4-63, S4-64 a PIN during the penalty is answered with what is left of it, and counted never; afterwards it is taken")
    func penalty() async throws {
        try await ServersFixture.run { world in
            let phone = try world.phone()
            try await world.enrol(phone)
            world.clock.advance(61)
            let wrong = try await phone.logIn(
                world.backend.loginCode(world.backend.newNonce()), pins: Array(Person.wrongPINs.prefix(3)) + [Person.pin])
            #expect(wrong.answers.map(\.penalisedFor) == [0, 0, 30, 30])
            #expect(wrong.answers.map(\.failedAttempts) == [1, 2, 3, 3])
            #expect(try await world.counted().failed == 3)

            world.clock.advance(20)
            let early = try await phone.logIn(world.backend.loginCode(world.backend.newNonce()))
            #expect(early.answers.map(\.penalisedFor) == [10])
            world.clock.advance(11)
            #expect(try await phone.logIn(world.backend.loginCode(world.backend.newNonce())).end.session != nil)
            #expect(try await world.counted().failed == 0)
        }
    }

    @Test("A session that is pinged outlives its ping time and fifteen seconds, again and again")
    func pings() async throws {
        try await ServersFixture.run { world in
            let phone = try world.phone()
            try await world.enrol(phone)
            let webNonce = try #require(try await phone.logInToApp().end.session?.webNonce)
            for _ in 0..<4 {
                let end = try #require(try await world.backend.session(webNonce)["expiresat"]?.int)
                let began = world.clock.now
                // In steps, and never past the end: the phone may only begin to wait for its next ping after the first of them.
                try await eventually("a ping after half of the ping time moves the end") {
                    if world.clock.now < began + 300 { world.clock.advance(5) }
                    return try await world.backend.session(webNonce)["expiresat"]?.int ?? 0 >= end + 150
                }
            }
            #expect(try await world.backend.isLoggedIn(webNonce))
        }
    }

    @Test("S1-05 a phone that does not show itself for the ping time and fifteen seconds is out, and a late ping does not bring it back")
    func latePing() async throws {
        try await ServersFixture.run { world in
            let phone = try world.phone()
            let nonce = try await world.enrol(phone)
            await world.line.cut()
            world.clock.advance(315)
            #expect(try await world.backend.isLoggedIn(nonce))
            world.clock.advance(1)
            #expect(try await world.backend.isLoggedIn(nonce) == false)
            await world.line.mend()
            let later = try world.phone()
            _ = try await later.ostiary.refresh()
            #expect(later.ostiary.sessions.allSatisfy { !$0.isLoggedIn })
            #expect(try await world.backend.isLoggedIn(nonce) == false)
        }
    }
}

extension ServersFixture {
    /// A whole enrolment of alice, or of somebody else.
    /// - Returns: the nonce that it logged in.
    @discardableResult
    func enrol(_ phone: FixturePhone, user: String = "alice") async throws -> String {
        let nonce = backend.newNonce()
        let code = try await backend.enrolCode(nonce, name: user.capitalized, user: user)
        let end = try await phone.enrol(code) { shown in
            let status = try await backend.confirm(nonce, shown)
            #expect(status == 200)
        }
        _ = try #require(end.session, "\(end)")
        return nonce
    }
}
