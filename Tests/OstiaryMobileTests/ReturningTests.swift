import Foundation
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("The way back to the browser", .timeLimit(.minutes(10)))
struct ReturningTests {
    private static let address = "https://shop.example/welcome?a=b"

    /// A phone whose server's logins are those of pages.
    private func enrolled(pingTime: UInt32 = 300) async throws -> TestPhone {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { server in
            server.settings.returnURL = Self.address
            server.settings.pingTime = pingTime
            server.received = []
        }
        return phone
    }

    /// As far as the server's word that the login is accepted and its browser awaited.
    private func approve(_ phone: TestPhone, tapped: Bool = false) async throws -> Session {
        let link = try await phone.server.makeLoginLink()
        if tapped { phone.ostiary.start(link: Link.text(of: link, at: TestServer.url)) } else { phone.ostiary.start(with: link) }
        let (session, accounts) = try await phone.confirmLogin()
        phone.ostiary.setAccount(accounts.first, for: session)
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        return try await phone.until { if case .sessionUpdate(let session) = $0, session.isReturning { session } else { nil } }
    }

    private func pings(_ phone: TestPhone) async -> Int { await phone.server.with { $0.received.filter { $0 == .ping }.count } }

    @Test("A login is told when its browser came back and not before, and then once")
    func toldAfterReturn() async throws {
        let phone = try await enrolled()
        let session = try await approve(phone)
        #expect(!session.isLoggedIn && !session.isLoggedOut && !session.isOver && session.returnURL == nil && session.username == nil)
        #expect(session.state == .waitingForUserInput)
        try await waiting(while: await pings(phone) == 0)
        #expect(phone.ostiary.session(session.id)?.isLoggedIn == false)
        await phone.server.bringBack()
        let events = try await phone.all { if case .sessionLogin = $0 { true } else { false } }
        #expect(events.filter { if case .sessionLogin = $0 { true } else { false } }.count == 1)
        let loggedIn = try #require(phone.ostiary.session(session.id))
        #expect(loggedIn.isLoggedIn && !loggedIn.isReturning && loggedIn.username == "ada" && loggedIn.pingTime == 300)
    }

    @Test("While the browser is awaited each ping waits 25 seconds for news, whatever the ping time is", arguments: [0, 10, 300])
    func holds(pingTime: UInt32) async throws {
        let phone = try await enrolled(pingTime: pingTime)
        _ = try await approve(phone)
        try await waiting(while: await pings(phone) == 0)
        #expect(await phone.server.with { $0.holds } == [25])
        await phone.server.bringBack()
        _ = try await phone.login()
    }

    @Test("A login that is not watched is not pinged any more once its browser is back")
    func oneShot() async throws {
        let phone = try await enrolled(pingTime: 0)
        _ = try await approve(phone)
        try await waiting(while: await pings(phone) == 0)
        await phone.server.bringBack()
        #expect(try await phone.login().pingTime == 0)
        let count = await pings(phone)
        phone.clock.advance(100_000)
        for _ in 0..<50 { await Task.yield() }
        #expect(await pings(phone) == count)
    }

