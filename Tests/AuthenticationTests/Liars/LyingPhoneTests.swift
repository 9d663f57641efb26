import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

/// A phone with true keys that says what it likes: everything decodes and every signature is right, so only a rule of the server can find it out.
@Suite("A phone that lies with true keys")
struct LyingPhoneTests {
    @Test("A session of one virtual server is neither claimed nor approved by an account of another")
    func sessionOfAnotherServer() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        let twin = try await phone.atNeighbour()
        let before = try await world.snapshot()
        #expect(try await world.refusalAtNeighbour(of: try twin.trying(shown).message) == .offerWrong)
        #expect(try await world.refusalAtNeighbour(of: try twin.deciding(shown, .init())) == .offerWrong)
        #expect(try await world.refusalAtNeighbour(of: try twin.refusing(shown)) == .offerWrong)
        #expect(try await world.snapshot() == before)
        #expect(try await world.status().state == .open)
        _ = try await phone.decide(try phone.accepting(shown, try await phone.tryPIN(shown)))
        let session = shown.content.sessionID
        #expect(try await world.refusalAtNeighbour(of: try twin.fresh(Ping(sessionID: session, hold: 0))) == .sessionUnknown)
        #expect(try await world.refusalAtNeighbour(of: try twin.fresh(Stop(sessionID: session, reason: .user))) == .sessionUnknown)
        #expect(try await world.status().loggedIn)
    }

    @Test("An enrolment that was begun at one virtual server is not gone on with at another")
    func enrolmentOfAnotherServer() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let claimed = try await phone.claim(try await world.invite())
        let tried = try await phone.setFirstPIN(claimed)
        let before = try await world.snapshot()
        let tickets = world.secondFactor.tickets.count
        #expect(try await world.refusalAtNeighbour(of: try phone.settingFirstPIN(claimed).message) == .enrolmentUnknown)
        #expect(try await world.refusalAtNeighbour(of: try phone.finishing(claimed, tried)) == .enrolmentUnknown)
        #expect(try await world.refusalAtNeighbour(of: try phone.declining(claimed)) == .enrolmentUnknown)
        #expect(try await world.snapshot() == before && world.secondFactor.tickets.count == tickets)
        try await phone.finish(claimed, tried)
    }

    @Test("An account orders no numbers of somebody else's instance, whatever the operation: nobody is kept busy by a stranger")
    func instanceOfAnother() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let other = try await world.enrolledPhone("bob", name: "other")
        let before = try await world.snapshot()
        let key = try phone.biometricPublicKey()
        for (context, payload) in [(SecondFactorContext.pinChangeVerify, []), (.biometricsAdd, key), (.biometricsRemove, key)] {
            let hash = Transcript.operation(context, instance: other.instance, epoch: 1, payload: payload)
            let attempt = try phone.attempt(
                context, sessionHash: hash, payload: payload, account: try present(phone.account), ephemeral: try phone.ephemeral(),
                instance: other.instance)
            #expect(try await world.refusal(of: attempt.message) == .instanceWrong, "\(context)")
        }
        #expect(try await world.snapshot() == before)
    }

    @Test("Nor does an account whose phone enrols once more: it vouches by its own instance")
    func instanceOfAnotherAtEnrolment() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let other = try await world.enrolledPhone("bob", name: "other")
        let new = try TestPhone(sharing: phone)
        let claimed = try await new.claim(try await world.invite("carol", browser: "second"))
        let payload = new.publicKey + claimed.hash
        let hash = Transcript.operation(.enrol, instance: other.instance, epoch: 1, payload: payload)
        let attempt = try phone.attempt(
            .enrol, sessionHash: hash, payload: payload, account: try present(phone.account), ephemeral: claimed.ephemeral,
            instance: other.instance)
        let before = try await world.snapshot()
        #expect(try await world.refusal(of: attempt.message) == .instanceWrong)
        #expect(try await world.snapshot() == before)
    }

    @Test("The PIN of an instance at one server is tried for no account at another, not even of the same phone")
    func instanceOfAnotherServer() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let twin = try await phone.atNeighbour()
        let verified = try await phone.provingByPIN(.pinChangeVerify)
        _ = try await phone.complete(verified)
        let before = try await world.snapshot()
        let tickets = world.secondFactor.tickets.count
        #expect(try await world.refusalAtNeighbour(of: try twin.trying(.pinChangeVerify, []).message) == .instanceWrong)
        #expect(try await world.refusalAtNeighbour(of: try twin.trying(.pinChangeSet, verified.attempt.bytes, epoch: 2).message) == .instanceWrong)
        #expect(try await world.snapshot() == before && world.secondFactor.tickets.count == tickets)
    }

    @Test("Beside a biometric only the PIN attempt that was evaluated last counts: of an older one nobody knows any more when it was made")
    func olderAttemptBesideABiometric() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await phone.addBiometrics()
        let shown = try await phone.look(at: try await world.link())
        let older = try await phone.tryPIN(shown)
        let newer = try await phone.tryPIN(shown)
        #expect(try await world.refusal(of: try phone.acceptingByBoth(shown, older, madeAt: world.now)) == .attemptMismatch)
        #expect(try await phone.decide(try phone.acceptingByBoth(shown, newer, madeAt: world.now)).result == .loggedIn)
    }

    /// A PIN that was verified, for a new one to be set.
    private func vouched() async throws -> (DomainFixture, TestPhone, AttemptID) {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let verified = try await phone.provingByPIN(.pinChangeVerify)
        _ = try await phone.complete(verified)
        return (world, phone, verified.attempt)
    }

    /// A point under which the signature that it begins is right for every message, as any wrong PIN could send it.
    private static let keyOfNobody: [UInt8] = [1] + [UInt8](repeating: 0, count: 31)
    private static let signatureOfNobody = keyOfNobody + [UInt8](repeating: 0, count: 32)

    @Test("A36: no first PIN is set with a key under which any signature is right: no wrong PIN logs in later")
    func firstPINOfNobody() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let claimed = try await phone.claim(try await world.invite())
        let tried = try await phone.setFirstPIN(claimed)
        let message = E3(
            enrolHash: claimed.hash, decision: .accept, instanceID: phone.instance, attemptID: tried.id, context: .firstSet, epoch: 1,
            secondFactorKey: Self.keyOfNobody, secondFactorSignature: Self.signatureOfNobody)
        let heard = world.secondFactor.heard.count
        let lie = phone.outgoing(try Encoded(message, signedBy: phone.sign).bytes, claimed.ephemeral)
        #expect(try await world.refusal(of: lie) == .secondFactorKeyWrong)
        #expect(world.secondFactor.heard.count == heard, "the second-factor server is not asked")
        try await phone.finish(claimed, tried)
    }

    @Test("A36: nor does a biometric set a new PIN with such a key")
    func newPINOfNobody() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await phone.addBiometrics()
        let verified = try phone.provingByBiometric(.pinChangeVerify)
        _ = try await phone.complete(verified)
        let good = try await phone.rekeyed().settingPIN(verified.attempt, byBiometric: true).change
        var lie = good
        (lie.secondFactorKey, lie.secondFactorSignature) = (Self.keyOfNobody, Self.signatureOfNobody)
        #expect(try await world.refusal(of: try phone.changing(lie)) == .secondFactorKeyWrong)
        #expect(try await phone.complete(good).epoch == 2)
    }

    @Test("A change of the PIN brings what its method asks for and nothing beside it")
    func superfluous() async throws {
        let (world, phone, voucher) = try await vouched()
        let good = try await phone.settingPIN(voucher).change
        var biometric = good
        biometric.biometricSignature = [UInt8](repeating: 7, count: 64)
        #expect(try await world.refusal(of: try phone.changing(biometric)) == .methodNotAllowed)
        var attempt = good
        let hash = phone.operationHash(.pinChangeSet, voucher.bytes, epoch: 2)
        attempt.ownAttempt = try phone.signed(phone.ownAttempt(.pinChangeSet, hash, good.ephemeral, epoch: 2))
        #expect(try await world.refusal(of: try phone.changing(attempt)) == .methodNotAllowed)
        #expect(try await phone.complete(good).epoch == 2)
    }

    @Test("Only the newest of the new PINs that were tried is taken: the key of an older one is gone")
    func olderNewPIN() async throws {
        let (world, phone, voucher) = try await vouched()
        let older = try await phone.settingPIN(voucher).change
        let newer = try await phone.settingPIN(voucher).change
        let heard = world.secondFactor.heard.count
        #expect(try await world.refusal(of: try phone.changing(older)) == .changeNotVouched)
        #expect(world.secondFactor.heard.count == heard, "the second-factor server is not asked")
        #expect(try await phone.complete(newer).epoch == 2)
    }

    @Test("An M3 that names another epoch than the one that was tried proves nothing, even if the opened box signed it")
    func otherEpoch() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        var change = try await phone.provingByPIN(.pinChangeVerify)
        change.epoch = 7
        let hash = phone.operationHash(.pinChangeVerify, [], epoch: 7)
        change.secondFactorSignature = edwardsSignature(
            phone.raw.secondFactorKey, .secondFactorProof,
            Transcript.secondFactorProof(instance: phone.instance, attempt: change.attempt, context: .pinChangeVerify, sessionHash: hash))
        #expect(try await world.refusal(of: try phone.changing(change)) == .attemptMismatch)
    }

    @Test("A login by what is remembered brings nothing else: no signature and no attempt that nobody looks at")
    func besideTheCache() async throws {
        let world = try await DomainFixture { $0.pinTimeout = 10 }
        let phone = try await world.enrolledPhone()
        let cache = try present(try await phone.logIn().cache)
        let shown = try await phone.look(at: try await world.link("next"))
        let own = try phone.signed(phone.ownAttempt(.verify, shown.hash(for: try present(phone.account)), shown.ephemeral))
        let signature = [UInt8](repeating: 7, count: 64)
        for choice in [
            TestPhone.Choice(method: .cached, ownAttempt: own, cache: cache),
            TestPhone.Choice(method: .cached, secondFactorSignature: signature, cache: cache),
            TestPhone.Choice(method: .cached, biometricSignature: signature, cache: cache),
        ] {
            #expect(try await world.refusal(of: try phone.deciding(shown, choice)) == .methodNotAllowed)
        }
        #expect(try await phone.decide(try phone.acceptingByCache(shown, cache)).result == .loggedIn)
    }

    @Test("A login brings no number: none is asked for, so that none is taken which nobody compares")
    func number() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        let good = try phone.accepting(shown, try await phone.tryPIN(shown))
        // The place of the empty number is the one where "42" can be read as a number and everything else stays.
        let numbered = try present(
            good.bytes.indices.lazy.compactMap { index -> L5? in
                var bytes = good.bytes
                bytes.replaceSubrange(index...index, with: [2] + Array("42".utf8))
                guard let read = try? L5(decoding: bytes), read.number == "42", read.offer?.bytes == shown.content.offer.bytes else { return nil }
                return read
            }.first)
        let message = phone.outgoing(try Encoded(numbered, signedBy: phone.sign).bytes, shown.ephemeral)
        #expect(try await world.refusal(of: message) == .methodNotAllowed)
        #expect(try await phone.decide(good).result == .loggedIn)
    }
}
