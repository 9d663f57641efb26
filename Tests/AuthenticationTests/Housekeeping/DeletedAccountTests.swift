import OstiaryProtocol
import Testing

@testable import Authentication

@Suite("For how long it is known that an account was deleted")
struct DeletedAccountTests {
    @Test("A phone that comes in time is told that its account was deleted, one that comes later that it is unknown; without an end none is late")
    func end() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let account = try present(phone.account)
        try await world.accounts.delete(account, at: world.server, by: .backend, now: world.now)
        let (since, kept) = (world.now, 1_000 as UInt64)
        let housekeeping = Housekeeping(store: world.store, events: world.hub, enrolments: world.enrolments, deletedRetention: kept)
        world.pass(kept)
        try await housekeeping.run(at: world.now)
        let told = try await world.refusal(of: try phone.waiting(for: account))
        #expect(told == .accountDeleted(account, since: since))
        world.pass(1)
        try await world.housekeeping.run(at: world.now + 99 * 365 * 86_400)
        #expect(try await world.refusal(of: try phone.waiting(for: account)) == .accountDeleted(account, since: since))
        try await housekeeping.run(at: world.now)
        #expect(try await world.refusal(of: try phone.waiting(for: account)) == .accountUnknown)
    }

    @Test("A Delete that a phone says again after that is answered by what its outbox takes for done, and changes nothing")
    func saidAgain() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let account = try present(phone.account)
        let message = try phone.deleting(account)
        #expect(try await world.deliver(message) == Reply())
        let housekeeping = Housekeeping(store: world.store, events: world.hub, enrolments: world.enrolments, deletedRetention: 1_000)
        world.pass(1_001)
        try await housekeeping.run(at: world.now)
        let after = try await world.snapshot()
        let late = Outgoing(bytes: message.bytes, ephemeral: try phone.ephemeral(), sentAt: world.now)
        #expect(try await world.refusal(of: late) == .accountUnknown)
        #expect(try await world.snapshot() == after)
    }

    @Test("Nothing of who it was is kept: an id, the virtual server, and when")
    func nothingElse() async throws {
        let world = try await DomainFixture()
        let account = try present(try await world.enrolledPhone("alice").account)
        try await world.accounts.delete(account, at: world.server, by: .backend, now: world.now)
        let known = try present(try await world.snapshot().deleted[account])
        #expect(Mirror(reflecting: known).children.map(\.label) == ["id", "server", "since"])
        #expect(known == DeletedAccount(id: account, server: world.server, since: world.now))
    }
}
