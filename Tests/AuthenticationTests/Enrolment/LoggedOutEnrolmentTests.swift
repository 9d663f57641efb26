import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("Enrolment: the site logs out")
struct LoggedOutEnrolmentTests {
    @Test("A17: an invitation is good for no phone once its nonce was logged out, and another nonce's still is")
    func open() async throws {
        let world = try await DomainFixture()
        let (invitation, other) = (try await world.invite(), try await world.invite("bob", browser: "other"))
        try await world.logOut("enrolling")
        #expect(try await world.refusal(of: try TestPhone(world, "phone").claiming(invitation)) == .enrolmentOld)
        #expect(try await world.enrolments.isOpen(invitation.link, at: world.server, now: world.now) == false)
        _ = try await TestPhone(world, "theirs").claim(other)
    }

    @Test("A phone that has read the invitation hears at its PIN, and with its decision, that it is too late, and nobody is asked for it")
    func claimed() async throws {
        let world = try await DomainFixture()
        let (early, late) = (try TestPhone(world, "early"), try TestPhone(world, "late"))
        let read = try await early.claim(try await world.invite())
        let decided = try await late.claim(try await world.invite("bob", browser: "other"))
        let set = try await late.setFirstPIN(decided)
        for browser in ["enrolling", "other"] { try await world.logOut(browser) }
        #expect(try await world.refusal(of: try early.settingFirstPIN(read).message) == .enrolmentOld)
        #expect(try await world.refusal(of: try late.finishing(decided, set)) == .enrolmentOld)
        #expect(try await world.account(decided.shown.accountID) == nil)
        #expect(world.secondFactor.heard.last != .proof)
        for browser in ["enrolling", "other"] { #expect(try await world.status(browser) == .nobody) }
    }

    @Test("An account that waits for its code goes with the logout: its phone is told, the code logs nobody in, and the audit trail says who")
    func confirming() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let invitation = try await world.invite()
        let claimed = try await phone.enrolPending(invitation)
        let account = claimed.shown.accountID
        let topics: [EventTopic] = [.stream(try await world.queries.stream(of: invitation.nonce, at: world.server)), .account(account)]
        let listeners = topics.map { world.hub.subscribe(to: [$0]) }
        for _ in 0..<2 { try await world.logOut("enrolling") }
        for (topic, listener) in zip(topics, listeners) {
            #expect(await world.heard(listener, of: topic) == [.enrolment(.failed(.loggedOut))], "\(topic)")
        }
        await #expect(throws: ConfirmationError.nothingToConfirm) { _ = try await world.confirm(invitation, code: claimed.code) }
        #expect(try await world.refusal(of: try phone.waiting(for: account)) == .accountDeleted(account, since: world.now))
        #expect(try await world.status("enrolling") == .nobody)
        #expect(try await world.closes.run(at: world.now) == 1)
        let failed = try await world.store.read { rows in try rows.auditEntries(of: world.server, limit: 32) }.filter { $0.kind == .enrolmentFailed }
        #expect(failed.map(\.account) == [account] && failed.map(\.actor) == [.backend])
    }

    @Test("A logout that is acknowledged while an enrolment's PIN is being proved leaves nobody logged in, also where no code is asked")
    func whileProving() async throws {
        let world = try await DomainFixture { $0.flags = ["SKIP_ENROL_CONFIRMATION"] }
        let phone = try TestPhone(world, "phone")
        let claimed = try await phone.claim(try await world.invite())
        let set = try await phone.setFirstPIN(claimed)
        world.secondFactor.set { $0.pause = { type in if type == .proof { try? await world.logOut("enrolling") } } }
        #expect(try await world.refusal(of: try phone.finishing(claimed, set)) == .enrolmentOld)
        #expect(try await world.status("enrolling") == .nobody)
        #expect(try await world.account(claimed.shown.accountID) == nil)
        #expect(try await world.closes.run(at: world.now) == 1)
        #expect(world.secondFactor.truth.closed == [phone.instance])
    }

    @Test("No page that was open begins anew for a nonce that was logged out, also where its enrolment had run out before; its site may")
    func pagesBeginNothing() async throws {
        for late in [0, Enrolment.life + 1] {
            let world = try await DomainFixture()
            let claimed = try await TestPhone(world, "phone").enrolPending(try await world.invite(page: "first"))
            world.pass(late)
            try await world.logOut("enrolling")
            #expect(try await world.account(claimed.shown.accountID) == nil)
            await #expect(throws: EnrolmentStartError.siteOnly) { _ = try await world.invite(page: "first", isNewest: false) }
            let again = try await world.invite(page: "second")
            let own = try await TestPhone(world, "own").enrolPending(again)
            #expect(try await world.confirm(again, code: own.code) == .activated(own.shown.accountID))
        }
    }

    @Test("A logout after the enrolment ends its session and leaves its account")
    func afterwards() async throws {
        let world = try await DomainFixture()
        let invitation = try await world.invite()
        let claimed = try await TestPhone(world, "phone").enrolPending(invitation)
        _ = try await world.confirm(invitation, code: claimed.code)
        try await world.logOut("enrolling")
        #expect(try await world.status("enrolling") == .nobody)
        #expect(try await world.account(claimed.shown.accountID)?.state == .active)
    }
}
