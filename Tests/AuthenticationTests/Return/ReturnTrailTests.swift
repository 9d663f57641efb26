import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("What the audit trail says of a login page")
struct ReturnTrailTests {
    /// How the wait for a browser ends.
    enum End: CaseIterable {
        case handIn, tooLate, nextPage, logout, phoneStops, blocked, otherBrowser

        /// What the trail has of it, and who did it.
        var entry: (kind: AuditEntry.Kind, actor: AuditActor) {
            switch self {
            case .handIn: (.loginReturned, .backend)
            case .tooLate: (.loginNotReturned, .server)
            case .nextPage: (.loginNotReturned, .page)
            case .logout, .blocked: (.loginNotReturned, .backend)
            case .phoneStops: (.loginNotReturned, .phone)
            case .otherBrowser: (.loginInOtherBrowser, .backend)
            }
        }
    }

    private func end(_ end: End, _ login: L6, of phone: TestPhone, in world: DomainFixture) async throws {
        let code = try present(try await world.code())
        switch end {
        case .handIn: try await world.handIn(code)
        case .tooLate:
            world.pass(121)
            try await world.housekeeping.run(at: world.now)
        case .nextPage: try await world.openPage("next")
        case .logout: try await world.logOut()
        case .phoneStops: _ = try await phone.stop(try present(login.sessionID))
        case .blocked: _ = try await world.accounts.setBlocked(true, try present(phone.account), at: world.server, by: .backend, now: world.now)
        case .otherBrowser: _ = try await world.tryHandIn(code, by: "other")
        }
    }

    @Test(
        "After the yes on the phone one more entry says what became of the login: its browser came back, another one did, or none",
        arguments: End.allCases)
    func once(end: End) async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await world.openPage()
        let login = try await phone.confirmPage()
        let code = try present(try await world.code())
        let before = try await world.snapshot().audit.count
        try await self.end(end, login, of: phone, in: world)
        let ended = world.now
        // What comes later is no news: the same code again, a logout, the end of its time.
        _ = try await world.tryHandIn(code)
        try await world.logOut()
        world.pass(1_000)
        try await world.housekeeping.run(at: world.now)
        let told = try await world.snapshot().audit.dropFirst(before).filter { $0.kind != .accountBlocked }
        #expect(told.map(\.kind) == [end.entry.kind] && told.map(\.actor) == [end.entry.actor])
        #expect(told.first?.account == phone.account && told.first?.at == ended)
        #expect(told.first?.methods == (end == .handIn ? .pin : nil))
    }
}
