import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("What the audit trail keeps of a login that somebody claimed and did not decide")
struct AbandonedLoginTests {
    /// How such a login ends.
    enum End: CaseIterable {
        case housekeeping, nextPageLate, beginsAnew, takenOver, logout, askedAnew, blocked

        /// Who ended it, as the trail has it.
        var actor: AuditActor {
            switch self {
            case .housekeeping, .nextPageLate: .server
            case .beginsAnew, .takenOver: .page
            case .logout, .askedAnew, .blocked: .backend
            }
        }
    }

    private func abandoned(in world: DomainFixture) async throws -> [AuditEntry] {
        try await world.snapshot().audit.filter { $0.kind == .loginAbandoned }
    }

    private func end(_ end: End, of shown: Shown, by phone: TestPhone, in world: DomainFixture) async throws {
        switch end {
        case .housekeeping:
            world.pass(481)
            try await world.housekeeping.run(at: world.now)
        case .nextPageLate:
            world.pass(481)
            try await world.openPage("next")
        case .beginsAnew: try await world.openPage(as: .renewed(over: nil))
        case .takenOver: try await world.openPage("newer", as: .renewed(over: DomainFixture.page("page")))
        case .logout: try await world.logOut()
        case .askedAnew:
            _ = try await phone.say(.gaveUp, of: shown)
            _ = try await world.link()
        case .blocked: _ = try await world.accounts.setBlocked(true, try present(phone.account), at: world.server, by: .backend, now: world.now)
        }
    }

    @Test("A stranger's account that claims a login and keeps silent is in the audit trail, once, however the login ends", arguments: End.allCases)
    func named(end: End) async throws {
        let world = try await DomainFixture()
        let bob = try await world.enrolledPhone("bob")
        try await world.openPage()
        let shown = try await bob.look(at: try await world.drawn())
        _ = try await bob.tryPIN(shown)
        #expect(try await abandoned(in: world).isEmpty)
        try await self.end(end, of: shown, by: bob, in: world)
        let ended = world.now
        // Whatever looks at it later finds it over.
        for _ in 0..<2 {
            try await world.logOut()
            world.pass(1_000)
            try await world.housekeeping.run(at: world.now)
        }
        #expect(
            try await abandoned(in: world) == [AuditEntry(.loginAbandoned, server: world.server, account: bob.account, by: end.actor, at: ended)])
    }

    @Test("What nobody claimed, what was decided, and what was logged out afterwards leaves no such entry")
    func others() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        _ = try await phone.look(at: try await world.link("seen only"))
        _ = try await phone.decide(try phone.refusing(try await phone.look(at: try await world.link("refused"))))
        try await phone.logIn("logged in")
        try await world.openPage()
        _ = try await phone.confirmPage()
        try await world.handIn(try present(try await world.code()))
        for browser in ["logged in", "browser"] { try await world.logOut(browser) }
        world.pass(1_000)
        try await world.housekeeping.run(at: world.now)
        #expect(try await abandoned(in: world).isEmpty)
    }
}
