import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("M3: a change of the PIN")
struct PINChangeTests {
    private func prepared() async throws -> (DomainFixture, TestPhone) {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        return (world, phone)
    }

    @Test("Verified by the old PIN: the next epoch has another share and the same second-factor key, and logs in")
    func byPIN() async throws {
        let (world, phone) = try await prepared()
        let old = try await phone.tryPIN(try await phone.look(at: try await world.link("before"))).answer.serverShare
        let verified = try await phone.provingByPIN(.pinChangeVerify)
        #expect(try await phone.complete(verified).epoch == 1)
        let new = try await phone.settingPIN(verified.attempt)
        #expect(new.tried.answer.serverShare != nil && new.tried.answer.serverShare != old)
        #expect(try await phone.complete(new.change).epoch == 2)
        let shown = try await phone.look(at: try await world.link())
        let tried = try await phone.send(try phone.trying(shown, epoch: 2))
        #expect(tried.answer.serverShare == new.tried.answer.serverShare)
        #expect(try await phone.decide(try phone.accepting(shown, tried)).result == .loggedIn)
        let changes = try await world.store.read { rows in try rows.auditEntries(of: world.server, limit: 99) }
        #expect(changes.filter { $0.kind == .pinChanged }.count == 1)
    }

    @Test("Verified by a biometric: a new second-factor key takes the place of the old one, and the biometric has to sign for it")
    func byBiometric() async throws {
        let (world, phone) = try await prepared()
        try await phone.addBiometrics()
        let verified = try phone.provingByBiometric(.pinChangeVerify)
        _ = try await phone.complete(verified)
        let renewed = try phone.rekeyed()
        let new = try await renewed.settingPIN(verified.attempt, byBiometric: true)
        var unsigned = new.change
        unsigned.biometricSignature = nil
        #expect(try await world.refusal(of: try renewed.changing(unsigned)) == .methodNotAllowed)
        unsigned.biometricSignature = try renewed.biometricSignature(
            new.tried.id, .pinChangeSet, new.tried.sessionHash, madeAt: world.now, other: true)
        #expect(try await world.refusal(of: try renewed.changing(unsigned)) == .biometricSignatureWrong)
        #expect(try await renewed.complete(new.change).epoch == 2)
        _ = try await renewed.logIn(epoch: 2)
        let shown = try await phone.look(at: try await world.link("old key"))
        let tried = try await phone.send(try phone.trying(shown, epoch: 2))
        #expect(try await world.refusal(of: try phone.accepting(shown, tried)) == .secondFactorSignatureWrong)
    }

    @Test("A change that the PIN verified cannot bring another second-factor key, nor call itself a biometric's")
    func noOtherKey() async throws {
        let (world, phone) = try await prepared()
        let verified = try await phone.provingByPIN(.pinChangeVerify)
        _ = try await phone.complete(verified)
        let thief = try phone.rekeyed()
        let new = try await thief.settingPIN(verified.attempt)
        let heard = world.secondFactor.heard.count
        #expect(try await world.refusal(of: try thief.changing(new.change)) == .methodNotAllowed)
        var asBiometric = new.change
        asBiometric.method = .bio
        #expect(try await world.refusal(of: try thief.changing(asBiometric)) == .changeNotVouched)
        #expect(world.secondFactor.heard.count == heard)
    }

    @Test("A14: every try at one new PIN is given the same share, whatever vouches for it; the PIN after it has another")
    func oneShare() async throws {
        let (_, phone) = try await prepared()
        let verified = try await phone.provingByPIN(.pinChangeVerify)
        _ = try await phone.complete(verified)
        let first = try await phone.settingPIN(verified.attempt).tried.answer.serverShare
        #expect(try await phone.settingPIN(verified.attempt).tried.answer.serverShare == first)
        let again = try await phone.provingByPIN(.pinChangeVerify)
        _ = try await phone.complete(again)
        #expect(try await phone.settingPIN(again.attempt).tried.answer.serverShare == first)
    }

    @Test("No new PIN without a verification of this account, for another epoch, after five minutes, or a second time")
    func vouching() async throws {
        let (world, phone) = try await prepared()
        let nobody = try phone.trying(.pinChangeSet, AttemptID(using: phone.random).bytes, epoch: 2)
        #expect(try await world.refusal(of: nobody.message) == .changeNotVouched)
        let verified = try await phone.provingByPIN(.pinChangeVerify)
        let early = try phone.trying(.pinChangeSet, verified.attempt.bytes, epoch: 2)
        #expect(try await world.refusal(of: early.message) == .changeNotVouched)
        _ = try await phone.complete(verified)
        for epoch in [UInt32(1), 3] {
            let other = try phone.trying(.pinChangeSet, verified.attempt.bytes, epoch: epoch)
            #expect(try await world.refusal(of: other.message) == .changeNotVouched)
        }
        let new = try await phone.settingPIN(verified.attempt)
        world.pass(PINChange.life)
        #expect(try await world.refusal(of: try phone.trying(.pinChangeSet, verified.attempt.bytes, epoch: 2).message) == .changeNotVouched)
        // What was begun in time may be completed.
        _ = try await phone.complete(new.change)
        #expect(try await world.refusal(of: try phone.trying(.pinChangeSet, verified.attempt.bytes, epoch: 2).message) == .changeNotVouched)
    }

