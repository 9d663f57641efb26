import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("An upgrade that comes to nothing leaves the headless account", .timeLimit(.minutes(10)))
struct UpgradeFailureTests {
    private func scene() async throws -> (DomainFixture, TestPhone, Account) {
        let world = try await DomainFixture.headless()
        try await world.offerData()
        let phone = try await world.headlessPhone()
        let account = try await world.account(of: phone)
        return (world, phone, account)
    }

    /// As it was before, with nothing left at either server, and another upgrade goes through.
    private func expectHeadless(_ before: Account, _ phone: TestPhone, _ world: DomainFixture) async throws {
        #expect(try await world.account(of: phone) == before)
        #expect(try await world.data(phone) == [2, 1])
        #expect(try await phone.hearOfActivation(of: before.id).isHeadless)
        _ = try await world.closes.run(at: world.now)
        let state = try await world.snapshot()
        #expect(state.instances.isEmpty && state.closes.isEmpty && state.leaves.isEmpty)
        var other = phone
        other.raw = phone.raw.with(instance: InstanceID(using: world.random))
        let invitation = try await world.inviteUpgrade(of: before.id, browser: "once more")
        let (claimed, _) = try await other.upgradePending(invitation)
        _ = try await world.confirm(invitation, code: claimed.code)
        #expect(try await other.logIn().result == .loggedIn)
    }

    @Test("Three wrong codes")
    func wrongCodes() async throws {
        let (world, phone, before) = try await scene()
        let invitation = try await world.inviteUpgrade(of: before.id)
        let (claimed, _) = try await phone.upgradePending(invitation)
        for _ in 1...2 { _ = try await world.confirm(invitation, code: claimed.wrongCode) }
        #expect(try await world.confirm(invitation, code: claimed.wrongCode) == .removed)
        try await expectHeadless(before, phone, world)
    }

    @Test("Ten minutes without the code, whether somebody has cleared up since or not", arguments: [true, false])
    func tooLate(isCleared: Bool) async throws {
        let (world, phone, before) = try await scene()
        let invitation = try await world.inviteUpgrade(of: before.id)
        let (claimed, _) = try await phone.upgradePending(invitation)
        world.pass(Enrolment.life + 1)
        await #expect(throws: ConfirmationError.expired) { try await world.confirm(invitation, code: claimed.code) }
        #expect(try await phone.hearOfActivation(of: before.id).isHeadless)
        #expect(try await world.data(phone) == [2, 1])
        if isCleared {
            try await world.enrolments.expire(at: world.now)
        } else {
            _ = try await world.inviteUpgrade(of: before.id, browser: "another")
        }
        try await expectHeadless(before, phone, world)
    }

    @Test("While a code is awaited, no page of another nonce is given out; one of the same nonce is, which asks for the code")
    func pages() async throws {
        let (world, phone, before) = try await scene()
        let invitation = try await world.inviteUpgrade(of: before.id)
        #expect(try await world.trail().contains { $0.kind == .enrolmentStarted && $0.account == before.id })
        func admit(_ browser: String) async throws {
            let start = EnrolmentStart(upgrading: before.id, nonce: try DomainFixture.nonce(browser))
            try await world.enrolments.admitPage(start, at: world.server, now: world.now)
        }
        try await admit("another")
        let (claimed, _) = try await phone.upgradePending(invitation)
        await #expect(throws: EnrolmentStartError.confirming) { try await admit("another") }
        try await admit("upgrading")
        _ = try await world.confirm(invitation, code: claimed.code)
        await #expect(throws: EnrolmentStartError.accountIsFull) { try await admit("upgrading") }
    }

