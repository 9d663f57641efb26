import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

/// Who blocks an account that waits for its code wants neither that phone nor another one let in by the same invitation.
@Suite("Enrolment: the account is blocked while it waits for its code")
struct BlockedEnrolmentTests {
    private func blocked() async throws -> (world: DomainFixture, invitation: DomainFixture.Invitation, claimed: Claimed) {
        let world = try await DomainFixture()
        let invitation = try await world.invite(page: "page")
        let claimed = try await TestPhone(world, "stranger").enrolPending(invitation)
        _ = try await world.accounts.setBlocked(true, claimed.shown.accountID, at: world.server, by: .backend, now: world.now)
        return (world, invitation, claimed)
    }

    @Test("A16: its page does not give it up for another phone; unblocked in time, the page does, or takes the code")
    func keeps() async throws {
        let (world, _, claimed) = try await blocked()
        let before = try await world.snapshot()
        await #expect(throws: EnrolmentStartError.accountBlocked) { _ = try await world.invite(page: "page", isNewest: false) }
        #expect(try await world.snapshot() == before)
        #expect(try await world.account(claimed.shown.accountID)?.isBlocked == true)
        _ = try await world.accounts.setBlocked(false, claimed.shown.accountID, at: world.server, by: .backend, now: world.now)
        _ = try await TestPhone(world, "own").claim(try await world.invite(page: "page", isNewest: false))
        #expect(try await world.account(claimed.shown.accountID) == nil)
    }

    @Test("A16: when its time is over no page begins anew, before housekeeping and after it; the site does", arguments: [false, true])
    func runsOut(isRemoved: Bool) async throws {
        let (world, invitation, claimed) = try await blocked()
        world.pass(Enrolment.life + 1)
        if isRemoved { try await world.housekeeping.run(at: world.now) }
        #expect((try await world.account(claimed.shown.accountID) == nil) == isRemoved)
        let progress = try await world.enrolments.newest(of: invitation.nonce, at: world.server, now: world.now)?.progress
        #expect(progress == .failed(.blocked))
        let refusal: EnrolmentStartError = isRemoved ? .siteOnly : .accountBlocked
        for page in ["page", "another"] {
            await #expect(throws: refusal) { _ = try await world.invite(page: page, isNewest: false) }
        }
        let next = try await world.invite(page: "next")
        #expect(try await world.account(claimed.shown.accountID) == nil)
        let own = try await TestPhone(world, "own").enrolPending(next)
        #expect(try await world.confirm(next, code: own.code) == .activated(own.shown.accountID))
    }

    @Test("One that was unblocked in time is over like any other: its page begins anew")
    func unblocked() async throws {
        let (world, _, claimed) = try await blocked()
        _ = try await world.accounts.setBlocked(false, claimed.shown.accountID, at: world.server, by: .backend, now: world.now)
        world.pass(Enrolment.life + 1)
        try await world.housekeeping.run(at: world.now)
        _ = try await TestPhone(world, "own").claim(try await world.invite(page: "page", isNewest: false))
    }
}
