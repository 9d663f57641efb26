import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

/// What one login demands of the second factor, on top of the server's pinTimeout.
@Suite("How strongly a login asks")
struct FactorDemandTests {
    /// A phone that proved its PIN or biometric in this very second, and its cache.
    private func proved(by factor: Methods = .pin, pinTimeout: Int = 10) async throws -> (world: DomainFixture, phone: TestPhone, cache: [UInt8]) {
        let world = try await DomainFixture { $0.pinTimeout = pinTimeout }
        let phone = try await world.enrolledPhone()
        guard factor == .bio else {
            let cache = try present(try await phone.logIn("before").cache)
            return (world, phone, cache)
        }
        try await phone.addBiometrics()
        let cache = try present(try await phone.logInByBiometric("before").cache)
        return (world, phone, cache)
    }

    private func logInByPIN(_ phone: TestPhone, _ shown: Shown) async throws {
        #expect(try await phone.decide(try phone.accepting(shown, try await phone.tryPIN(shown))).result == .loggedIn)
    }

    @Test("“Always” asks for the factor although it was proved just now, and takes no cache", arguments: [Methods.pin, .bio])
    func always(factor: Methods) async throws {
        let (world, phone, cache) = try await proved(by: factor)
        let shown = try await phone.look(at: try await world.ask(.always))
        #expect(shown.content.secondFactor == .needed && shown.content.methods == [.pin, .bio])
        #expect(try await world.refusal(of: try phone.acceptingByCache(shown, cache)) == .methodNotAllowed)
        #expect(try await world.refusal(of: try phone.deciding(shown, .init())) == .cacheNotValid)
        try await logInByPIN(phone, shown)
        #expect(try await world.status().authentication?.time == world.now)
    }

    @Test("A factor of at most 60 seconds ago: at 59 and 60 seconds the cache is taken", arguments: [UInt64(59), 60], [Methods.pin, .bio])
    func fresh(seconds: UInt64, factor: Methods) async throws {
        let (world, phone, cache) = try await proved(by: factor)
        let provedAt = world.now
        world.pass(seconds)
        let shown = try await phone.look(at: try await world.ask(.fresh(60)))
        #expect(shown.content.secondFactor == .cacheAllowed && shown.content.methods == [.pin, .bio, .cached])
        #expect(try await phone.decide(try phone.acceptingByCache(shown, cache)).result == .loggedIn)
        #expect(try await world.status().authentication?.time == provedAt)
    }

    @Test("At 61 seconds a phone that answers by its cache all the same is told to ask, and the PIN goes on with what was shown")
    func stale() async throws {
        let (world, phone, cache) = try await proved()
        world.pass(61)
        let shown = try await phone.look(at: try await world.ask(.fresh(60)))
        #expect(try await world.refusal(of: try phone.acceptingByCache(shown, cache)) == .cacheNotValid)
        #expect(Refusal.cacheNotValid.status == .secondFactorNeeded)
        #expect(try await world.status().state == .open)
        try await logInByPIN(phone, shown)
        #expect(try await world.status().authentication?.time == world.now)
        let elsewhere = try await phone.look(at: try await world.link("other"))
        #expect(elsewhere.content.secondFactor == .cacheAllowed, "the policy of other logins is as it was")
    }

    @Test("The seconds are counted to the decision and not to the look")
    func countedAtDecision() async throws {
        let (world, phone, cache) = try await proved()
        world.pass(50)
        let shown = try await phone.look(at: try await world.ask(.fresh(60)))
        world.pass(11)
        #expect(try await world.refusal(of: try phone.acceptingByCache(shown, cache)) == .cacheNotValid)
    }

    @Test("No demand weakens the policy: a cache that pinTimeout ended is not good for a longer one")
    func neverWeaker() async throws {
        let (world, phone, cache) = try await proved(pinTimeout: 1)
        world.pass(61)
        let shown = try await phone.look(at: try await world.ask(.fresh(3_600)))
        #expect(try await world.refusal(of: try phone.acceptingByCache(shown, cache)) == .cacheNotValid)
        try await world.update { $0.pinTimeout = 0 }
        let asked = try await phone.look(at: try await world.link())
        #expect(asked.content.secondFactor == .needed)
    }

