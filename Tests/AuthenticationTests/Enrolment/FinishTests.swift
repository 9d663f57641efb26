import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("E3: the account is made")
struct FinishTests {
    @Test("An account that waits for its code cannot log in, by no way")
    func pending() async throws {
        let world = try await DomainFixture()
        var phone = try TestPhone(world, "phone")
        let invitation = try await world.invite()
        let claimed = try await phone.enrolPending(invitation)
        phone.account = claimed.shown.accountID
        #expect(try await world.account(claimed.shown.accountID)?.state == .pending)
        let shown = try await phone.look(at: try await world.link())
        #expect(try await world.refusal(of: try phone.trying(shown).message) == .accountPending)
        #expect(try await world.refusal(of: try phone.refusing(shown)) == .accountPending)
        #expect(try await world.refusal(of: try phone.openingApp()) == .accountPending)
        #expect(Refusal.accountPending.status == .accountPending)
        #expect(try await world.status("enrolling") == .nobody)
    }

    @Test("The same decision again gives the same account: the same one-time reference and key")
    func repeated() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let invitation = try await world.invite()
        let claimed = try await phone.claim(invitation)
        let tried = try await phone.setFirstPIN(claimed)
        let first = try await phone.finish(claimed, tried)
        let proofs = world.secondFactor.heard.filter { $0 == .proof }.count
        #expect(try await phone.finish(claimed, tried) == first)
        _ = try await world.confirm(invitation, code: claimed.code)
        let later = try await phone.finish(claimed, tried)
        #expect(later.otpKey == first.otpKey && later.otpReference == first.otpReference && later.state == .active)
        #expect(world.secondFactor.heard.filter { $0 == .proof }.count == proofs)
        #expect(try await world.snapshot().accounts.count == 1)
    }

    @Test("Another decision after the account was made is refused")
    func otherDecision() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let claimed = try await phone.claim(try await world.invite())
        let tried = try await phone.setFirstPIN(claimed)
        try await phone.finish(claimed, tried)
        #expect(try await world.refusal(of: try phone.declining(claimed)) == .enrolmentUsed)
    }

    @Test("If the answer of the second-factor server got lost, the same decision makes the account after all")
    func lostReceipt() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let claimed = try await phone.claim(try await world.invite())
        let tried = try await phone.setFirstPIN(claimed)
        let decision = try phone.finishing(claimed, tried)
        world.secondFactor.set { $0.losesAnswers = true }
        #expect(try await world.refusal(of: decision) == .secondFactorUnavailable)
        #expect(try await world.snapshot().accounts.isEmpty)
        world.secondFactor.set { $0.losesAnswers = false }
        #expect(try E4(decoding: try await world.deliver(decision).body).state == .pending)
    }

    @Test("What the phone signs for is what it was shown: the hash of another enrolment is refused")
    func otherHash() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let claimed = try await phone.claim(try await world.invite())
        let other = try await phone.claim(try await world.invite(browser: "other"))
        let mixed = Claimed(ephemeral: claimed.ephemeral, hash: other.hash, shown: claimed.shown)
        let tried = try await phone.setFirstPIN(claimed)
        #expect(try await world.refusal(of: try phone.finishing(mixed, tried)) == .enrolHashWrong)
    }

    @Test("Nobody finishes with the key of another phone")
    func otherKey() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let thief = try TestPhone(world, "thief")
        let claimed = try await phone.claim(try await world.invite())
        let tried = try await phone.setFirstPIN(claimed)
        #expect(try await world.refusal(of: try thief.finishing(claimed, tried)) == .badSignature)
        #expect(try await world.refusal(of: try thief.declining(claimed)) == .badSignature)
    }

    @Test("Without a second factor, or with one that was not set here, there is no account")
    func withoutSecondFactor() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let claimed = try await phone.claim(try await world.invite())
        let tried = try await phone.setFirstPIN(claimed)
        func decision(_ context: SecondFactorContext, epoch: UInt32 = 1, key: Bool = true, signed: Bool = true) throws -> Outgoing {
            let message = E3(
                enrolHash: claimed.hash, decision: .accept, instanceID: phone.instance, attemptID: tried.id, context: context, epoch: epoch,
                secondFactorKey: key ? phone.secondFactorPublicKey : nil,
                secondFactorSignature: signed ? try phone.secondFactorSignature(tried) : nil)
            return phone.outgoing(try Encoded(message, signedBy: phone.sign).bytes, claimed.ephemeral)
        }
        #expect(try await world.refusal(of: try decision(.firstSet, signed: false)) == .methodNotAllowed)
        #expect(try await world.refusal(of: try decision(.firstSet, key: false)) == .instanceWrong)
        #expect(try await world.refusal(of: try decision(.firstSet, epoch: 2)) == .instanceWrong)
        #expect(try await world.refusal(of: try decision(.enrol)) == .instanceWrong)
        for context in [SecondFactorContext.verify, .biometricsAdd, .biometricsRemove, .pinChangeVerify, .pinChangeSet] {
            #expect(try await world.refusal(of: try decision(context)) == .methodNotAllowed)
        }
        #expect(try await world.snapshot().accounts.isEmpty)
    }

    @Test("No first PIN is decided for an instance that is there, and no other account by the PIN of another server's")
    func otherInstance() async throws {
        let world = try await DomainFixture()
        let old = try await world.enrolledPhone()
        let new = try TestPhone(sharing: old)
        let claimed = try await new.claim(try await world.invite("bob", browser: "second"))
        let elsewhere = InstanceID(using: world.random)
        try await world.store.write { rows in
            let epoch = Instance.Epoch(number: 1, serverShare: StoredSecret(SHA([1])), secondFactorKey: new.secondFactorPublicKey)
            try rows.save(Instance(id: elsewhere, server: world.neighbour.server, epochs: [epoch]))
        }
        func decision(_ context: SecondFactorContext, _ instance: InstanceID) throws -> Outgoing {
            let attempt = AttemptID(using: new.random)
            let hash = Transcript.operation(context, instance: instance, epoch: 1, payload: new.publicKey + claimed.hash)
            let proof = Transcript.secondFactorProof(instance: instance, attempt: attempt, context: context, sessionHash: hash)
            let message = E3(
                enrolHash: claimed.hash, decision: .accept, instanceID: instance, attemptID: attempt, context: context, epoch: 1,
                secondFactorKey: context.setsPIN ? new.secondFactorPublicKey : nil,
                secondFactorSignature: edwardsSignature(new.raw.secondFactorKey, .secondFactorProof, proof))
            return new.outgoing(try Encoded(message, signedBy: new.sign).bytes, claimed.ephemeral)
        }
        let heard = world.secondFactor.heard.count
        #expect(try await world.refusal(of: try decision(.firstSet, old.instance)) == .instanceWrong)
        #expect(try await world.refusal(of: try decision(.enrol, elsewhere)) == .instanceWrong)
        #expect(world.secondFactor.heard.count == heard, "the second-factor server is not asked")
    }

    @Test("A PIN that is there already vouches for a second account of the same phone")
    func secondAccount() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let account = try present(phone.account)
        let new = try TestPhone(sharing: phone)
        let invitation = try await world.invite("bob", browser: "second")
        let claimed = try await new.claim(invitation)
        let tried = try await phone.send(try phone.provingForEnrolment(claimed, newKey: new.publicKey, by: account))
        #expect(tried.status == .ok)
        try await new.finish(claimed, tried)
        _ = try await world.confirm(invitation, code: claimed.code)
        let made = try present(try await world.account(claimed.shown.accountID))
        #expect(made.instance == phone.instance && made.userID == "bob" && made.state == .active)
        #expect(try await world.instance(phone.instance)?.receipt?.value.context == .enrol)
    }

    @Test("S4-40 the first PIN makes the instance with its share and its key, and no try is counted for it")
    func firstPIN() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let claimed = try await phone.claim(try await world.invite())
        let tried = try await phone.setFirstPIN(claimed)
        #expect(tried.status == .ok)
        // The share came with the E2; here it would be given to whoever asks.
        #expect(tried.answer.serverShare == nil)
        #expect(tried.evaluation?.evaluationKey != nil)
        try await phone.finish(claimed, tried)
        let instance = try present(try await world.instance(phone.instance))
        let share = StoredSecret(try present(claimed.shown.serverShare))
        #expect(instance.epochs == [.init(number: 1, serverShare: share, secondFactorKey: phone.secondFactorPublicKey)])
        #expect(instance.sequence == AttemptSequence() && instance.receipt == nil)
        #expect(world.secondFactor.tickets.map(\.sequence) == [0])
    }
}
