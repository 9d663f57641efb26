import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("The confirmation code", .timeLimit(.minutes(10)))
struct ConfirmationTests {
    private func pending(_ change: (inout ServerUpdate) -> Void = { _ in }) async throws -> (
        DomainFixture, TestPhone, DomainFixture.Invitation, Claimed
    ) {
        let world = try await DomainFixture(change)
        var phone = try TestPhone(world, "phone")
        let invitation = try await world.invite()
        let claimed = try await phone.enrolPending(invitation)
        phone.account = claimed.shown.accountID
        return (world, phone, invitation, claimed)
    }

    @Test("The right code activates the account and logs the enrolling browser in")
    func rightCode() async throws {
        let (world, _, invitation, claimed) = try await pending()
        #expect(try await world.confirm(invitation, code: claimed.code) == .activated(claimed.shown.accountID))
        #expect(try await world.account(claimed.shown.accountID)?.state == .active)
        let status = try await world.status("enrolling")
        #expect(status.loggedIn && status.accountID == claimed.shown.accountID)
    }

    @Test("The right code again is answered alike and tells nobody of a login, which may be over by then")
    func rightCodeAgain() async throws {
        let (world, _, invitation, claimed) = try await pending()
        _ = try await world.confirm(invitation, code: claimed.code)
        let stream = try await world.queries.stream(of: invitation.nonce, at: world.server)
        var news = world.hub.subscribe(to: [.stream(stream)]).makeAsyncIterator()
        #expect(try await world.confirm(invitation, code: claimed.code) == .activated(claimed.shown.accountID))
        world.hub.publish(SessionNews(.scanned, topics: [.stream(stream)]))
        #expect(await news.next()?.kind == .scanned)
    }

    @Test("The code is read in either case, with look-alikes, spaces and hyphens")
    func spelling() async throws {
        let (world, _, invitation, claimed) = try await pending()
        let spelled = claimed.code.lowercased().replacing("0", with: "o").replacing("1", with: "l").map { "\($0)" }.joined(separator: "- ")
        #expect(try await world.confirm(invitation, code: spelled) == .activated(claimed.shown.accountID))
    }

    @Test("What cannot be a code does not count as a try", arguments: ["", "K7Q", "K7Q3A", "K7U3", "K7Ä3"])
    func noCode(text: String) async throws {
        let (world, _, invitation, claimed) = try await pending()
        let before = try await world.snapshot()
        for _ in 0..<4 {
            await #expect(throws: ConfirmationError.self) { _ = try await world.confirm(invitation, code: text) }
        }
        #expect(try await world.snapshot() == before)
        #expect(try await world.confirm(invitation, code: claimed.code) == .activated(claimed.shown.accountID))
    }

    @Test("Three wrong codes remove the account, its instance and its share; the right one comes too late")
    func threeWrong() async throws {
        let (world, phone, invitation, claimed) = try await pending()
        #expect(try await world.confirm(invitation, code: claimed.wrongCode) == .wrong(triesLeft: 2))
        #expect(try await world.confirm(invitation, code: claimed.wrongCode) == .wrong(triesLeft: 1))
        #expect(try await world.confirm(invitation, code: claimed.wrongCode) == .removed)
        await #expect(throws: ConfirmationError.nothingToConfirm) { _ = try await world.confirm(invitation, code: claimed.code) }
        #expect(try await world.account(claimed.shown.accountID) == nil)
        #expect(try await world.instance(phone.instance) == nil)
        #expect(try await world.closes.run(at: world.now) == 1)
        #expect(world.secondFactor.truth.closed == [phone.instance])
        let told = try await world.refusal(of: try phone.waiting(for: claimed.shown.accountID))
        #expect(told == .accountDeleted(claimed.shown.accountID, since: world.now))
    }

    @Test("Two wrong codes and then the right one is an account")
    func thirdIsRight() async throws {
        let (world, _, invitation, claimed) = try await pending()
        for _ in 0..<2 { _ = try await world.confirm(invitation, code: claimed.wrongCode) }
        #expect(try await world.confirm(invitation, code: claimed.code) == .activated(claimed.shown.accountID))
    }

    @Test("After ten minutes the code is worth nothing, and the account goes with the next housekeeping")
    func tenMinutes() async throws {
        let (world, phone, invitation, claimed) = try await pending()
        world.pass(601)
        await #expect(throws: ConfirmationError.expired) { _ = try await world.confirm(invitation, code: claimed.code) }
        let account = claimed.shown.accountID
        #expect(try await world.refusal(of: try phone.waiting(for: account)) == .accountDeleted(account, since: world.now))
        try await world.housekeeping.run(at: world.now)
        #expect(try await world.account(account) == nil)
        #expect(try await world.closes.run(at: world.now) == 1)
        let progress = try await world.enrolments.newest(of: invitation.nonce, at: world.server, now: world.now)?.progress
        #expect(progress == .failed(.expired))
    }