    @Test("The answer to the last step is lost: the new PIN works at once, and the step again is answered")
    func lostAnswer() async throws {
        let (world, phone) = try await prepared()
        let verified = try await phone.provingByPIN(.pinChangeVerify)
        _ = try await phone.complete(verified)
        let new = try await phone.settingPIN(verified.attempt)
        world.secondFactor.set { $0.losesAnswers = true }
        #expect(try await world.refusal(of: try phone.changing(new.change)) == .secondFactorUnavailable)
        world.secondFactor.set { $0.losesAnswers = false }
        // The second-factor server has switched, this one does not know it yet.
        _ = try await phone.logIn(epoch: 2)
        #expect(try await phone.complete(new.change).epoch == 2)
        _ = try await phone.logIn(epoch: 2, "after")
    }

    @Test("The second-factor server refuses the last step: the old PIN works on, and another change succeeds")
    func refusedAtTheEnd() async throws {
        let (world, phone) = try await prepared()
        let verified = try await phone.provingByPIN(.pinChangeVerify)
        _ = try await phone.complete(verified)
        let new = try await phone.settingPIN(verified.attempt)
        var wrong = new.change
        wrong.secondFactorSignature = [UInt8](repeating: 1, count: 64)
        #expect(try await world.refusal(of: try phone.changing(wrong)) == .secondFactor(.refused))
        _ = try await phone.logIn()
        #expect(try await world.status().loggedIn)
        try await phone.changePIN()
        _ = try await phone.logIn(epoch: 2, "after")
        #expect(try await phone.changePIN(from: 2).epoch == 3)
        _ = try await phone.logIn(epoch: 3, "at last")
        let epochs = try await world.store.read { rows in try rows.instance(phone.instance)?.epochs.map(\.number) }
        #expect(epochs == [2, 3])
    }

    @Test("A phone that names the old epoch is told the active one, and nothing is counted")
    func wrongEpoch() async throws {
        let (world, phone) = try await prepared()
        try await phone.changePIN()
        let shown = try await phone.look(at: try await world.link())
        let tried = try await phone.tryPIN(shown)
        #expect(tried.status == .wrongEpoch && tried.answer.epoch == 2 && tried.answer.serverShare == nil)
        #expect(world.secondFactor.truth.counter(of: phone.instance)?.failed == 0)
    }

    @Test("The M3 of a new PIN says what its M1 said: another epoch, another voucher or another account of the phone proves nothing")
    func otherM3() async throws {
        let (world, phone) = try await prepared()
        let second = try await phone.secondAccount()
        let verified = try await phone.provingByPIN(.pinChangeVerify)
        _ = try await phone.complete(verified)
        let good = try await phone.settingPIN(verified.attempt).change
        let heard = world.secondFactor.heard.count
        var (epoch, voucher) = (good, good)
        epoch.epoch = 3
        voucher.payload = AttemptID(using: phone.random).bytes
        #expect(try await world.refusal(of: try phone.changing(epoch)) == .changeNotVouched)
        #expect(try await world.refusal(of: try phone.changing(voucher)) == .changeNotVouched)
        #expect(try await world.refusal(of: try second.changing(good)) == .changeNotVouched)
        #expect(world.secondFactor.heard.count == heard, "the second-factor server is not asked")
        #expect(try await phone.complete(good).epoch == 2)
    }

    @Test("A change that was vouched for anew while it was under way takes no effect, and leaves the newer word alone")
    func vouchedAnew() async throws {
        let (world, phone) = try await prepared()
        let verified = try await phone.provingByPIN(.pinChangeVerify)
        _ = try await phone.complete(verified)
        let good = try await phone.settingPIN(verified.attempt).change
        let instance = try present(try await world.instance(phone.instance))
        let newer = PINChange(
            attempt: AttemptID(using: world.random), account: try present(phone.account), methods: .pin, verifiedAt: world.now, epoch: 1,
            serverShare: try present(instance.pinChange?.serverShare))
        world.secondFactor.set { mishaps in
            mishaps.pause = { type in
                guard type == .proof else { return }
                _ = try? await world.store.write { rows in
                    var instance = try present(try rows.instance(phone.instance))
                    instance.pinChange = newer
                    try rows.save(instance)
                }
            }
        }
        #expect(try await world.refusal(of: try phone.changing(good)) == .changeNotVouched)
        #expect(try await world.instance(phone.instance)?.pinChange == newer)
    }

    @Test("A receipt of a new PIN has no number; one that says a number takes no newer one's place")
    func numberedReceipt() async throws {
        let (world, phone) = try await prepared()
        let verified = try await phone.provingByPIN(.pinChangeVerify)
        _ = try await phone.complete(verified)
        let kept = try await world.instance(phone.instance)?.receipt?.bytes
        world.secondFactor.set { $0.receiptLie = { $0.changed(sequence: 1 << 40) } }
        _ = try await phone.complete(try await phone.settingPIN(verified.attempt).change)
        #expect(try await world.instance(phone.instance)?.receipt?.bytes == kept)
    }
}
