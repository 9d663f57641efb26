import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("pinTimeout and the cache")
struct CacheTests {
    private func loggedIn(pinTimeout: Int) async throws -> (DomainFixture, TestPhone, L6) {
        let world = try await DomainFixture { $0.pinTimeout = pinTimeout }
        let phone = try await world.enrolledPhone()
        let cache = try await phone.logIn()
        return (world, phone, cache)
    }

    @Test("With pinTimeout 0 there is no cache, and each login asks")
    func zero() async throws {
        let (world, phone, answer) = try await loggedIn(pinTimeout: 0)
        #expect(answer.cache == nil)
        let content = try await phone.look(at: try await world.link("next")).content
        #expect(content.secondFactor == .needed && content.methods == [.pin, .bio])
    }

    @Test("With pinTimeout -1 nothing but the device key is asked, and there is no cache")
    func never() async throws {
        let world = try await DomainFixture { $0.pinTimeout = -1 }
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        #expect(shown.content.secondFactor == .none && shown.content.methods == [])
        let tried = try await phone.tryPIN(shown)
        #expect(try await world.refusal(of: try phone.accepting(shown, tried)) == .methodNotAllowed)
        let answer = try await phone.decide(try phone.deciding(shown, .init()))
        #expect(answer.result == .loggedIn && answer.cache == nil)
    }

    @Test("Within the minutes the cache stands for the PIN, and says what was proved and when")
    func within() async throws {
        let (world, phone, answer) = try await loggedIn(pinTimeout: 10)
        let provedAt = world.now
        world.pass(600)
        let shown = try await phone.look(at: try await world.link("next"))
        #expect(shown.content.secondFactor == .cacheAllowed && shown.content.methods == [.pin, .bio, .cached])
        _ = try await phone.decide(try phone.acceptingByCache(shown, try present(answer.cache)))
        let facts = try await world.status("next").authentication
        #expect(facts?.amr == ["mfa", "pin", "pop"] && facts?.time == provedAt)
    }

    @Test("The minutes are counted from the PIN: a login by the cache does not make it last longer")
    func countedFromPIN() async throws {
        let (world, phone, answer) = try await loggedIn(pinTimeout: 10)
        world.pass(400)
        let shown = try await phone.look(at: try await world.link("second"))
        let second = try await phone.decide(try phone.acceptingByCache(shown, try present(answer.cache)))
        world.pass(200)
        let third = try await phone.look(at: try await world.link("third"))
        _ = try await phone.decide(try phone.acceptingByCache(third, try present(second.cache)))
        world.pass(1)
        let fourth = try await phone.look(at: try await world.link("fourth"))
        let cache = try present(try await world.cache(of: try present(phone.account)))
        #expect(cache.expiresAt == world.now - 1)
        #expect(try await world.refusal(of: try phone.acceptingByCache(fourth, try present(second.cache))) == .cacheNotValid)
    }

    @Test("A server that ceases to remember while a PIN is under way logs in all the same, and gives no cache", arguments: [-1, 0])
    func ceases(pinTimeout: Int) async throws {
        let world = try await DomainFixture { $0.pinTimeout = 10 }
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        let tried = try await phone.tryPIN(shown)
        try await world.update { $0.pinTimeout = pinTimeout }
        let answer = try await phone.decide(try phone.accepting(shown, tried))
        #expect(answer.result == .loggedIn && answer.cache == nil)
        #expect(try await world.cache(of: try present(phone.account)) == nil)
    }

    @Test("A repeat after the minutes are over brings no cache: none is given that is old already")
    func repeatedTooLate() async throws {
        let world = try await DomainFixture { $0.pinTimeout = 1 }
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        var decision = try phone.accepting(shown, try await phone.tryPIN(shown))
        #expect(try await phone.decide(decision).cache != nil)
        world.pass(60)
        decision.sentAt = world.now
        #expect(try await phone.decide(decision).cache == nil)
    }

    @Test("A login that proved no second factor gives nothing to remember")
    func nothingProved() throws {
        let login = Login(
            account: SessionSample.alice, binding: .qrStatic, at: DomainFixture.start, methods: [], verifiedAt: DomainFixture.start,
            decision: SHA([1]),
            deadline: DomainFixture.start + 315, lastPing: DomainFixture.start, lastStamp: DomainFixture.start)
        #expect(login.cache(SHA([2]), under: 10, at: DomainFixture.start) == nil)
    }

    @Test("A cache is replaced by the next, and the former is void")
    func replaced() async throws {
        let (world, phone, answer) = try await loggedIn(pinTimeout: 10)
        let second = try await phone.logIn("second")
        #expect(second.cache != answer.cache)
        let shown = try await phone.look(at: try await world.link("third"))
        #expect(try await world.refusal(of: try phone.acceptingByCache(shown, try present(answer.cache))) == .cacheNotValid)
        #expect(try await phone.decide(try phone.acceptingByCache(shown, try present(second.cache))).result == .loggedIn)
    }

    @Test("A browser login that ran out unnoticed takes nothing away that the app remembers")
    func browserRanOut() async throws {
        let (world, phone, answer) = try await loggedIn(pinTimeout: 60)
        world.pass(400)
        let shown = try await phone.startAppLogin()
        #expect(shown.content.secondFactor == .cacheAllowed)
        #expect(try await phone.decide(try phone.acceptingByCache(shown, try present(answer.cache))).result == .loggedIn)
    }

