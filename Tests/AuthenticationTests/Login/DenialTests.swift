import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("A person says no")
struct DenialTests {
    @Test("A denial is signed, ends the session for everybody and is told to the page", arguments: [false, true])
    func denied(notMe: Bool) async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let link = try await world.link()
        let stream = try await world.queries.stream(of: DomainFixture.nonce("browser"), at: world.server)
        let shown = try await phone.look(at: link)
        var news = world.hub.subscribe(to: [.stream(stream)]).makeAsyncIterator()
        #expect(try await phone.decide(try phone.refusing(shown, notMe: notMe)).result == .denied)
        #expect(await news.next()?.kind == .claimed)
        #expect(await news.next()?.kind == .cancelled(notMe: notMe))
        guard case .denied(let denial)? = try await world.session()?.state else { throw MissingValue() }
        #expect(denial.notMe == notMe && denial.account == phone.account)
        #expect(try await world.status() == .nobody)
        #expect(try await world.refusal(of: try phone.looking(at: link, via: .scan)) == .sessionOver)
        let kinds = try await world.store.read { rows in try rows.auditEntries(of: world.server, limit: 1).map(\.kind) }
        #expect(kinds == [notMe ? .loginDisowned : .loginDenied])
    }

    @Test("The same denial again is answered alike, and another one is too late")
    func again() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        let denial = try phone.refusing(shown)
        let first = try await phone.decide(denial)
        let after = try await world.snapshot()
        #expect(try await phone.decide(denial) == first)
        #expect(try await world.snapshot() == after)
        #expect(try await world.refusal(of: try phone.refusing(shown, notMe: true)) == .differentDecision)
    }

    @Test("After a denial the PIN logs nobody in, and after a login there is nothing to deny")
    func final() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        let tried = try await phone.tryPIN(shown)
        _ = try await phone.decide(try phone.refusing(shown))
        #expect(try await world.refusal(of: try phone.accepting(shown, tried)) == .differentDecision)
        #expect(Refusal.differentDecision.status == .sessionOver)
        let next = try await phone.look(at: try await world.link())
        _ = try await phone.decide(try phone.accepting(next, try await phone.tryPIN(next)))
        #expect(try await world.refusal(of: try phone.refusing(next)) == .differentDecision)
        #expect(try await world.status().loggedIn)
    }

    @Test("A denial asks nothing of the second-factor server")
    func withoutSecondFactor() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        world.secondFactor.set { $0.isDown = true }
        #expect(try await phone.decide(try phone.refusing(shown)).result == .denied)
    }

    @Test("After a denial the browser gets a new session by the same nonce")
    func nextSession() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        _ = try await phone.decide(try phone.refusing(shown))
        #expect(try await phone.look(at: try await world.link()).content.sessionID != shown.content.sessionID)
    }
}
