import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("Enrolment: a second invitation, and what is left of a first")
struct SecondInvitationTests {
    @Test("A new invitation ends one that a phone has read: that phone is too late, the new one's is not")
    func replacesClaimed() async throws {
        let world = try await DomainFixture()
        let (first, second) = (try TestPhone(world, "first"), try TestPhone(world, "second"))
        let old = try await first.claim(try await world.invite())
        let set = try await first.setFirstPIN(old)
        let invitation = try await world.invite()
        #expect(try await world.refusal(of: try first.finishing(old, set)) == .enrolmentOld)
        let new = try await second.enrolPending(invitation)
        #expect(try await world.confirm(invitation, code: new.code) == .activated(new.shown.accountID))
    }

    @Test("A phone that is still at its PIN hears that it is too late, and nothing is counted or made for it")
    func replacedAtPIN() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "first")
        let old = try await phone.claim(try await world.invite())
        _ = try await world.invite()
        #expect(try await world.refusal(of: try phone.settingFirstPIN(old).message) == .enrolmentOld)
        #expect(world.secondFactor.truth.isEmpty)
    }

    @Test("While an account waits for its code there is no other invitation; afterwards there is")
    func keepsConfirming() async throws {
        let world = try await DomainFixture()
        let invitation = try await world.invite()
        let claimed = try await TestPhone(world, "first").enrolPending(invitation)
        do {
            _ = try await world.invite()
            Issue.record("a second invitation was made")
        } catch EnrolmentStartError.confirming {}
        #expect(try await world.confirm(invitation, code: claimed.code) == .activated(claimed.shown.accountID))
        _ = try await TestPhone(world, "second").claim(try await world.invite())
    }

    @Test("A wait that ran out does not stand in the way of a new invitation")
    func afterTheWait() async throws {
        let world = try await DomainFixture()
        _ = try await TestPhone(world, "first").enrolPending(try await world.invite())
        world.pass(Enrolment.life + 1)
        _ = try await TestPhone(world, "second").claim(try await world.invite())
    }

    @Test("An account that does not come about after its PIN was set leaves an instance to close, and only then")
    func orphan() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let claimed = try await phone.claim(try await world.invite())
        let set = try await phone.setFirstPIN(claimed)
        // Another invitation comes between the proof and the account.
        world.secondFactor.set { mishaps in
            mishaps.pause = { type in if type == .proof { _ = try? await world.invite() } }
        }
        #expect(try await world.refusal(of: try phone.finishing(claimed, set)) == .enrolmentOld)
        let due = try await world.store.read { rows in try rows.dueCloses(at: world.now, limit: 9) }
        #expect(due.map(\.instance) == [phone.instance])
        world.secondFactor.set { $0.pause = nil }
        #expect(try await world.closes.run(at: world.now) == 1)
        #expect(world.secondFactor.truth.closed == [phone.instance])
        let other = try await world.enrolledPhone("bob", name: "other")
        #expect(try await world.store.read { rows in try rows.dueCloses(at: world.now, limit: 9) }.isEmpty)
        _ = try await other.logIn()
    }

    @Test("A decline again is answered alike, and one that never was is not")
    func declinedTwice() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let claimed = try await phone.claim(try await world.invite())
        let message = try phone.declining(claimed)
        #expect(try await world.deliver(message) == Reply())
        world.pass(1)
        var again = message
        again.sentAt = world.now
        #expect(try await world.deliver(again) == Reply())
        // Also when another phone has the invitation by now, which stays its own.
        let other = try TestPhone(world, "other")
        let theirs = try await other.claim(try await world.invite())
        world.pass(1)
        again.sentAt = world.now
        #expect(try await world.deliver(again) == Reply())
        try await other.finish(theirs, try await other.setFirstPIN(theirs))
        let stranger = try TestPhone(world, "stranger")
        let never = try await stranger.claim(try await world.invite(browser: "another"))
        let moved = Outgoing(bytes: try stranger.declining(never).bytes, ephemeral: try stranger.ephemeral(), sentAt: world.now)
        #expect(try await world.refusal(of: moved) == .enrolmentUnknown)
    }

    @Test("The right code after the account was deleted confirms nothing")
    func deletedSince() async throws {
        let world = try await DomainFixture()
        let invitation = try await world.invite()
        let claimed = try await TestPhone(world, "phone").enrolPending(invitation)
        #expect(try await world.confirm(invitation, code: claimed.code) == .activated(claimed.shown.accountID))
        #expect(try await world.confirm(invitation, code: claimed.code) == .activated(claimed.shown.accountID))
        try await world.accounts.delete(claimed.shown.accountID, at: world.server, by: .backend, now: world.now)
        do {
            _ = try await world.confirm(invitation, code: claimed.code)
            Issue.record("a deleted account was confirmed")
        } catch ConfirmationError.nothingToConfirm {}
    }

    @Test("An account that waits for its code is told so when it scans a login")
    func pendingLogsIn() async throws {
        let world = try await DomainFixture()
        var phone = try TestPhone(world, "phone")
        phone.account = try await phone.enrolPending(try await world.invite()).shown.accountID
        let shown = try await phone.look(at: try await world.link())
        #expect(try await world.refusal(of: try phone.trying(shown).message) == .accountPending)
        #expect(try await world.refusal(of: try phone.refusing(shown)) == .accountPending)
        #expect(Refusal.accountPending.status == .accountPending)
    }
}