    @Test("A guessed cache, and the cache of another account, log nobody in")
    func guessed() async throws {
        let (world, phone, _) = try await loggedIn(pinTimeout: 10)
        let other = try await world.enrolledPhone("bob", name: "other")
        let theirs = try present(try await other.logIn("theirs").cache)
        let shown = try await phone.look(at: try await world.link("next"))
        #expect(try await world.refusal(of: try phone.acceptingByCache(shown, theirs)) == .cacheNotValid)
        #expect(try await world.refusal(of: try phone.acceptingByCache(shown, [UInt8](repeating: 0, count: 32))) == .cacheNotValid)
    }

    @Test("A shorter pinTimeout counts at once, for caches that are out already", arguments: [0, 4])
    func shorter(pinTimeout: Int) async throws {
        let (world, phone, answer) = try await loggedIn(pinTimeout: 60)
        let shown = try await phone.look(at: try await world.link("next"))
        try await world.update { $0.pinTimeout = pinTimeout }
        world.pass(60 * UInt64(pinTimeout) + 1)
        #expect(try await world.refusal(of: try phone.acceptingByCache(shown, try present(answer.cache))) == .cacheNotValid)
        #expect(try await phone.startAppLogin().content.methods == [.pin, .bio])
    }

    @Test("A receipt from the future counts as of now: no clock of another server makes a cache last longer")
    func futureReceipt() async throws {
        let world = try await DomainFixture { $0.pinTimeout = 10 }
        let phone = try await world.enrolledPhone()
        world.secondFactor.set { $0.receiptLie = { $0.changed(lastPIN: Instant(.max)) } }
        _ = try await phone.logIn()
        #expect(try await world.cache(of: try present(phone.account))?.expiresAt == world.now + 600)
    }

    @Test("S1-31 straight after the enrolment an app logs in without being asked, once")
    func silentAppLogin() async throws {
        let world = try await DomainFixture()
        let phone = try await world.freshlyEnrolledPhone()
        let cache = try present(try await phone.hearOfActivation(of: try present(phone.account)).cache)
        world.pass(59)
        let shown = try await phone.startAppLogin()
        #expect(shown.content.secondFactor == .cacheAllowed && shown.content.methods.contains(.cached))
        let answer = try await phone.decide(try phone.acceptingByCache(shown, cache))
        #expect(answer.webNonce != nil && answer.cache == nil)
        let again = try await phone.startAppLogin()
        #expect(again.content.methods == [.pin, .bio])
        #expect(try await world.refusal(of: try phone.acceptingByCache(again, cache)) == .methodNotAllowed)
    }

    @Test("The activation's cache opens no browser session and no second minute")
    func silentForAppsOnly() async throws {
        let world = try await DomainFixture()
        let phone = try await world.freshlyEnrolledPhone()
        let cache = try present(try await phone.hearOfActivation(of: try present(phone.account)).cache)
        let browser = try await phone.look(at: try await world.link())
        #expect(try await world.refusal(of: try phone.acceptingByCache(browser, cache)) == .methodNotAllowed)
        let shown = try await phone.startAppLogin()
        world.pass(61)
        #expect(try await world.refusal(of: try phone.acceptingByCache(shown, cache)) == .cacheNotValid)
    }

    @Test("A login with the PIN uses up the silent one")
    func silentUsedUp() async throws {
        let world = try await DomainFixture()
        let phone = try await world.freshlyEnrolledPhone()
        let account = try present(phone.account)
        _ = try await phone.logIn()
        #expect(try await phone.hearOfActivation(of: account).cache == nil)
    }

    @Test(
        "S1-43 the stop of an AppLogin wipes the cache, and S1-44 the next login of any kind asks for the PIN",
        arguments: ["phone", "server", "time"])
    func wiped(how: String) async throws {
        let (world, phone, _) = try await loggedIn(pinTimeout: 60)
        let login = try await phone.appLogIn()
        let cache = try present(login.answer.cache)
        switch how {
        case "phone": _ = try await phone.stop(login.session)
        case "server": try await world.queries.logOut(try SessionNonce(login.webNonce), at: world.server, by: .backend, now: world.now)
        default: world.pass(316)
        }
        let browser = try await phone.look(at: try await world.link("next"))
        #expect(try await world.refusal(of: try phone.acceptingByCache(browser, cache)) == .cacheNotValid)
        #expect(try await phone.startAppLogin().content.methods == [.pin, .bio])
    }

    @Test("The stop of a browser session leaves the cache")
    func browserStop() async throws {
        let (world, phone, answer) = try await loggedIn(pinTimeout: 60)
        try await world.logOut()
        let shown = try await phone.look(at: try await world.link())
        #expect(try await phone.decide(try phone.acceptingByCache(shown, try present(answer.cache))).result == .loggedIn)
    }

    @Test("An AppLogin that ran out long ago does not take the cache of a PIN that was entered since")
    func staleEnd() async throws {
        let (world, phone, _) = try await loggedIn(pinTimeout: 60)
        _ = try await phone.appLogIn()
        world.pass(400)
        let cache = try present(try await phone.logIn("second").cache)
        try await world.housekeeping.run(at: world.now)
        let shown = try await phone.look(at: try await world.link("third"))
        #expect(try await phone.decide(try phone.acceptingByCache(shown, cache)).result == .loggedIn)
    }

    @Test("Blocking an account wipes its cache, also for after it was let in again")
    func blocked() async throws {
        let (world, phone, answer) = try await loggedIn(pinTimeout: 60)
        let account = try present(phone.account)
        _ = try await world.accounts.setBlocked(true, account, at: world.server, by: .backend, now: world.now)
        _ = try await world.accounts.setBlocked(false, account, at: world.server, by: .backend, now: world.now)
        let shown = try await phone.look(at: try await world.link("next"))
        #expect(try await world.refusal(of: try phone.acceptingByCache(shown, try present(answer.cache))) == .cacheNotValid)
    }
}
