import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("The same decision again")
struct RepeatTests {
    @Test("S1-38 a repeat gets a new webNonce; the new one is logged in and the old one is nobody")
    func newWebNonce() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.startAppLogin()
        let decision = try phone.accepting(shown, try await phone.tryPIN(shown))
        let first = try present(try await phone.decide(decision).webNonce)
        let proofs = world.secondFactor.heard.filter { $0 == .proof }.count
        let second = try present(try await phone.decide(decision).webNonce)
        #expect(first != second)
        #expect(try await world.status(webNonce: first) == .nobody)
        #expect(try await world.status(webNonce: second).loggedIn)
        #expect(world.secondFactor.heard.filter { $0 == .proof }.count == proofs)
        #expect(try await world.status(webNonce: second).loginTime == world.now)
    }

    @Test("A repeat gets a new cache for the rest of the time, and the old one is void")
    func newCache() async throws {
        let world = try await DomainFixture { $0.pinTimeout = 10 }
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        let decision = try phone.accepting(shown, try await phone.tryPIN(shown))
        let provedAt = world.now
        let first = try present(try await phone.decide(decision).cache)
        world.pass(60)
        let second = try present(try await phone.decide(Outgoing(bytes: decision.bytes, ephemeral: decision.ephemeral, sentAt: world.now)).cache)
        #expect(try await world.cache(of: try present(phone.account))?.expiresAt == provedAt + 600)
        let next = try await phone.look(at: try await world.link("next"))
        #expect(try await world.refusal(of: try phone.acceptingByCache(next, first)) == .cacheNotValid)
        #expect(try await phone.decide(try phone.acceptingByCache(next, second)).result == .loggedIn)
    }

    @Test("A repeat moves no deadline and no login time")
    func sameLogin() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        let decision = try phone.accepting(shown, try await phone.tryPIN(shown))
        _ = try await phone.decide(decision)
        let before = try await world.session()
        world.pass(60)
        _ = try await phone.decide(Outgoing(bytes: decision.bytes, ephemeral: decision.ephemeral, sentAt: world.now))
        #expect(try await world.session() == before)
    }

    @Test("After the stop a repeat finds the session over")
    func afterStop() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.startAppLogin()
        let decision = try phone.accepting(shown, try await phone.tryPIN(shown))
        let webNonce = try present(try await phone.decide(decision).webNonce)
        _ = try await phone.stop(shown.content.sessionID)
        let after = try await world.snapshot()
        #expect(try await world.refusal(of: decision) == .sessionOver)
        #expect(try await world.snapshot() == after)
        #expect(try await world.status(webNonce: webNonce) == .nobody)
    }

    @Test("Another decision on a session that is logged in is too late, though it is signed and proved")
    func otherDecision() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        let tried = try await phone.tryPIN(shown)
        _ = try await phone.decide(try phone.accepting(shown, tried))
        let after = try await world.snapshot()
        #expect(try await world.refusal(of: try phone.accepting(shown, tried, userInput: "other")) == .differentDecision)
        #expect(try await world.snapshot() == after)
    }

    @Test("Two signatures of one decision are the same decision")
    func signatureIsNoIdentity() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        let tried = try await phone.tryPIN(shown)
        let choice = TestPhone.Choice(method: .pin, attempt: tried.id, secondFactorSignature: try phone.secondFactorSignature(tried))
        let first = try phone.deciding(shown, choice)
        let second = try phone.deciding(shown, choice)
        #expect(first.bytes != second.bytes)
        _ = try await phone.decide(first)
        #expect(try await phone.decide(second).result == .loggedIn)
    }

    @Test("A decision that is repeated while its first copy is still under way ends like the first")
    func underWay() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.startAppLogin()
        let decision = try phone.accepting(shown, try await phone.tryPIN(shown))
        let gate = Gate()
        world.secondFactor.set { $0.pause = { type in if type == .proof { await gate.wait(for: 2) } } }
        async let first = phone.decide(decision)
        async let second = phone.decide(decision)
        let nonces = try [await first, await second].map { try present($0.webNonce) }
        let loggedIn = try await nonces.asyncFilter { try await world.status(webNonce: $0).loggedIn }
        #expect(loggedIn.count == 1)
    }

    @Test("S1-44 no repeat brings back a cache that a logout wiped")
    func noCacheAfterLogout() async throws {
        let world = try await DomainFixture { $0.pinTimeout = 10 }
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        let decision = try phone.accepting(shown, try await phone.tryPIN(shown))
        let cache = try present(try await phone.decide(decision).cache)
        let app = try await phone.startAppLogin()
        _ = try await phone.decide(try phone.acceptingByCache(app, cache))
        _ = try await phone.stop(app.content.sessionID)
        #expect(try await phone.decide(decision).cache == nil)
        #expect(try await world.cache(of: try present(phone.account)) == nil)
    }
}