    @Test("Where the server asks no second factor a login that demands one asks it", arguments: [FactorDemand.always, .fresh(60)])
    func serverThatNeverAsks(demand: FactorDemand) async throws {
        let world = try await DomainFixture { $0.pinTimeout = -1 }
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.ask(demand))
        #expect(shown.content.secondFactor == .needed && shown.content.methods == [.pin, .bio])
        #expect(try await world.refusal(of: try phone.deciding(shown, .init())) == .cacheNotValid)
        try await logInByPIN(phone, shown)
        #expect(try await phone.look(at: try await world.link("other")).content.secondFactor == .none)
    }

    @Test("A changed demand makes what was shown before void, the same one again and other words leave it as it is")
    func changed() async throws {
        let (world, phone, cache) = try await proved()
        let lax = try await phone.look(at: try await world.link())
        try await world.ask(.fresh(60))
        #expect(try await world.refusal(of: try phone.acceptingByCache(lax, cache)) == .questionChanged)
        let fresh = try await phone.look(at: try await world.link())
        try await world.ask(.fresh(60))
        let asked = try present(try await world.session()).asked
        #expect(fresh.content.offer.value.asked == asked, "said again, nothing changed")
        try await world.ask("10 EUR")
        #expect(try await world.session()?.request.demand == .fresh(60))
        try await world.ask(.always)
        let strict = try await phone.look(at: try await world.link())
        #expect(strict.content.announceInfo.map(\.text) == ["10 EUR"] && strict.content.secondFactor == .needed)
        try await world.ask(.policy)
        #expect(try await world.refusal(of: try phone.trying(strict).message) == .questionChanged)
    }

    @Test("From the claim on the demand stands still")
    func claimed() async throws {
        let (world, phone, cache) = try await proved()
        let shown = try await phone.look(at: try await world.ask(.always))
        let tried = try await phone.tryPIN(shown)
        await #expect(throws: LoginLinkError.claimed) { try await world.ask(.policy) }
        #expect(try await world.refusal(of: try phone.acceptingByCache(shown, cache)) == .methodNotAllowed)
        #expect(try await phone.decide(try phone.accepting(shown, tried)).result == .loggedIn)
    }

    @Test("A page demands what its backend did, and names the client that asks; the next run of the nonce demands nothing of it")
    func pages() async throws {
        let (world, phone, _) = try await proved()
        let client = RelyingParty(name: "Shop", origin: "https://shop.example", clientID: "shop-1")
        try await world.openPage(asking: LoginRequest(client: client, demand: .always))
        let shown = try await phone.look(at: try await world.drawn())
        #expect(shown.content.secondFactor == .needed && shown.content.relyingParty == client)
        try await logInByPIN(phone, shown)
        try await world.logOut()
        let next = try await phone.look(at: try await world.link())
        #expect(next.content.secondFactor == .cacheAllowed)
        #expect(next.content.relyingParty == RelyingParty(name: "Example", origin: "", clientID: ""))
    }

    @Test("An AppLogin asks what the policy asks, whatever a browser's login demanded")
    func appLogin() async throws {
        let (world, phone, cache) = try await proved()
        try await world.ask(.always)
        let shown = try await phone.startAppLogin()
        #expect(shown.content.secondFactor == .cacheAllowed)
        #expect(try await phone.decide(try phone.acceptingByCache(shown, cache)).result == .loggedIn)
    }

    @Test("The rule by itself: the cache of an enrolment, too, is as old as its proof")
    func rule() {
        let start = DomainFixture.start
        let cache = FactorCache(
            account: SessionSample.alice, hash: SHA([1]), expiresAt: start + 60, isSingleUse: true, methods: .pin, verifiedAt: start - 100)
        #expect(FactorDemand.policy.isMet(by: cache, under: 0, at: start + 60))
        #expect(!FactorDemand.policy.isMet(by: cache, under: 0, at: start + 61))
        #expect(FactorDemand.fresh(160).isMet(by: cache, under: 0, at: start + 60))
        #expect(!FactorDemand.fresh(159).isMet(by: cache, under: 0, at: start + 60))
        #expect(!FactorDemand.always.isMet(by: cache, under: 0, at: start - 100))
        #expect(FactorDemand.fresh(0) == .always && FactorDemand.fresh(.max).isMet(by: cache, under: 0, at: start))
    }
}