    @Test("In the last second of the ten minutes the code is still good")
    func lastSecond() async throws {
        let (world, _, invitation, claimed) = try await pending()
        world.pass(600)
        #expect(try await world.confirm(invitation, code: claimed.code) == .activated(claimed.shown.accountID))
    }

    @Test("Typing the right code twice is one activation; a wrong one afterwards changes nothing")
    func twice() async throws {
        let (world, _, invitation, claimed) = try await pending()
        _ = try await world.confirm(invitation, code: claimed.code)
        let after = try await world.snapshot()
        #expect(try await world.confirm(invitation, code: claimed.code) == .activated(claimed.shown.accountID))
        await #expect(throws: ConfirmationError.nothingToConfirm) { _ = try await world.confirm(invitation, code: claimed.wrongCode) }
        #expect(try await world.snapshot() == after)
    }

    @Test("There is nothing to confirm before the phone has decided, nor for a browser that enrols nobody")
    func nothing() async throws {
        let world = try await DomainFixture()
        let invitation = try await world.invite()
        await #expect(throws: ConfirmationError.nothingToConfirm) { _ = try await world.confirm(invitation, code: "K7Q3") }
        let claimed = try await TestPhone(world, "phone").claim(invitation)
        await #expect(throws: ConfirmationError.nothingToConfirm) { _ = try await world.confirm(invitation, code: claimed.code) }
        let other = DomainFixture.Invitation(nonce: try DomainFixture.nonce("stranger"), link: invitation.link)
        await #expect(throws: ConfirmationError.nothingToConfirm) { _ = try await world.confirm(other, code: claimed.code) }
    }

    @Test("With SKIP_ENROL_CONFIRMATION the account is active with the phone's decision")
    func skipped() async throws {
        let (world, phone, _, claimed) = try await pending { $0.flags = ["SKIP_ENROL_CONFIRMATION"] }
        #expect(try await world.account(claimed.shown.accountID)?.state == .active)
        #expect(try await world.status("enrolling").loggedIn)
        #expect(try await phone.hearOfActivation(of: claimed.shown.accountID).cache != nil)
    }

    @Test("The flag counts when the phone decides: set later it activates nobody")
    func flagTooLate() async throws {
        let (world, _, _, claimed) = try await pending()
        try await world.update { $0.flags = ["SKIP_ENROL_CONFIRMATION"] }
        #expect(try await world.account(claimed.shown.accountID)?.state == .pending)
    }

    @Test("An account that is deleted while it waits is gone for its code too")
    func deleted() async throws {
        let (world, _, invitation, claimed) = try await pending()
        try await world.accounts.delete(claimed.shown.accountID, at: world.server, by: .backend, now: world.now)
        await #expect(throws: ConfirmationError.nothingToConfirm) { _ = try await world.confirm(invitation, code: claimed.code) }
        let progress = try await world.enrolments.newest(of: invitation.nonce, at: world.server, now: world.now)?.progress
        #expect(progress == .failed(.deleted))
    }

    @Test("A16: an account that is blocked while it waits is let in by no code, and none counts; unblocked in time, the right one is good")
    func blocked() async throws {
        let (world, phone, invitation, claimed) = try await pending()
        let account = claimed.shown.accountID
        _ = try await world.accounts.setBlocked(true, account, at: world.server, by: .backend, now: world.now)
        let before = try await world.snapshot()
        for code in [claimed.wrongCode, claimed.wrongCode, claimed.wrongCode, claimed.code] {
            await #expect(throws: ConfirmationError.accountBlocked) { _ = try await world.confirm(invitation, code: code) }
        }
        #expect(try await world.snapshot() == before)
        #expect(try await world.status("enrolling") == .nobody)
        #expect(try await world.refusal(of: try phone.waiting(for: account)) == .accountBlocked)
        _ = try await world.accounts.setBlocked(false, account, at: world.server, by: .backend, now: world.now)
        #expect(try await world.confirm(invitation, code: claimed.code) == .activated(account))
    }

    @Test("The right code again, of an account that was blocked since, does not say that it is in")
    func blockedSince() async throws {
        let (world, _, invitation, claimed) = try await pending()
        let account = claimed.shown.accountID
        #expect(try await world.confirm(invitation, code: claimed.code) == .activated(account))
        _ = try await world.accounts.setBlocked(true, account, at: world.server, by: .backend, now: world.now)
        await #expect(throws: ConfirmationError.accountBlocked) { _ = try await world.confirm(invitation, code: claimed.code) }
        #expect(try await world.status("enrolling") == .nobody)
    }

    @Test("Whoever was logged in by the enrolling nonce before gives way")
    func replacesSession() async throws {
        let world = try await DomainFixture()
        let old = try await world.enrolledPhone("bob", name: "old phone")
        try await old.logIn("enrolling")
        let phone = try TestPhone(world, "phone")
        let invitation = try await world.invite()
        let claimed = try await phone.enrolPending(invitation)
        #expect(try await world.status("enrolling").userID == "bob")
        _ = try await world.confirm(invitation, code: claimed.code)
        #expect(try await world.status("enrolling").userID == "alice")
    }
}
