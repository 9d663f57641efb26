import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("M1: an attempt is admitted")
struct AdmissionTests {
    private func ready() async throws -> (DomainFixture, TestPhone, Shown) {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let question = try await phone.look(at: try await world.link())
        return (world, phone, question)
    }

    /// M1 with something of it exchanged after the attempt was signed.
    private func m1(
        _ attempt: Try, account: AccountID? = nil, payload: [UInt8]? = nil, sealed: [UInt8]? = nil, signed: Encoded<Attempt>? = nil,
        ephemeral: EphemeralKey? = nil
    ) throws -> Outgoing {
        let message = try M1(decoding: attempt.message.bytes)
        let changed = M1(
            accountID: account ?? message.accountID, attempt: signed ?? message.attempt, payload: payload ?? message.payload,
            sealed: sealed ?? message.sealed, about: message.offer.flatMap { offer in message.sessionID.map { ($0, offer) } })
        return Outgoing(bytes: changed.encoded, ephemeral: ephemeral ?? attempt.message.ephemeral, sentAt: attempt.message.sentAt)
    }

    @Test("Every check comes before the sequence is touched: nothing that is refused leaves a trace or reaches the second-factor server")
    func beforeTheSequence() async throws {
        let (world, phone, shown) = try await ready()
        let thief = try await world.enrolledPhone("eve", name: "thief")
        let good = try phone.trying(shown)
        var other = thief
        other.account = phone.account
        let foreignInstance = try thief.attempt(
            .verify, sessionHash: shown.hash(for: try present(thief.account)), account: try present(thief.account), ephemeral: shown.ephemeral,
            instance: phone.instance, about: shown.question)
        let oldSeal = try phone.trying(shown).sealed.bytes
        let before = try await world.snapshot()
        let heard = world.secondFactor.heard
        let refusals: [(Outgoing, Refusal)] = [
            (try m1(good, ephemeral: try phone.ephemeral()), .attemptMismatch),
            (try m1(good, sealed: oldSeal), .attemptMismatch),
            (try m1(good, payload: [1]), .attemptMismatch),
            (try m1(good, account: AccountID(using: world.random)), .accountUnknown),
            (try m1(good, account: try present(thief.account)), .sessionHashWrong),
            (try other.trying(shown).message, .badSignature),
            (foreignInstance.message, .instanceWrong),
            (try phone.trying(try await unseen(phone, shown)).message, .offerWrong),
            (try phone.trying(shown, epoch: 2).message, .shareGone),
        ]
        for (message, expected) in refusals { #expect(try await world.refusal(of: message) == expected) }
        #expect(try await world.snapshot() == before)
        #expect(world.secondFactor.heard == heard)
        #expect(try await phone.send(good).status == .ok)
    }

    /// The same content under an ephemeral key that the server has not seen.
    private func unseen(_ phone: TestPhone, _ shown: Shown) async throws -> Shown {
        Shown(ephemeral: try phone.ephemeral(), requestHash: shown.requestHash, answer: shown.answer)
    }

    @Test("An attempt that was made too long ago, or in the future, is told to look at the clock", arguments: [121, 1_000] as [UInt64])
    func clock(off: UInt64) async throws {
        let (world, phone, shown) = try await ready()
        let early = try phone.trying(shown)
        world.pass(off)
        let resealed = Outgoing(bytes: early.message.bytes, ephemeral: early.message.ephemeral, sentAt: world.now)
        let before = try await world.snapshot()
        #expect(try await world.refusal(of: resealed) == .clockOff)
        #expect(try await world.snapshot() == before)
        #expect(Refusal.clockOff.status == .clock)
    }

    @Test(
        "An operation without a session is not for the hash of one",
        arguments: [
            SecondFactorContext.biometricsAdd, .biometricsRemove, .pinChangeVerify, .pinChangeSet,
        ])
    func sessionHashOfOperation(context: SecondFactorContext) async throws {
        let (world, phone, shown) = try await ready()
        let account = try present(phone.account)
        let attempt = try phone.attempt(context, sessionHash: shown.hash(for: account), account: account, ephemeral: shown.ephemeral)
        #expect(try await world.refusal(of: attempt.message) == .sessionHashWrong)
    }

    @Test("An operation without a session is begun by the account's own device and by no other: nobody else uses up its tries")
    func operationOfAnotherDevice() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let thief = try await world.enrolledPhone("eve", name: "thief")
        let before = try await world.snapshot()
        let key = try phone.biometricPublicKey()
        for (context, payload) in [(SecondFactorContext.pinChangeVerify, []), (.biometricsAdd, key), (.biometricsRemove, key)] {
            let hash = Transcript.operation(context, instance: phone.instance, epoch: 1, payload: payload)
            let attempt = try thief.attempt(
                context, sessionHash: hash, payload: payload, account: try present(phone.account), ephemeral: try thief.ephemeral(),
                instance: phone.instance)
            #expect(try await world.refusal(of: attempt.message) == .badSignature, "\(context)")
        }
        #expect(try await world.snapshot() == before)
    }

