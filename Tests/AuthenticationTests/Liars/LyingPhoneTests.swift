import Authentication
import OstiaryProtocol
import Testing

/// A phone with true keys that says what it likes: everything decodes and every signature is right, so only a rule of the server can find it out.
@Suite("A phone that lies with true keys")
struct LyingPhoneTests {
    /// An account at the neighbour with the keys of this phone, as if the person had enrolled there too.
    private func neighbour(of phone: TestPhone) async throws -> TestPhone {
        let world = phone.world
        let own = try present(try await world.account(try present(phone.account)))
        let twin = Account(
            id: AccountID(using: world.random), server: world.neighbour.server, userID: own.userID, displayName: own.displayName, device: own.device,
            app: own.app, deviceKey: own.deviceKey, instance: own.instance, createdAt: own.createdAt, otpReference: 99, otpKey: own.otpKey,
            state: .active)
        try await world.store.write { rows in try rows.save(twin) }
        var other = phone
        other.account = twin.id
        return other
    }

    private func refusalAtNeighbour(_ message: Outgoing, _ world: World) async throws -> Refusal {
        try await world.refusal { _ = try await world.deliver(message, at: world.neighbour.server) }
    }

    @Test("A session of one virtual server is neither claimed nor approved by an account of another")
    func sessionOfAnotherServer() async throws {
        let world = try await World()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        let twin = try await neighbour(of: phone)
        let before = try await world.snapshot()
        #expect(try await refusalAtNeighbour(try twin.trying(shown).message, world) == .offerWrong)
        #expect(try await refusalAtNeighbour(try twin.deciding(shown, .init()), world) == .offerWrong)
        #expect(try await refusalAtNeighbour(try twin.refusing(shown), world) == .offerWrong)
        #expect(try await world.snapshot() == before)
        #expect(try await world.status().state == .open)
    }

    @Test("An enrolment that was begun at one virtual server is not gone on with at another")
    func enrolmentOfAnotherServer() async throws {
        let world = try await World()
        let phone = try TestPhone(world, "phone")
        let claimed = try await phone.claim(try await world.invite())
        let tried = try await phone.setFirstPIN(claimed)
        let before = try await world.snapshot()
        let tickets = world.secondFactor.tickets.count
        #expect(try await refusalAtNeighbour(try phone.settingFirstPIN(claimed).message, world) == .enrolmentUnknown)
        #expect(try await refusalAtNeighbour(try phone.finishing(claimed, tried), world) == .enrolmentUnknown)
        #expect(try await refusalAtNeighbour(try phone.declining(claimed), world) == .enrolmentUnknown)
        #expect(try await world.snapshot() == before && world.secondFactor.tickets.count == tickets)
        try await phone.finish(claimed, tried)
    }

    @Test("An account orders no numbers of somebody else's instance, whatever the operation: nobody is kept busy by a stranger")
    func instanceOfAnother() async throws {
        let world = try await World()
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

    @Test("Beside a biometric only the PIN attempt that was evaluated last counts: of an older one nobody knows any more when it was made")
    func olderAttemptBesideABiometric() async throws {
        let world = try await World()
        let phone = try await world.enrolledPhone()
        try await phone.addBiometrics()
        let shown = try await phone.look(at: try await world.link())
        let older = try await phone.tryPIN(shown)
        let newer = try await phone.tryPIN(shown)
        #expect(try await world.refusal(of: try phone.acceptingByBoth(shown, older, madeAt: world.now)) == .attemptMismatch)
        #expect(try await phone.decide(try phone.acceptingByBoth(shown, newer, madeAt: world.now)).result == .loggedIn)
    }

    /// A PIN that was verified, for a new one to be set.
    private func vouched() async throws -> (World, TestPhone, AttemptID) {
        let world = try await World()
        let phone = try await world.enrolledPhone()
        let verified = try await phone.provingByPIN(.pinChangeVerify)
        _ = try await phone.complete(verified)
        return (world, phone, verified.attempt)
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
        let world = try await World()
        let phone = try await world.enrolledPhone()
        var change = try await phone.provingByPIN(.pinChangeVerify)
        change.epoch = 7
        let hash = phone.operationHash(.pinChangeVerify, [], epoch: 7)
        change.secondFactorSignature = edwardsSignature(
            phone.secondFactorKey, .secondFactorProof,
            Transcript.secondFactorProof(instance: phone.instance, attempt: change.attempt, context: .pinChangeVerify, sessionHash: hash))
        #expect(try await world.refusal(of: try phone.changing(change)) == .attemptMismatch)
    }

    @Test("A login by what is remembered brings nothing else: no signature and no attempt that nobody looks at")
    func besideTheCache() async throws {
        let world = try await World { $0.pinTimeout = 10 }
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
}
