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

    @Test(
        "The person before the page that asks for the code gives the account up: it goes, with its instance, and its phone is told; no other page can"
    )
    func givesUp() async throws {
        let world = try await DomainFixture()
        var phone = try TestPhone(world, "stranger")
        let invitation = try await world.invite(page: "first")
        let claimed = try await phone.enrolPending(invitation)
        phone.account = claimed.shown.accountID
        // Another page is opened and has the enrolment from then on.
        await #expect(throws: EnrolmentStartError.confirming) { _ = try await world.invite(page: "second") }
        await #expect(throws: EnrolmentStartError.otherPage) { _ = try await world.invite(page: "first", isNewest: false) }
        #expect(try await world.account(claimed.shown.accountID)?.state == .pending)
        let next = try await world.invite(page: "second", isNewest: false)
        await #expect(throws: ConfirmationError.nothingToConfirm) { _ = try await world.confirm(invitation, code: claimed.code) }
        let told = try await world.refusal(of: try phone.waiting(for: claimed.shown.accountID))
        #expect(told == .accountDeleted(claimed.shown.accountID, since: world.now))
        #expect(try await world.closes.run(at: world.now) == 1)
        #expect(world.secondFactor.truth.closed == [phone.instance])
        let own = try TestPhone(world, "own")
        let shown = try await own.enrolPending(next)
        #expect(try await world.confirm(next, code: shown.code) == .activated(shown.shown.accountID))
        await #expect(throws: EnrolmentStartError.finished) { _ = try await world.invite(page: "second", isNewest: false) }
    }

    @Test("The code is typed 16 times while the account is given up 16 times: it is there and logged in, or gone")
    func givenUpAtOnce() async throws {
        for round in 0..<8 {
            let world = try await DomainFixture()
            let invitation = try await world.invite(page: "page")
            let claimed = try await TestPhone(world, "phone").enrolPending(invitation)
            let enrolment = try present(try await world.enrolments.newest(of: invitation.nonce, at: world.server, now: world.now)).id
            let gate = Gate()
            let won = try await withThrowingTaskGroup(of: (isCode: Bool, won: Bool).self) { group in
                for index in 0..<32 {
                    group.addTask {
                        let isCode = index % 2 == 0
                        await gate.wait(for: 32)
                        do {
                            if isCode {
                                _ = try await world.enrolments.confirm(
                                    invitation.nonce, code: claimed.code, of: enrolment, at: world.server, by: .page, now: world.now)
                            } else {
                                _ = try await world.invite(page: "page", isNewest: false)
                            }
                            return (isCode, true)
                        } catch ConfirmationError.nothingToConfirm { return (true, false) } catch EnrolmentStartError.finished {
                            return (false, false)
                        }
                    }
                }
                return try await group.reduce(into: [Bool: Int]()) { $0[$1.isCode, default: 0] += $1.won ? 1 : 0 }
            }
            let isActive = try await world.account(claimed.shown.accountID)?.state == .active
            #expect(won == (isActive ? [true: 16, false: 0] : [true: 0, false: 16]), "\(round)")
            #expect(try await world.status("enrolling").loggedIn == isActive, "\(round)")
        }
    }

    @Test("A wait that ran out does not stand in the way of a new invitation")
    func afterTheWait() async throws {
        let world = try await DomainFixture()
        let claimed = try await TestPhone(world, "first").enrolPending(try await world.invite())
        world.pass(Enrolment.life + 1)
        _ = try await TestPhone(world, "second").claim(try await world.invite())
        // Housekeeping looks for unfinished enrolments: this one is finished by the next, and nobody would come for its account.
        #expect(try await world.account(claimed.shown.accountID) == nil)
        #expect(try await world.closes.run(at: world.now) == 1)
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