    @Test("Begun anew under the same nonce before anybody has cleared up after ten minutes: who clears up then takes nothing from the new upgrade")
    func begunAnew() async throws {
        let (world, phone, before) = try await scene()
        _ = try await phone.upgradePending(try await world.inviteUpgrade(of: before.id))
        world.pass(Enrolment.life + 1)
        var other = phone
        other.raw = phone.raw.with(instance: InstanceID(using: world.random))
        let invitation = try await world.inviteUpgrade(of: before.id)
        let (claimed, _) = try await other.upgradePending(invitation)
        try await world.enrolments.expire(at: world.now)
        _ = try await world.confirm(invitation, code: claimed.code)
        #expect(try await other.logIn().result == .loggedIn)
        #expect(try await world.account(of: phone).instance == other.instance)
    }

    @Test("A logout of the browser that upgrades")
    func loggedOut() async throws {
        let (world, phone, before) = try await scene()
        let invitation = try await world.inviteUpgrade(of: before.id)
        let (claimed, _) = try await phone.upgradePending(invitation)
        try await world.logOut("upgrading")
        await #expect(throws: ConfirmationError.nothingToConfirm) { try await world.confirm(invitation, code: claimed.code) }
        try await expectHeadless(before, phone, world)
    }

    @Test("The second-factor server that closes what was set: the account stays, and no code makes it a full one")
    func closed() async throws {
        let (world, phone, before) = try await scene()
        let invitation = try await world.inviteUpgrade(of: before.id)
        let (claimed, _) = try await phone.upgradePending(invitation)
        let closure = InstanceClosure(store: world.store, events: world.hub)
        #expect(try await closure.end(phone.instance, tellingPhoneOf: before.id, at: world.now) == .secondFactor(.secondFactorUnknown))
        await #expect(throws: ConfirmationError.nothingToConfirm) { try await world.confirm(invitation, code: claimed.code) }
        #expect(try await world.status("upgrading") == .nobody)
        let entry = AuditEntry(.enrolmentFailed, server: world.server, account: before.id, by: .secondFactor, at: world.now)
        #expect(try await world.trail().contains(entry))
        try await expectHeadless(before, phone, world)
    }

    @Test("An answer of the second-factor server that got lost: the same decision upgrades after all, and until then nothing has changed")
    func lostReceipt() async throws {
        let (world, phone, before) = try await scene()
        let claimed = try await phone.claim(try await world.inviteUpgrade(of: before.id))
        let decision = try phone.finishing(claimed, try await phone.setFirstPIN(claimed))
        world.secondFactor.set { $0.losesAnswers = true }
        #expect(try await world.refusal(of: decision) == .secondFactorUnavailable)
        #expect(try await world.account(of: phone) == before)
        #expect(try await world.data(phone) == [2, 1])
        world.secondFactor.set { $0.losesAnswers = false }
        #expect(try E4(decoding: try await world.deliver(decision).body).state == .pending)
    }

    @Test("An account that is deleted while its second factor waits takes that with it")
    func deleted() async throws {
        let (world, phone, before) = try await scene()
        let invitation = try await world.inviteUpgrade(of: before.id)
        let (claimed, _) = try await phone.upgradePending(invitation)
        try await world.accounts.delete(before.id, at: world.server, by: .backend, now: world.now)
        await #expect(throws: ConfirmationError.nothingToConfirm) { try await world.confirm(invitation, code: claimed.code) }
        let state = try await world.snapshot()
        #expect(state.accounts.isEmpty && state.instances.isEmpty && Array(state.closes.keys) == [phone.instance])
    }

    @Test("A blocked account is let in by no code, and stays blocked and headless")
    func blocked() async throws {
        let (world, phone, before) = try await scene()
        let invitation = try await world.inviteUpgrade(of: before.id)
        let (claimed, _) = try await phone.upgradePending(invitation)
        _ = try await world.accounts.setBlocked(true, before.id, at: world.server, by: .backend, now: world.now)
        await #expect(throws: ConfirmationError.accountBlocked) { try await world.confirm(invitation, code: claimed.code) }
        world.pass(Enrolment.life + 1)
        try await world.enrolments.expire(at: world.now)
        let after = try await world.account(of: phone)
        #expect(after.isHeadless && after.isBlocked && after.instance == nil)
        _ = try await world.accounts.setBlocked(false, before.id, at: world.server, by: .backend, now: world.now)
        try await expectHeadless(before, phone, world)
    }

