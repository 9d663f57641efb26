import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("W1: the phone waits for its code")
struct WaitTests {
    @Test("The phone hears nothing until the code was typed, then of its session and the cache for the silent login")
    func activation() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let invitation = try await world.invite()
        let claimed = try await phone.enrolPending(invitation)
        let account = claimed.shown.accountID
        #expect(try await world.refusal(of: try phone.waiting(for: account)) == .accountPending)
        _ = try await world.confirm(invitation, code: claimed.code)
        let heard = try await phone.hearOfActivation(of: account)
        #expect(heard.result == .loggedIn && heard.userName == "alice" && heard.pingTime == 300)
        #expect(heard.sessionID == (try await world.session("enrolling")?.id))
        #expect(heard.cache != nil && heard.webNonce == nil)
    }

    @Test("A phone that looks again after a wait finds the same")
    func lookAgain() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let invitation = try await world.invite()
        let claimed = try await phone.enrolPending(invitation)
        let sealed = try world.seal(try phone.waiting(for: claimed.shown.accountID))
        let request = PhoneRequest(server: world.server, opened: try OpenedRequest(sealed.bytes, with: world.keys.prekey), now: world.now)
        let awaited = try world.enrolments.wait(request)
        #expect(awaited.topics == [.account(claimed.shown.accountID)])
        guard case .nothing(.failure(.accountPending), let again) = try await awaited.look() else { throw MissingValue() }
        #expect(try await world.refusal { _ = try await again(world.now) } == .accountPending)
        _ = try await world.confirm(invitation, code: claimed.code)
        #expect(try L6(decoding: try await again(world.now).body).sessionID != nil)
    }

    @Test("Asked again the cache is another one, and the first is void")
    func cacheAgain() async throws {
        let world = try await DomainFixture()
        let phone = try await world.freshlyEnrolledPhone()
        let account = try present(phone.account)
        let first = try present(try await phone.hearOfActivation(of: account).cache)
        let second = try present(try await phone.hearOfActivation(of: account).cache)
        #expect(first != second)
        let shown = try await phone.startAppLogin()
        #expect(try await world.refusal(of: try phone.acceptingByCache(shown, first)) == .cacheNotValid)
        #expect(try await phone.decide(try phone.acceptingByCache(shown, second)).webNonce != nil)
    }

    @Test("A minute after the activation there is no cache any more")
    func cacheTooLate() async throws {
        let world = try await DomainFixture()
        let phone = try await world.freshlyEnrolledPhone()
        world.pass(61)
        let heard = try await phone.hearOfActivation(of: try present(phone.account))
        #expect(heard.cache == nil && heard.sessionID != nil)
    }

    @Test("After a login by PIN there is no silent one any more, also within the minute")
    func cacheAfterLogin() async throws {
        let world = try await DomainFixture()
        let phone = try await world.freshlyEnrolledPhone()
        try await phone.logIn()
        #expect(try await phone.hearOfActivation(of: try present(phone.account)).cache == nil)
    }

    @Test("A phone cannot wait for another's account, nor for one that nobody has")
    func stranger() async throws {
        let world = try await DomainFixture()
        let phone = try await world.freshlyEnrolledPhone()
        let thief = try await world.freshlyEnrolledPhone("eve", name: "thief")
        #expect(try await world.refusal(of: try thief.waiting(for: try present(phone.account))) == .badSignature)
        #expect(try await world.refusal(of: try phone.waiting(for: AccountID(using: world.random))) == .accountUnknown)
    }

    @Test("A blocked account hears that it is blocked")
    func blocked() async throws {
        let world = try await DomainFixture()
        let phone = try await world.freshlyEnrolledPhone()
        let account = try present(phone.account)
        _ = try await world.accounts.setBlocked(true, account, at: world.server, by: .backend, now: world.now)
        #expect(try await world.refusal(of: try phone.waiting(for: account)) == .accountBlocked)
    }

    @Test("The older devices of the person are told of the new one, with its name and time, until they say that it was shown; others are not")
    func olderDevices() async throws {
        let world = try await DomainFixture()
        let old = try await world.enrolledPhone(name: "old phone")
        let stranger = try await world.enrolledPhone("bob", name: "stranger")
        let login = try await old.appLogIn()
        let strangers = try await stranger.appLogIn()
        let new = try await world.freshlyEnrolledPhone(name: "new phone")
        let since = world.now
        world.pass(1)
        let told = try await old.ping(login.session).extensions.notices
        #expect(told.map(\.device) == ["new phone"] && told.map(\.time) == [since])
        world.pass(1)
        #expect(try await old.ping(login.session, after: told).extensions.notices.isEmpty)
        world.pass(1)
        #expect(try await old.ping(login.session).extensions.notices.isEmpty, "acknowledged is acknowledged")
        #expect(try await stranger.ping(strangers.session).extensions.notices.isEmpty)
        #expect(try await new.hearOfActivation(of: try present(new.account)).extensions.notices.isEmpty)
    }

    @Test("An older device that is not running is told with its next login")
    func olderDeviceLater() async throws {
        let world = try await DomainFixture()
        let old = try await world.enrolledPhone(name: "old phone")
        _ = try await world.enrolledPhone(name: "new phone")
        #expect(try await old.logIn().extensions.notices.map(\.device) == ["new phone"])
    }

    @Test("A waiting device tells nobody before its code was typed")
    func notBeforeTheCode() async throws {
        let world = try await DomainFixture()
        let old = try await world.enrolledPhone(name: "old phone")
        _ = try await TestPhone(world, "new phone").enrolPending(try await world.invite(browser: "second"))
        #expect(try await old.logIn().extensions.notices.isEmpty)
    }
}
