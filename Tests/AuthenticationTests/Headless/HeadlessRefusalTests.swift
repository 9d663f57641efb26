import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("What an account without a second factor may not do", .timeLimit(.minutes(10)))
struct HeadlessRefusalTests {
    @Test("A headless account logs in nowhere and by nothing, also where the server asks nobody for a second factor", arguments: [Int32(0), -1, 5])
    func noLogin(pinTimeout: Int32) async throws {
        let world = try await DomainFixture.headless(["ENABLE_OTP"])
        try await world.update { $0.pinTimeout = Int(pinTimeout) }
        let phone = try await world.headlessPhone()
        let shown = try await phone.look(at: try await world.link())
        #expect(try await world.refusal(of: try phone.deciding(shown, .init())) == .headless)
        #expect(try await world.refusal(of: try phone.refusing(shown)) == .headless)
        #expect(try await world.refusal(of: try phone.trying(shown).message) == .headless)
        let word = L7(
            sessionID: shown.content.sessionID, accountID: try present(phone.account), state: .gaveUp, until: Instant(0), offer: shown.content.offer)
        #expect(try await world.refusal(of: phone.outgoing(try Encoded(word, signedBy: phone.sign).bytes, shown.ephemeral)) == .headless)
        #expect(try await world.refusal(of: try phone.openingApp()) == .headless)
        #expect(try await world.refusal(of: try phone.fetching()) == .headless)
        #expect(Refusal.headless.status == .headless)
        #expect(try await world.session()?.state == .open, "nobody has claimed it")
        #expect(world.secondFactor.heard.isEmpty)
    }

    @Test("No backend asks for a login of it, and its offline code is as wrong as any")
    func noLoginOfItsName() async throws {
        let world = try await DomainFixture.headless(["ENABLE_OTP"])
        let phone = try await world.headlessPhone()
        await #expect(throws: LoginLinkError.accountHeadless) { try await world.link(preselecting: phone.account) }
        try await world.link()
        #expect(try await world.refusal(ofTyping: try await world.shownCode(phone)) == .wrong(left: 2))
        #expect(try await world.status().state == .open)
    }

    @Test("A code that a device shows is brought by none, and no token is fetched")
    func noCodeAndNoToken() async throws {
        let world = try await DomainFixture.headless()
        let phone = try await world.headlessPhone()
        let message = try phone.fresh(Verification(accountID: try present(phone.account), uri: "https://login.example/device?user_code=AAAA"))
        let opened = try OpenedRequest(try world.seal(message).bytes, with: world.keys.prekey)
        let request = PhoneRequest(server: world.server, opened: opened, now: world.now)
        await #expect(throws: Refusal.headless) { try await world.services.verifications.brought(request) }
    }

    @Test("Its device key vouches for nobody: neither in the name of a PIN that is another phone's, nor of one that it made up")
    func vouchesForNobody() async throws {
        let world = try await DomainFixture.headless()
        let victim = try await world.enrolledPhone("alice", name: "victim")
        let thief = try await world.headlessPhone("mallory", name: "thief")
        let claimed = try await thief.claim(try await world.invite("alice", browser: "second"))
        // As if the thief had the victim's instance, and everything but its device key.
        var dressed = thief
        dressed.raw = victim.raw.with(deviceKeyOf: thief.raw)
        let proving = try dressed.provingForEnrolment(claimed, newKey: thief.publicKey, by: try present(thief.account))
        #expect(try await world.refusal(of: proving.message) == .headless)
        let shown = try await dressed.look(at: try await world.link())
        #expect(try await world.refusal(of: try dressed.trying(shown).message) == .headless)
        #expect(!world.secondFactor.heard.isEmpty && world.secondFactor.tickets.count == 1, "the victim's own enrolment alone")
    }

    @Test("An enrolment that asks for a second factor makes no account without one, and one that asks for none takes none")
    func purposeIsTheBackends() async throws {
        let world = try await DomainFixture.headless()
        let phone = try TestPhone(world, "phone")
        let full = try await phone.claim(try await world.invite())
        #expect(full.shown.secondFactor == .needed)
        #expect(try await world.refusal(of: try phone.finishingBare(full)) == .methodNotAllowed)
        let bare = try await phone.claim(try await world.inviteHeadless(browser: "bare"))
        #expect(try await world.refusal(of: try phone.settingFirstPIN(bare).message) == .methodNotAllowed)
        let tried = try await phone.setFirstPIN(full)
        #expect(try await world.refusal(of: try phone.finishing(bare, tried)) == .methodNotAllowed)
        #expect(try await world.snapshot().accounts.isEmpty)
    }

    @Test("No headless enrolment touches an account that has a second factor: the phone that has it gets a second account beside it")
    func noDowngrade() async throws {
        let world = try await DomainFixture.headless()
        let phone = try await world.enrolledPhone()
        let before = try await world.account(of: phone)
        let invitation = try await world.inviteHeadless(browser: "again")
        let claimed = try await phone.claim(invitation)
        #expect(claimed.shown.accountID != before.id)
        _ = try await phone.finishBare(claimed)
        _ = try await world.confirm(invitation, code: claimed.code)
        #expect(try await world.account(of: phone) == before)
        #expect(try await world.account(claimed.shown.accountID)?.isHeadless == true)
        #expect(try await phone.logIn().result == .loggedIn)
    }
}
