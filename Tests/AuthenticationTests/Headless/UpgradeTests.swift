import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("A headless account becomes a full one", .timeLimit(.minutes(10)))
struct UpgradeTests {
    @Test("The same account, with the same device key and user, has a PIN once the code was typed: it logs in, and its browser is logged in")
    func upgrades() async throws {
        let world = try await DomainFixture.headless()
        try await world.offerData()
        let phone = try await world.headlessPhone()
        let before = try await world.account(of: phone)
        let invitation = try await world.inviteUpgrade(of: before.id)
        let claimed = try await phone.claim(invitation)
        #expect(claimed.shown.accountID == before.id && claimed.shown.secondFactor == .needed && claimed.shown.displayName == "alice")
        let made = try await phone.finish(claimed, try await phone.setFirstPIN(claimed))
        #expect(made.state == .pending && made.otpReference == before.otpReference)
        // Until then it is what it was.
        #expect(try await world.account(of: phone).isHeadless)
        #expect(try await world.data(phone) == [2, 1] && world.dataService.asked.last?.device == nil)
        #expect(try await world.refusal(of: try phone.openingApp()) == .headless)
        #expect(try await world.refusal(of: try phone.waiting(for: before.id)) == .accountPending)
        #expect(try await world.confirm(invitation, code: claimed.code) == .activated(before.id))
        let after = try await world.account(of: phone)
        #expect(!after.isHeadless && after.instance == phone.instance && after.state == .active)
        #expect(after.deviceKey == before.deviceKey && after.userID == before.userID && after.createdAt == before.createdAt)
        #expect(try after.otpKey.bytes() == before.otpKey.bytes() && after.otpReference == before.otpReference)
        #expect(try await world.status("upgrading").userID == "alice")
        let heard = try await phone.hearOfActivation(of: after.id)
        #expect(!heard.isHeadless && heard.sessionID != nil && heard.cache != nil)
        #expect(try await world.data(phone) == [2, 1] && world.dataService.asked.last?.device == phone.instance)
        #expect(try await phone.logIn().result == .loggedIn)
        #expect(try await phone.appLogIn().answer.webNonce != nil)
        #expect(try await world.snapshot().accounts.count == 1)
        #expect(try await world.trail().first { $0.kind == .accountUpgraded }?.account == after.id)
    }

    @Test("The PIN that this app has at the server already vouches, and is the account's from then on")
    func vouchedFor() async throws {
        let world = try await DomainFixture.headless()
        let (full, phone, invitation, claimed) = try await world.vouchedUpgrade()
        _ = try await world.confirm(invitation, code: claimed.code)
        #expect(try await world.account(of: phone).instance == full.instance)
        #expect(try await phone.logIn().result == .loggedIn)
        #expect(try await full.logIn("other").result == .loggedIn)
    }

    @Test("Exactly once: the same decision again is answered alike, no link makes it twice, and no other begins")
    func once() async throws {
        let world = try await DomainFixture.headless()
        let phone = try await world.headlessPhone()
        let id = try present(phone.account)
        let invitation = try await world.inviteUpgrade(of: id)
        let claimed = try await phone.claim(invitation)
        let tried = try await phone.setFirstPIN(claimed)
        let first = try await phone.finish(claimed, tried)
        #expect(try await phone.finish(claimed, tried) == first)
        await #expect(throws: EnrolmentStartError.confirming) { try await world.inviteUpgrade(of: id, browser: "another") }
        _ = try await world.confirm(invitation, code: claimed.code)
        let after = try await world.account(of: phone)
        let again = try await phone.finish(claimed, tried)
        #expect(again.state == .active && again.otpKey == first.otpKey)
        #expect(try await world.refusal(of: try phone.claiming(invitation)) == .enrolmentUsed)
        await #expect(throws: EnrolmentStartError.accountIsFull) { try await world.inviteUpgrade(of: id, browser: "another") }
        #expect(try await world.account(of: phone) == after)
        #expect(try await world.snapshot().instances.count == 1)
    }

    @Test("Many copies of a decision at once upgrade once")
    func race() async throws {
        let world = try await DomainFixture.headless(["SKIP_ENROL_CONFIRMATION"])
        let phone = try await world.headlessPhone()
        let claimed = try await phone.claim(try await world.inviteUpgrade(of: try present(phone.account)))
        let decision = try phone.finishing(claimed, try await phone.setFirstPIN(claimed))
        let states = try await withThrowingTaskGroup(of: EnrolmentState.self) { group in
            for _ in 1...16 { group.addTask { try E4(decoding: try await world.deliver(decision).body).state } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(states == [EnrolmentState](repeating: .active, count: 16))
        #expect(try await world.trail().filter { $0.kind == .accountUpgraded }.count == 1)
        #expect(try await world.account(of: phone).instance == phone.instance)
    }

    @Test("A newer invitation, also of another browser, ends the former at whatever step before the decision")
    func overtaken() async throws {
        let world = try await DomainFixture.headless()
        let phone = try await world.headlessPhone()
        let id = try present(phone.account)
        let first = try await world.inviteUpgrade(of: id, browser: "first")
        let claimed = try await phone.claim(first)
        let tried = try await phone.setFirstPIN(claimed)
        let second = try await world.inviteUpgrade(of: id, browser: "second")
        #expect(try await world.refusal(of: try phone.finishing(claimed, tried)) == .enrolmentOld)
        #expect(try await world.refusal(of: try phone.claiming(first)) == .enrolmentOld)
        #expect(try await world.account(of: phone).isHeadless)
        let (again, _) = try await phone.upgradePending(second)
        _ = try await world.confirm(second, code: again.code)
        #expect(try await phone.logIn().result == .loggedIn)
    }

    @Test("Who may begin one: for an account of this server that has no second factor, was let in, and is not blocked")
    func whichAccounts() async throws {
        let world = try await DomainFixture.headless()
        let phone = try await world.headlessPhone()
        let id = try present(phone.account)
        let full = try await world.enrolledPhone("bob", name: "full")
        await #expect(throws: EnrolmentStartError.accountIsFull) { try await world.inviteUpgrade(of: try present(full.account)) }
        await #expect(throws: EnrolmentStartError.accountUnknown) { try await world.inviteUpgrade(of: AccountID(using: world.random)) }
        let pending = try TestPhone(world, "pending")
        let claimed = try await pending.claim(try await world.inviteHeadless("carol", browser: "carol"))
        _ = try await pending.finishBare(claimed)
        await #expect(throws: EnrolmentStartError.accountPending) { try await world.inviteUpgrade(of: claimed.shown.accountID) }
        _ = try await world.accounts.setBlocked(true, id, at: world.server, by: .backend, now: world.now)
        await #expect(throws: EnrolmentStartError.upgradeBlocked) { try await world.inviteUpgrade(of: id) }
        await #expect(throws: EnrolmentStartError.accountUnknown) {
            let start = EnrolmentStart(upgrading: id, nonce: try DomainFixture.nonce("elsewhere"))
            _ = try await world.enrolments.start(start, at: world.neighbour.server, origin: DomainFixture.origin, by: .backend, now: world.now)
        }
    }
}
