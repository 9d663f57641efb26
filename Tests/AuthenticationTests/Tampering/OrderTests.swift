import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("Messages out of order")
struct OrderTests {
    private func refused(_ world: DomainFixture, _ messages: [(Outgoing, Refusal)]) async throws {
        let before = try await world.snapshot()
        for (message, expected) in messages { #expect(try await world.refusal(of: message) == expected) }
        #expect(try await world.snapshot() == before)
    }

    /// An answer that never came: what a phone would have to make up.
    private func madeUp(_ world: DomainFixture, _ phone: TestPhone) throws -> Claimed {
        let shown = E2(
            accountID: AccountID(using: phone.random), displayName: "", serverAccounts: [], secondFactor: .needed, pinPolicy: .standard,
            serverShare: nil, secondFactorPrekey: nil)
        return Claimed(ephemeral: try phone.ephemeral(), hash: phone.random.bytes(32), shown: shown)
    }

    @Test("Before E1 there is no PIN to set, nothing to decide and nothing to wait for")
    func beforeE1() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        _ = try await world.invite()
        let claimed = try madeUp(world, phone)
        try await refused(
            world,
            [
                (try phone.settingFirstPIN(claimed).message, .enrolmentUnknown), (try phone.declining(claimed), .enrolmentUnknown),
                (try phone.waiting(for: claimed.shown.accountID), .accountUnknown), (try phone.deleting(claimed.shown.accountID), .accountUnknown),
            ])
    }

    @Test("Between E1 and E3 there is nothing to wait for, and no account that could log in")
    func beforeE3() async throws {
        let world = try await DomainFixture()
        var phone = try TestPhone(world, "phone")
        let link = try await world.link()
        let claimed = try await phone.claim(try await world.invite())
        phone.account = claimed.shown.accountID
        let shown = try await phone.look(at: link)
        let unset = Tried(never: try phone.raw.question(.firstSet, sessionHash: phone.random.bytes(32)))
        let proof = try phone.secondFactorSignature(unset, evaluationKey: phone.random.bytes(32))
        let early = E3(
            enrolHash: claimed.hash, decision: .accept, instanceID: phone.instance, attemptID: unset.id, context: .firstSet, epoch: 1,
            secondFactorKey: phone.secondFactorPublicKey, secondFactorSignature: proof)
        try await refused(
            world,
            [
                (try phone.waiting(for: claimed.shown.accountID), .accountUnknown),
                (try phone.openingApp(), .accountUnknown),
                (try phone.trying(shown).message, .accountUnknown),
                (try phone.refusing(shown), .accountUnknown),
                // The PIN was not set: the second-factor server knows nothing of it.
                (phone.outgoing(try Encoded(early, signedBy: phone.sign).bytes, claimed.ephemeral), .secondFactor(.refused)),
            ])
    }

    @Test("After E3 no PIN is set, nothing is declined and no other phone comes in")
    func afterE3() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let invitation = try await world.invite()
        let claimed = try await phone.enrolPending(invitation)
        let messages: [(Outgoing, Refusal)] = [
            (try phone.settingFirstPIN(claimed).message, .enrolmentUnknown), (try phone.declining(claimed), .enrolmentUsed),
            (try phone.claiming(invitation), .enrolmentUsed), (try TestPhone(world, "other").claiming(invitation), .enrolmentUsed),
        ]
        try await refused(world, messages)
        _ = try await world.confirm(invitation, code: claimed.code)
        try await refused(world, messages)
    }

    @Test("Before L1 nothing can be tried or decided, and before the login nothing pinged or stopped")
    func beforeLogin() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let other = try await phone.look(at: try await world.link("other"))
        let session = try await world.link().value.sessionID
        let made = Shown(ephemeral: try phone.ephemeral(), requestHash: phone.random.bytes(32), answer: other.answer)
        let messages: [(Outgoing, Refusal)] = [
            (try phone.trying(made).message, .offerWrong), (try phone.deciding(made, .init(decision: .decline)), .offerWrong),
            (try phone.fresh(Ping(sessionID: session, hold: 0)), .sessionUnknown),
            (try phone.fresh(Stop(sessionID: session, reason: .user)), .sessionUnknown),
        ]
        try await refused(world, messages)
        _ = try await phone.tryPIN(try await phone.look(at: try await world.link()))
        try await refused(world, Array(messages.suffix(2)))
    }

    @Test("A decision with a PIN that was never tried is refused by the second-factor server")
    func decisionBeforeTry() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        let untried = Tried(never: try phone.raw.question(sessionHash: shown.hash(for: try present(phone.account))))
        #expect(try await world.refusal(of: try phone.accepting(shown, untried)) == .secondFactor(.refused))
        #expect(try await world.status().state == .claimed)
    }

    @Test("After the login nothing can be tried or looked at, and after the stop nothing decided")
    func afterLogin() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let link = try await world.link()
        let shown = try await phone.look(at: link)
        let tried = try await phone.tryPIN(shown)
        _ = try await phone.decide(try phone.accepting(shown, tried))
        try await refused(
            world,
            [
                (try phone.trying(shown).message, .sessionOver), (try phone.looking(at: link, via: .scan), .sessionOver),
                (try phone.refusing(shown), .differentDecision),
            ])
        _ = try await phone.stop(shown.content.sessionID)
        try await refused(
            world,
            [
                (try phone.trying(shown).message, .sessionOver), (try phone.looking(at: link, via: .scan), .sessionOver),
                (try phone.refusing(shown), .sessionOver), (try phone.accepting(shown, tried), .sessionOver),
            ])
    }

    @Test("Decisions and tries belong to the ephemeral key of their L1: that of another request is refused")
    func otherEphemeral() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let first = try await phone.look(at: try await world.link())
        let second = try await phone.look(at: try await world.link())
        let mixed = Shown(ephemeral: second.ephemeral, requestHash: first.requestHash, answer: first.answer)
        try await refused(
            world, [(try phone.trying(mixed).message, .offerWrong), (try phone.refusing(mixed), .offerWrong)])
    }
}