    @Test("After a tapped link the app is told the address to open, with the code; when it was used it is gone")
    func address() async throws {
        let phone = try await enrolled()
        let session = try await approve(phone, tapped: true)
        #expect(session.info.binding == .returnCode)
        #expect(session.returnURL?.absoluteString == "\(Self.address)&returncode=AQEBAQEBAQEBAQEBAQEBAQ")
        #expect(
            !"\(session)".contains("AQEB") && !session.debugDescription.contains("AQEB")
                && !"\(Mirror(reflecting: session).children.map(\.value))".contains("AQEB"))
        await phone.server.bringBack()
        #expect(try await phone.login().returnURL == nil)
    }

    @Test(
        "No app is made to open what is no page: another scheme, plain http, a login without an address",
        arguments: ["javascript:alert(1)", "shop://open", "http://shop.example/", "https://user@shop.example/", ""])
    func refusesAddresses(address: String) async throws {
        let phone = try await enrolled()
        await phone.server.with { $0.settings.returnURL = address }
        phone.ostiary.start(link: Link.text(of: try await phone.server.makeLoginLink(), at: TestServer.url))
        let (session, accounts) = try await phone.confirmLogin()
        phone.ostiary.setAccount(accounts.first, for: session)
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.finalFailure() == .serverAnswer)
        #expect(phone.ostiary.session(session.id)?.returnURL == nil)
    }

    @Test("A tapped link without a code, and a code for a scanned one, are answers that cannot be understood", arguments: [true, false])
    func codeInTheWrongPlace(isTapped: Bool) async throws {
        let phone = try await enrolled()
        let link = try await phone.server.makeLoginLink()
        await phone.server.with { server in
            if isTapped { server.settings.returnCode = nil } else { server.tapsEverything = true }
        }
        if isTapped { phone.ostiary.start(link: Link.text(of: link, at: TestServer.url)) } else { phone.ostiary.start(with: link) }
        let (session, accounts) = try await phone.confirmLogin()
        phone.ostiary.setAccount(accounts.first, for: session)
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.finalFailure() == .serverAnswer)
    }

    @Test("When another browser came back the person is warned that somebody may have sent the login; nobody was logged in")
    func warns() async throws {
        let phone = try await enrolled()
        let session = try await approve(phone)
        await phone.server.stopSessions(.otherBrowser)
        let (error, ended) = try await phone.failure()
        #expect(error == .loginInOtherBrowser && error.advice == .askUser && ended?.id == session.id)
        let stopped = try await phone.stopped()
        #expect(stopped.ending == .otherBrowser && stopped.isOver && !stopped.isLoggedOut)
        #expect(phone.ostiary.history.last?.status == .aborted)
        #expect(try StoredState(decoding: phone.accounts.document).sessions.isEmpty)
    }

    @Test("A browser that does not come back in time ends it without a warning")
    func tooLate() async throws {
        let phone = try await enrolled()
        _ = try await approve(phone)
        await phone.server.stopSessions(.timeout)
        #expect(try await phone.stopped().ending == .timeout)
    }

    @Test("The person can give it up on the way, and the server is told")
    func givenUp() async throws {
        let phone = try await enrolled()
        let session = try await approve(phone)
        try await phone.ostiary.end(session)
        #expect(try await phone.stopped().ending == .user)
        #expect(await phone.server.with { $0.sessions.values.contains { $0.stop == .user && !$0.isApp && $0.isReturning } })
    }

    @Test("While the browser is awaited another login may begin")
    func another() async throws {
        let phone = try await enrolled()
        let first = try await approve(phone)
        let second = try await approve(phone)
        #expect(first.id != second.id)
        await phone.server.bringBack()
        let ids = [try await phone.login().id, try await phone.login().id]
        #expect(Set(ids) == [first.id, second.id])
    }

    @Test("A process that takes over knows that the browser is awaited, and learns that it came back")
    func nextProcess() async throws {
        let first = try await enrolled()
        let session = try await approve(first, tapped: true)
        first.cable.cut()
        let next = TestPhone(first.server, accounts: first.accounts, keys: first.keys)
        first.clock.advance(5)
        let taken = try #require(try await next.ostiary.refresh().first)
        #expect(taken.id == session.id && taken.isReturning && !taken.isLoggedIn && taken.returnURL == nil)
        await next.server.bringBack()
        #expect(try await next.login().id == session.id)
        #expect(try StoredState(decoding: first.accounts.document).sessions.first?.isReturning == nil)
        #expect(!String(decoding: first.accounts.document ?? [], as: UTF8.self).contains("AQEB"))
    }

    @Test("An app's own login never waits for a browser")
    func appLogin() async throws {
        let phone = try await enrolled()
        phone.ostiary.startAppLogin()
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.login().isAppLogin)
    }
}