    @Test("A first PIN is set only by the phone that has the enrolment, for what it was shown, under a name that is free")
    func firstPIN() async throws {
        let world = try await DomainFixture()
        let old = try await world.enrolledPhone("bob", name: "old")
        let phone = try TestPhone(world, "phone")
        let thief = try TestPhone(world, "thief")
        let claimed = try await phone.claim(try await world.invite())
        let good = try phone.settingFirstPIN(claimed)
        let before = try await world.snapshot()
        let payload = phone.publicKey + claimed.hash
        let account = claimed.shown.accountID
        let hash = Transcript.operation(.firstSet, instance: phone.instance, epoch: 1, payload: payload)
        let bySomebodyElse = try thief.attempt(
            .firstSet, sessionHash: Transcript.operation(.firstSet, instance: thief.instance, epoch: 1, payload: payload), payload: payload,
            account: account, ephemeral: claimed.ephemeral)
        let epochTwo = Transcript.operation(.firstSet, instance: phone.instance, epoch: 2, payload: payload)
        let refusals: [(Outgoing, Refusal)] = [
            (try m1(good, payload: thief.publicKey + claimed.hash), .attemptMismatch),
            (try m1(good, account: AccountID(using: world.random)), .attemptMismatch),
            (bySomebodyElse.message, .badSignature),
            (try phone.settingFirstPIN(claimed, instance: old.instance).message, .instanceWrong),
            (
                try phone.attempt(.firstSet, sessionHash: SHA([1]), payload: payload, account: account, ephemeral: claimed.ephemeral).message,
                .sessionHashWrong
            ),
            (
                try phone.attempt(
                    .firstSet, sessionHash: epochTwo, payload: payload, account: account, ephemeral: claimed.ephemeral, epoch: 2
                ).message, .attemptMismatch
            ),
            (
                try phone.attempt(.firstSet, sessionHash: hash, payload: payload, account: account, ephemeral: try phone.ephemeral()).message,
                .enrolmentUnknown
            ),
        ]
        for (message, expected) in refusals { #expect(try await world.refusal(of: message) == expected) }
        #expect(try await world.snapshot() == before)
        #expect(try await phone.send(good).status == .ok)
    }

    @Test("A PIN vouches for a new key only by an account of this phone that may log in")
    func enrol() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let other = try await world.enrolledPhone("bob", name: "other")
        let account = try present(phone.account)
        let new = try TestPhone(sharing: phone)
        let claimed = try await new.claim(try await world.invite("carol", browser: "second"))
        func vouch(_ voucher: TestPhone, by account: AccountID) throws -> Outgoing {
            try voucher.provingForEnrolment(claimed, newKey: new.publicKey, by: account).message
        }
        let before = try await world.snapshot()
        #expect(try await world.refusal(of: try vouch(other, by: account)) == .badSignature)
        #expect(try await world.refusal(of: try vouch(new, by: account)) == .badSignature)
        #expect(try await world.refusal(of: try vouch(phone, by: AccountID(using: world.random))) == .accountUnknown)
        #expect(try await world.snapshot() == before)
        _ = try await world.accounts.setBlocked(true, account, at: world.server, by: .backend, now: world.now)
        #expect(try await world.refusal(of: try vouch(phone, by: account)) == .accountBlocked)
    }

    @Test("After the enrolment ran out, nobody sets a PIN for it")
    func enrolmentOver() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let claimed = try await phone.claim(try await world.invite())
        world.pass(601)
        #expect(try await world.refusal(of: try phone.settingFirstPIN(claimed).message) == .enrolmentOld)
        #expect(!world.secondFactor.heard.contains(.ticket))
    }
}
