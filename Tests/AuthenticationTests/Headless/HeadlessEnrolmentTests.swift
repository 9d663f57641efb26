import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("Accounts without a second factor", .timeLimit(.minutes(10)))
struct HeadlessEnrolmentTests {
    @Test("S0-03 a headless account comes about by the device key alone, asks for data, and nobody is logged in by it")
    func enrols() async throws {
        let world = try await DomainFixture.headless(["ENABLE_OTP"])
        try await world.offerData()
        var phone = try TestPhone(world, "phone")
        // Nothing of it needs the second-factor server.
        world.secondFactor.set { $0.isDown = true }
        let invitation = try await world.inviteHeadless()
        let claimed = try await phone.claim(invitation)
        #expect(claimed.shown.secondFactor == .none && claimed.shown.serverShare == nil && claimed.shown.secondFactorPrekey == nil)
        let made = try await phone.finishBare(claimed)
        #expect(made.state == .pending && made.offlineCodes == nil)
        phone.account = claimed.shown.accountID
        #expect(try await world.account(of: phone).isHeadless)
        await #expect(throws: Refusal.accountPending) { try await world.data(phone) }
        #expect(try await world.confirm(invitation, code: claimed.code) == .activated(claimed.shown.accountID))
        let account = try await world.account(of: phone)
        #expect(account.isHeadless && account.instance == nil && account.state == .active && account.lastLogin == nil)
        #expect(try await world.status("enrolling") == .nobody)
        let heard = try await phone.hearOfActivation(of: account.id)
        #expect(heard.isHeadless && heard.sessionID == nil && heard.cache == nil && heard.offlineCodes == nil)
        #expect(try await world.data(phone) == [2, 1])
        let call = try present(world.dataService.asked.first)
        #expect(call.account == account.id && call.device == nil)
        #expect(world.secondFactor.heard.isEmpty)
        let state = try await world.snapshot()
        #expect(state.instances.isEmpty && state.sessions.isEmpty && state.caches.isEmpty)
        #expect(try await world.trail().map(\.kind).filter { $0 == .headlessEnrolled || $0 == .accountEnrolled } == [.headlessEnrolled])
    }

    @Test("A virtual server enrols none unless it is told to, and none any more when it is told not to: also of one that was begun")
    func offByDefault() async throws {
        let world = try await DomainFixture()
        await #expect(throws: EnrolmentStartError.headlessNotOffered) { try await world.inviteHeadless() }
        try await world.update { $0.flags = ["ENABLE_HEADLESS"] }
        let phone = try TestPhone(world, "phone")
        let invitation = try await world.inviteHeadless()
        let claimed = try await phone.claim(invitation)
        try await world.update { $0.flags = [] }
        #expect(try await world.refusal(of: try phone.claiming(invitation)) == .notOffered)
        #expect(try await world.refusal(of: try phone.finishingBare(claimed)) == .notOffered)
        #expect(try await world.snapshot().accounts.isEmpty)
    }

    @Test("Where the code is skipped it is active at once, and its browser is logged in all the same by nobody")
    func skipsCode() async throws {
        let world = try await DomainFixture.headless(["SKIP_ENROL_CONFIRMATION"])
        let phone = try TestPhone(world, "phone")
        let claimed = try await phone.claim(try await world.inviteHeadless())
        let first = try await phone.finishBare(claimed)
        #expect(first.state == .active)
        #expect(try await phone.finishBare(claimed) == first, "the same decision again makes no other")
        #expect(try await world.snapshot().accounts.count == 1)
        #expect(try await world.status("enrolling") == .nobody)
    }

    @Test("The page of its enrolment is done without a login, and so hears who listens to its nonce")
    func news() async throws {
        let world = try await DomainFixture.headless()
        let phone = try TestPhone(world, "phone")
        let invitation = try await world.inviteHeadless()
        let claimed = try await phone.claim(invitation)
        _ = try await phone.finishBare(claimed)
        let stream = try await world.queries.stream(of: invitation.nonce, at: world.server)
        var news = world.hub.subscribe(to: [.stream(stream)]).makeAsyncIterator()
        _ = try await world.confirm(invitation, code: claimed.code)
        #expect(await news.next()?.kind == .enrolment(.headlessAdded(account: claimed.shown.accountID)))
    }

    @Test("The person's other accounts hear of it as of any device; it hears of none itself")
    func notices() async throws {
        let world = try await DomainFixture.headless()
        let full = try await world.enrolledPhone("alice", name: "full")
        let phone = try await world.headlessPhone("alice")
        _ = try await world.enrolledPhone("alice", name: "third")
        let told = try await world.store.read { rows in try rows.notices(for: try present(full.account)) }
        #expect(told.map(\.device) == ["phone", "third"])
        #expect(try await world.store.read { rows in try rows.notices(for: try present(phone.account)) }.isEmpty)
    }

    @Test("Blocked it asks for nothing, let in again it does; deleted by either side it is gone, and no other server is told")
    func blockAndDelete() async throws {
        let world = try await DomainFixture.headless()
        try await world.offerData()
        let phone = try await world.headlessPhone()
        let id = try present(phone.account)
        _ = try await world.accounts.setBlocked(true, id, at: world.server, by: .backend, now: world.now)
        await #expect(throws: Refusal.accountBlocked) { try await world.data(phone) }
        #expect(try await world.refusal(of: try phone.waiting(for: id)) == .accountBlocked)
        _ = try await world.accounts.setBlocked(false, id, at: world.server, by: .backend, now: world.now)
        #expect(try await world.data(phone) == [2, 1])
        await #expect(throws: AccountError.headless) {
            try await world.accounts.resetSecondFactor(of: id, at: world.server, by: .backend, now: world.now)
        }
        #expect(try await world.deliver(try phone.deleting(id)) == Reply())
        #expect(try await world.refusal { _ = try await world.data(phone) } == .accountDeleted(id, since: world.now))
        let other = try await world.headlessPhone("bob", name: "other")
        try await world.accounts.delete(try present(other.account), at: world.server, by: .backend, now: world.now)
        let state = try await world.snapshot()
        #expect(state.accounts.isEmpty && state.closes.isEmpty && state.leaves.isEmpty)
    }

    @Test("Three wrong codes, or ten minutes, and there is no account")
    func neverConfirmed() async throws {
        let world = try await DomainFixture.headless()
        let phone = try TestPhone(world, "phone")
        let invitation = try await world.inviteHeadless()
        let claimed = try await phone.claim(invitation)
        _ = try await phone.finishBare(claimed)
        for _ in 1...2 { _ = try await world.confirm(invitation, code: claimed.wrongCode) }
        #expect(try await world.confirm(invitation, code: claimed.wrongCode) == .removed)
        #expect(try await world.account(claimed.shown.accountID) == nil)
        let late = try await world.inviteHeadless(browser: "late")
        let again = try await phone.claim(late)
        _ = try await phone.finishBare(again)
        world.pass(Enrolment.life + 1)
        try await world.enrolments.expire(at: world.now)
        #expect(try await world.account(again.shown.accountID) == nil)
    }
}