    @Test("While the second-factor server has still to forget the key of an upgrade before, another waits: it would forget the key that joined since")
    func leaving() async throws {
        let world = try await DomainFixture.headless()
        let (_, phone, invitation, claimed) = try await world.vouchedUpgrade()
        for _ in 1...3 { _ = try await world.confirm(invitation, code: claimed.wrongCode) }
        let again = try await world.inviteUpgrade(of: try present(phone.account), browser: "again")
        #expect(try await world.refusal(of: try phone.claiming(again)) == .attemptOpen)
        #expect(Refusal.attemptOpen.status == .busy)
        #expect(try await world.closes.run(at: world.now) == 1)
        #expect(try await phone.claim(again).shown.accountID == phone.account)
    }
}

@Suite("Whoever else has the link of an upgrade", .timeLimit(.minutes(10)))
struct UpgradeAttackTests {
    @Test("Another phone gets nothing by it, whatever account of its own it names, and takes it from nobody")
    func otherPhone() async throws {
        let world = try await DomainFixture.headless()
        let phone = try await world.headlessPhone()
        let thief = try await world.headlessPhone("mallory", name: "thief")
        let stranger = try TestPhone(world, "stranger")
        let invitation = try await world.inviteUpgrade(of: try present(phone.account))
        for other in [thief, stranger] {
            #expect(try await world.refusal(of: try other.claiming(invitation)) == .enrolmentUsed)
        }
        let (claimed, _) = try await phone.upgradePending(invitation)
        // Whoever names the phone's key, which is no secret, has not the key that signs.
        #expect(try await world.refusal(of: try thief.declining(claimed)) == .badSignature)
        _ = try await world.confirm(invitation, code: claimed.code)
        #expect(try await world.account(of: phone).instance == phone.instance)
        #expect(try await world.account(of: thief).isHeadless)
    }

    @Test("Who names the account's key in an E1 cannot go on: the Attempt and the decision want its signature")
    func namedKey() async throws {
        let world = try await DomainFixture.headless()
        let phone = try await world.headlessPhone()
        let thief = try TestPhone(world, "thief")
        let invitation = try await world.inviteUpgrade(of: try present(phone.account))
        let named = E1(
            enrolID: invitation.link.enrolID, enrolSecret: invitation.link.enrolSecret, deviceKey: phone.publicKey, appInfo: "", osInfo: "thief")
        let message = thief.outgoing(named.encoded, try thief.ephemeral())
        let sealed = try world.seal(message)
        let claimed = try Claimed(
            ephemeral: message.ephemeral, requestHash: sealed.hash, body: try await world.receive(sealed.bytes).body)
        let payload = phone.publicKey + claimed.hash
        let hash = Transcript.operation(.firstSet, instance: thief.instance, epoch: 1, payload: payload)
        let tried = try thief.attempt(
            .firstSet, sessionHash: hash, payload: payload, account: claimed.shown.accountID, ephemeral: claimed.ephemeral)
        #expect(try await world.refusal(of: tried.message) == .badSignature)
        #expect(try await world.refusal(of: try thief.finishingBare(claimed)) == .badSignature)
        // The phone takes it back by its own E1.
        let (own, _) = try await phone.upgradePending(invitation)
        _ = try await world.confirm(invitation, code: own.code)
        #expect(try await world.account(of: phone).instance == phone.instance)
    }

    @Test("The phone itself cannot end an upgrade without a second factor")
    func bareUpgrade() async throws {
        let world = try await DomainFixture.headless(["SKIP_ENROL_CONFIRMATION"])
        let phone = try await world.headlessPhone()
        let claimed = try await phone.claim(try await world.inviteUpgrade(of: try present(phone.account)))
        #expect(try await world.refusal(of: try phone.finishingBare(claimed)) == .methodNotAllowed)
        #expect(try await world.account(of: phone).isHeadless)
        #expect(try await world.status("upgrading") == .nobody)
    }
}
