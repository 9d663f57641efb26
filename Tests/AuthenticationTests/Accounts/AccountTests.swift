import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("Accounts")
struct AccountTests {
    @Test("A user's accounts are listed oldest first, and those of another server are not among them")
    func listed() async throws {
        let world = try await DomainFixture()
        let first = try await world.enrolledPhone(name: "first")
        let second = try await world.enrolledPhone(name: "second")
        let accounts = try await world.accounts.accounts(ofUser: "alice", at: world.server)
        #expect(accounts.map(\.id) == [first.account, second.account])
        #expect(accounts.map(\.device) == ["first", "second"])
        await #expect(throws: AccountError.userUnknown) { try await world.accounts.accounts(ofUser: "alice", at: world.neighbour.server) }
        await #expect(throws: AccountError.userUnknown) { try await world.accounts.accounts(ofUser: "bob", at: world.server) }
        await #expect(throws: AccountError.unknown) {
            try await world.accounts.account(try present(first.account), at: world.neighbour.server)
        }
    }

    @Test("Blocking ends every session of the account before it returns, and tells why")
    func blocking() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let other = try await world.enrolledPhone("bob", name: "other")
        let account = try present(phone.account)
        let login = try await phone.appLogIn()
        try await phone.logIn()
        try await other.logIn("theirs")
        _ = try await phone.tryPIN(try await phone.look(at: try await world.link("claimed")))
        #expect(try await world.accounts.setBlocked(true, account, at: world.server, by: .backend, now: world.now).isBlocked)
        for browser in ["browser", "claimed"] { #expect(try await world.status(browser) == .nobody) }
        #expect(try await world.status(webNonce: login.webNonce) == .nobody)
        #expect(try await world.status("theirs").loggedIn)
        let told = try await phone.ping(login.session)
        #expect(told.state == .stopped && told.reason == .account)
    }

    @Test("Blocking twice is blocking once")
    func idempotent() async throws {
        let world = try await DomainFixture()
        let account = try present(try await world.enrolledPhone().account)
        _ = try await world.accounts.setBlocked(true, account, at: world.server, by: .backend, now: world.now)
        let after = try await world.snapshot()
        _ = try await world.accounts.setBlocked(true, account, at: world.server, by: .backend, now: world.now)
        #expect(try await world.snapshot() == after)
        await #expect(throws: AccountError.unknown) {
            try await world.accounts.setBlocked(true, account, at: world.neighbour.server, by: .backend, now: world.now)
        }
    }

    @Test("Blocking an account that is blocked already ends what is logged in by it all the same, and writes nothing more into the audit trail")
    func blockedWithSession() async throws {
        let world = try await DomainFixture { $0.pinTimeout = 60 }
        let phone = try await world.enrolledPhone()
        let account = try present(phone.account)
        try await phone.logIn()
        // As a version that let a blocked account in has left it.
        try await world.store.write { rows in
            var blocked = try present(try rows.account(account))
            blocked.isBlocked = true
            try rows.save(blocked)
            try rows.save(
                FactorCache(
                    account: account, hash: SHA([1]), expiresAt: world.now + 60, isSingleUse: true, methods: .pin, verifiedAt: world.now))
        }
        #expect(try await world.status().loggedIn)
        for _ in 0..<2 { _ = try await world.accounts.setBlocked(true, account, at: world.server, by: .backend, now: world.now) }
        #expect(try await world.status() == .nobody)
        #expect(try await world.cache(of: account) == nil)
        let entries = try await world.store.read { rows in try rows.auditEntries(of: world.server, limit: 32) }
        #expect(!entries.contains { $0.kind == .accountBlocked })
    }

    @Test("Deleting takes sessions, cache, share and instance with the account, and leaves a note that it is deleted")
    func deleted() async throws {
        let world = try await DomainFixture { $0.pinTimeout = 60 }
        let phone = try await world.enrolledPhone()
        let account = try present(phone.account)
        let login = try await phone.appLogIn()
        try await world.accounts.delete(account, at: world.server, by: .backend, now: world.now)
        #expect(try await world.status(webNonce: login.webNonce) == .nobody)
        #expect(try await world.account(account) == nil)
        #expect(try await world.cache(of: account) == nil)
        #expect(try await world.instance(phone.instance) == nil)
        let deleted = try await world.store.read { rows in try rows.deletedAccount(account) }
        #expect(deleted == DeletedAccount(id: account, server: world.server, since: world.now))
        await #expect(throws: AccountError.unknown) { try await world.accounts.delete(account, at: world.server, by: .backend, now: world.now) }
    }

    @Test("The phone deletes its account; said again it is done already, and nobody else can say it")
    func deletedByPhone() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let thief = try await world.enrolledPhone("eve", name: "thief")
        let account = try present(phone.account)
        #expect(try await world.refusal(of: try thief.deleting(account)) == .badSignature)
        let message = try phone.deleting(account)
        #expect(try await world.deliver(message) == Reply())
        let after = try await world.snapshot()
        world.pass(90_000)
        // From the outbox of the phone, a day later.
        let late = Outgoing(bytes: message.bytes, ephemeral: try phone.ephemeral(), sentAt: world.now)
        #expect(try await world.deliver(late) == Reply())
        #expect(try await world.snapshot() == after)
        #expect(try await world.refusal(of: try phone.deleting(AccountID(using: world.random))) == .accountUnknown)
    }

    @Test("An account is removed in the name of its own server only")
    func removalOfAnotherServer() async throws {
        let world = try await DomainFixture()
        let account = try present(try await world.enrolledPhone().account)
        let before = try await world.snapshot()
        let stopped = try await world.store.write { rows in
            try AccountRemoval(account: account, server: world.neighbour.server, actor: .backend).apply(in: rows, at: world.now)
        }
        #expect(try await world.snapshot() == before && stopped.isEmpty)
    }

    @Test("A blocked account can be deleted by its phone")
    func deletedWhileBlocked() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let account = try present(phone.account)
        _ = try await world.accounts.setBlocked(true, account, at: world.server, by: .backend, now: world.now)
        #expect(try await world.deliver(try phone.deleting(account)) == Reply())
        #expect(try await world.account(account) == nil)
    }

    @Test("The instance lives as long as one account of the phone does")
    func lastAccount() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let second = try await phone.secondAccount()
        try await world.accounts.delete(try present(phone.account), at: world.server, by: .backend, now: world.now)
        #expect(try await world.instance(phone.instance) != nil)
        #expect(try await world.closes.run(at: world.now) == 1)
        #expect(world.secondFactor.heard.last == .leave)
        #expect(world.secondFactor.truth.counter(of: phone.instance)?.deviceKeys == [second.publicKey])
        try await world.accounts.delete(try present(second.account), at: world.server, by: .backend, now: world.now)
        #expect(try await world.instance(phone.instance) == nil)
        #expect(try await world.closes.run(at: world.now) == 1)
        #expect(world.secondFactor.heard.last == .close)
    }
}
