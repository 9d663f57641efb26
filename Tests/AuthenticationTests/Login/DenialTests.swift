import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("A person says no", .timeLimit(.minutes(10)))
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

    @Test(
        "A denial that brings what a yes would bring is a denial: nobody looks at proofs, cache and number, and nothing is spent",
        arguments: [Decision.decline, .notMe])
    func bringsMore(decision: Decision) async throws {
        let world = try await DomainFixture { $0.pinTimeout = 10 }
        let phone = try await world.enrolledPhone()
        let cache = try present(try await phone.logIn("first").cache)
        for (browser, brought) in [("second", cache), ("third", SHA(cache))] {
            let shown = try await phone.look(at: try await world.link(browser))
            let tried = try await phone.tryPIN(shown)
            let heard = world.secondFactor.heard.count
            let own = try phone.signed(phone.ownAttempt(.verify, tried.sessionHash, shown.ephemeral))
            var choice = RawPhone.Choice(
                decision: decision, method: [.pin, .bio, .cached], attempt: tried.id, secondFactorSignature: try phone.secondFactorSignature(tried),
                biometricSignature: [UInt8](repeating: 7, count: 64), ownAttempt: own, cache: brought, userInput: "no")
            choice.number = "123"
            #expect(try await phone.decide(try phone.deciding(shown, choice)).result == .denied)
            #expect(world.secondFactor.heard.count == heard)
            #expect(try await world.status(browser) == .nobody)
        }
        let next = try await phone.look(at: try await world.link("next"))
        #expect(try await phone.decide(try phone.acceptingByCache(next, cache)).result == .loggedIn)
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
