import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("Accounts that may not log in")
struct UnusableAccountTests {
    @Test("A blocked account is told so, only after it has shown its key")
    func blocked() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let thief = try await world.enrolledPhone("eve", name: "thief")
        let shown = try await phone.look(at: try await world.link())
        let account = try present(phone.account)
        _ = try await world.accounts.setBlocked(true, account, at: world.server, by: .backend, now: world.now)
        #expect(try await world.refusal(of: try phone.trying(shown).message) == .accountBlocked)
        #expect(try await world.refusal(of: try phone.refusing(shown)) == .accountBlocked)
        var choice = TestPhone.Choice(decision: .decline)
        choice.account = account
        #expect(try await world.refusal(of: try thief.deciding(shown, choice)) == .badSignature)
        #expect(Refusal.accountBlocked.status == .accountBlocked)
        _ = try await world.accounts.setBlocked(false, account, at: world.server, by: .backend, now: world.now)
        #expect(try await phone.decide(try phone.accepting(shown, try await phone.tryPIN(shown))).result == .loggedIn)
    }

    @Test("An account that is blocked between the PIN and the decision is not logged in")
    func blockedInBetween() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        let tried = try await phone.tryPIN(shown)
        let account = try present(phone.account)
        world.secondFactor.set { mishaps in
            mishaps.pause = { type in
                guard type == .proof else { return }
                _ = try? await world.accounts.setBlocked(true, account, at: world.server, by: .backend, now: world.now)
            }
        }
        #expect(try await world.refusal(of: try phone.accepting(shown, tried)) == .accountBlocked)
        #expect(try await world.status() == .nobody)
    }

    @Test("A session that its backend ends between the PIN and the decision is not logged in")
    func endedInBetween() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        let tried = try await phone.tryPIN(shown)
        world.secondFactor.set { $0.pause = { type in if type == .proof { try? await world.logOut() } } }
        #expect(try await world.refusal(of: try phone.accepting(shown, tried)) == .sessionOver)
        #expect(try await world.status() == .nobody)
    }

    @Test("An account that is blocked while a change of its second factor is proved changes nothing")
    func blockedWhileChanging() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let change = try await phone.provingByPIN(.biometricsAdd, try phone.biometricPublicKey())
        let account = try present(phone.account)
        world.secondFactor.set { mishaps in
            mishaps.pause = { type in
                guard type == .proof else { return }
                _ = try? await world.accounts.setBlocked(true, account, at: world.server, by: .backend, now: world.now)
            }
        }
        #expect(try await world.refusal(of: try phone.changing(change)) == .accountBlocked)
        #expect(try await world.store.read { rows in try rows.instance(phone.instance)?.biometricKey } == nil)
        world.secondFactor.set { $0.pause = nil }
        let heard = world.secondFactor.heard.count
        #expect(try await world.refusal(of: try phone.changing(change)) == .accountBlocked)
        #expect(world.secondFactor.heard.count == heard, "blocked by now, the second-factor server is not asked")
    }

    @Test("A deleted account is told by its tombstone, with the time of its end, wherever it asks")
    func deleted() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let account = try present(phone.account)
        let login = try await phone.appLogIn()
        let shown = try await phone.look(at: try await world.link())
        try await world.accounts.delete(account, at: world.server, by: .backend, now: world.now)
        let deleted = Refusal.accountDeleted(account, since: world.now)
        world.pass(5)
        #expect(try await world.refusal(of: try phone.trying(shown).message) == deleted)
        #expect(try await world.refusal(of: try phone.refusing(shown)) == deleted)
        #expect(try await world.refusal(of: try phone.openingApp()) == deleted)
        #expect(try await world.refusal(of: try phone.fresh(Ping(sessionID: login.session, hold: 0))) == deleted)
        #expect(try await world.refusal(of: try phone.waiting(for: account)) == deleted)
        #expect(deleted.status == .accountDeleted)
    }

    @Test("An account that never was is unknown, which no phone takes for deleted")
    func unknown() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        var choice = TestPhone.Choice(decision: .decline)
        choice.account = AccountID(using: world.random)
        #expect(try await world.refusal(of: try phone.deciding(shown, choice)) == .accountUnknown)
        #expect(Refusal.accountUnknown.status == .accountUnknown)
    }
}
