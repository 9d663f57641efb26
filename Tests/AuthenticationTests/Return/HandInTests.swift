import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("Handing in a return code", .timeLimit(.minutes(10)))
struct HandInTests {
    /// A login whose browser is awaited, and its code.
    private func returning(_ world: DomainFixture) async throws -> (phone: TestPhone, session: SessionID, code: ReturnCode) {
        let phone = try await world.enrolledPhone()
        try await world.openPage()
        let answer = try await phone.confirmPage()
        let code = try present(try await world.code())
        return (phone, try present(answer.sessionID), code)
    }

    @Test("The address loaded again in the same browser says the same and does nothing, until the 120 seconds are over")
    func again() async throws {
        let world = try await DomainFixture()
        let (_, _, code) = try await returning(world)
        let first = try await world.handIn(code)
        world.pass(60)
        let after = try await world.snapshot()
        #expect(try await world.handIn(code) == first)
        #expect(try await world.snapshot() == after)
        world.pass(61)
        #expect(try await world.tryHandIn(code) == nil)
        #expect(try await world.status().loggedIn)
    }

    @Test("A spent code is nothing to any other nonce, and does nothing to anybody")
    func spent() async throws {
        let world = try await DomainFixture()
        let (_, _, code) = try await returning(world)
        try await world.handIn(code)
        let after = try await world.snapshot()
        #expect(try await world.tryHandIn(code, by: "other") == nil)
        #expect(try await world.snapshot() == after)
        try await world.logOut()
        #expect(try await world.tryHandIn(code) == nil)
    }

    @Test("An unknown code ends nothing, not even the caller's own session")
    func unknown() async throws {
        let world = try await DomainFixture()
        let (_, _, code) = try await returning(world)
        let before = try await world.snapshot()
        #expect(try await world.tryHandIn(ReturnCode([UInt8](repeating: 0, count: 16))) == nil)
        #expect(try await world.snapshot() == before)
        #expect(try await world.tryHandIn(code) != nil)
    }

    @Test("A code of another virtual server is unknown at this one")
    func otherServer() async throws {
        let world = try await DomainFixture()
        let (_, _, code) = try await returning(world)
        await #expect(throws: ReturnCodeWrong()) {
            _ = try await world.queries.handIn(
                code, by: try DomainFixture.nonce("browser"), at: world.neighbour.server, from: .backend, now: world.now)
        }
        #expect(try await world.tryHandIn(code) != nil)
    }

    @Test("32 hand-ins at once, half of them by another browser: one alone decides, and LOGIN is told once or never")
    func atOnce() async throws {
        for _ in 0..<8 {
            let world = try await DomainFixture()
            let (_, session, code) = try await returning(world)
            let news = world.hub.subscribe(to: [.session(session)])
            let gate = Gate()
            let statuses = try await withThrowingTaskGroup(of: (Bool, LoginStatus?).self) { group in
                for index in 0..<32 {
                    group.addTask {
                        await gate.wait(for: 32)
                        let isOurs = index % 2 == 0
                        let outcome = try await world.tryHandIn(code, by: isOurs ? "browser" : "other")
                        return (isOurs, outcome)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.allSatisfy { $0.0 || $0.1 == nil })
            let (ours, isLoggedIn) = (statuses.filter(\.0), try await world.status().loggedIn)
            #expect(ours.allSatisfy { ($0.1 != nil) == isLoggedIn })
            var kinds: [SessionNews.Kind] = []
            for await item in news {
                kinds.append(item.kind)
                break
            }
            #expect(kinds == [isLoggedIn ? .loggedIn(try present(try await world.session()?.account)) : .cancelled(notMe: false)])
        }
    }

    @Test("Events of the nonce: nothing when a login is accepted, LOGIN at the hand-in, CANCEL when the browser does not come back")
    func events() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await world.openPage()
        let stream = try present(try await world.session()?.stream)
        var news = world.hub.subscribe(to: [.stream(stream)]).makeAsyncIterator()
        _ = try await phone.confirmPage()
        #expect(await news.next()?.kind == .scanned)
        #expect(await news.next()?.kind == .claimed)
        #expect(await news.next()?.kind == .returning)
        try await world.handIn(try present(try await world.code()))
        #expect(await news.next()?.kind == .loggedIn(try present(phone.account)))
        try await world.logOut()
        #expect(await news.next()?.kind == .loggedOut(.server))
        try await world.openPage()
        _ = try await phone.confirmPage()
        #expect(await news.next()?.kind == .scanned)
        #expect(await news.next()?.kind == .claimed)
        #expect(await news.next()?.kind == .returning)
        world.pass(121)
        try await world.housekeeping.run(at: world.now)
        #expect(await news.next()?.kind == .cancelled(notMe: false))
    }

    @Test("The same decision again gets the same code, before the hand-in and after it")
    func sameCode() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await world.openPage()
        let shown = try await phone.look(at: try await world.drawn(.returning), via: .link)
        let decision = try phone.accepting(shown, try await phone.tryPIN(shown))
        let first = try await phone.decide(decision)
        let again = Outgoing(bytes: decision.bytes, ephemeral: decision.ephemeral, sentAt: decision.sentAt)
        #expect(try await phone.decide(again) == first)
        try await world.handIn(ReturnCode(try present(first.returnCode)))
        let after = try await phone.decide(again)
        #expect(after.returnCode == first.returnCode && !after.isReturning)
    }

    @Test("The first ping after the hand-in is answered at once, whatever time it would wait: the phone believes that the browser is on its way")
    func firstPing() async throws {
        let world = try await DomainFixture()
        let (phone, session, code) = try await returning(world)
        func look() async throws -> Awaited.Look {
            let message = try phone.fresh(Ping(sessionID: session, hold: 25))
            let request = PhoneRequest(
                server: world.server, opened: try OpenedRequest(try world.seal(message).bytes, with: world.keys.prekey), now: world.now)
            return try await world.presence.ping(request).look()
        }
        world.pass(1)
        guard case .nothing = try await look() else { throw MissingValue() }
        world.pass(1)
        try await world.handIn(code)
        world.pass(1)
        guard case .news(let first) = try await look() else { throw MissingValue() }
        #expect(try !PingAnswer(decoding: first.body).isReturning)
        world.pass(1)
        guard case .nothing = try await look() else { throw MissingValue() }
    }

    @Test("A blocked or deleted account has no login on the way back", arguments: [true, false])
    func accountGone(isBlocked: Bool) async throws {
        let world = try await DomainFixture()
        let (phone, _, code) = try await returning(world)
        let account = try present(phone.account)
        if isBlocked {
            _ = try await world.accounts.setBlocked(true, account, at: world.server, by: .backend, now: world.now)
        } else {
            try await world.accounts.delete(account, at: world.server, by: .backend, now: world.now)
        }
        #expect(try await world.tryHandIn(code) == nil)
        #expect(try await world.status() == .nobody)
    }

    @Test("The phone that gives up, and the backend that logs out, end the way back", arguments: [true, false])
    func givenUp(byPhone: Bool) async throws {
        let world = try await DomainFixture()
        let (phone, session, code) = try await returning(world)
        if byPhone { _ = try await phone.stop(session) } else { try await world.logOut() }
        #expect(try await world.tryHandIn(code) == nil)
        #expect(try await phone.ping(session).reason == (byPhone ? .user : .server))
    }
}
