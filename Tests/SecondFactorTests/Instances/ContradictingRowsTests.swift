import OstiaryProtocol
import Testing

@testable import SecondFactor

/// The rows are read again when a decision is made, and may be others than those that the signatures were verified against.
@Suite("Rows that changed meanwhile, or that contradict each other")
struct ContradictingRowsTests {
    private let now = RulesFixture.now

    private func record(
        _ number: UInt8 = 1, instance: InstanceID = RulesFixture.instanceID, owner: VirtualServer = RulesFixture.owner, purpose: Purpose = .verify,
        epoch: UInt32 = 1, sequence: UInt64 = 1, blindedHash: [UInt8] = Filled(0x61).bytes(32), newKey: [UInt8]? = nil,
        vouchedBy method: Methods? = nil, state: AttemptRecord.State = .reserved
    ) -> AttemptRecord {
        AttemptRecord(
            id: RulesFixture.attemptID(number), instanceID: instance, owner: owner, sessionHash: Filled(0x60).bytes(32), purpose: purpose,
            epoch: epoch,
            blindedHash: blindedHash, sequence: sequence, madeAt: now, reservedAt: now, expiresAt: now + 720, tries: .none, newEvaluationKey: newKey,
            vouchedBy: method, state: state)
    }

    private func pending(of number: UInt8) -> PendingKey {
        PendingKey(
            instanceID: RulesFixture.instanceID, owner: RulesFixture.owner, attemptID: RulesFixture.attemptID(number),
            deviceKey: RulesFixture.deviceKey,
            evaluationKey: RulesFixture.fresh.wrapped, expiresAt: now + 600)
    }

    private func ask(_ ticket: ProvenTicket, _ rows: Situation) -> Ruling<TicketOutcome> {
        TicketRules.decide(ticket, in: rows, at: now, under: .standard)
    }

    private func prove(_ proof: ProvenProof, _ rows: Situation) -> Ruling<ProofOutcome> {
        ProofRules.decide(proof, in: rows, at: now, under: .standard, signing: RulesFixture.readable)
    }

    private func expect(_ decision: Ruling<ProofOutcome>, _ refusal: ProofRefusal, at location: SourceLocation = #_sourceLocation) {
        #expect(decision.outcome.refusal == refusal, sourceLocation: location)
        #expect(decision.changes.isEmpty, sourceLocation: location)
    }

    @Test("A try that was counted under a former PIN is never evaluated under the key of the next: its phone is told that the PIN is another one now")
    func formerEpoch() {
        let next = RulesFixture.instance(epoch: 2)
        let lost = ask(RulesFixture.ticket(), Situation(instance: next, attempt: record()))
        #expect(lost.outcome.refusal == .wrongEpoch && lost.outcome.standing.epoch == 2 && lost.changes.isEmpty)
        let held = Situation(instance: next, attempt: record(), pending: pending(of: 2))
        #expect(ask(RulesFixture.ticket(), held).outcome.refusal == .wrongEpoch)
    }

    @Test("A key that was made for another attempt evaluates none of before, whether the instance is there yet or not")
    func othersKey() {
        let first = Purpose.firstSet(deviceKey: RulesFixture.deviceKey)
        let attempt = record(purpose: first, sequence: 0, newKey: RulesFixture.fresh.publicKey)
        let ticket = RulesFixture.ticket(sequence: 0, purpose: first)
        #expect(ask(ticket, Situation(attempt: attempt, pending: pending(of: 2))).outcome.refusal == .superseded)
        #expect(ask(ticket, Situation(attempt: attempt)).outcome.refusal == .superseded)
    }

    @Test("An attempt that another took the place of is over, also where its key were still there")
    func supersededWithKey() {
        let first = Purpose.firstSet(deviceKey: RulesFixture.deviceKey)
        let rows = Situation(
            attempt: record(purpose: first, sequence: 0, newKey: RulesFixture.fresh.publicKey, state: .superseded), pending: pending(of: 1))
        #expect(ask(RulesFixture.firstSet(), rows).outcome.refusal == .superseded)
    }

    @Test("Before there is an instance a known attempt answers its own virtual server alone")
    func ownerWithoutInstance() {
        let first = Purpose.firstSet(deviceKey: RulesFixture.deviceKey)
        let rows = Situation(
            attempt: record(purpose: first, sequence: 0, newKey: RulesFixture.fresh.publicKey), pending: pending(of: 1))
        let own = RulesFixture.ticket(sequence: 0, purpose: first)
        #expect(ask(own, rows).outcome.admitted != nil)
        #expect(ask(RulesFixture.ticket(sequence: 0, purpose: first, owner: RulesFixture.stranger), rows).outcome.refusal == .attemptReused)
    }

    @Test("A proof is of the attempt and of the instance that it names")
    func namedAttempt() {
        expect(prove(RulesFixture.proof(), Situation(instance: RulesFixture.instance(), attempt: record(2))), .attemptMismatch)
        let elsewhere = record(instance: InstanceID(using: Filled(0x11)))
        expect(prove(RulesFixture.proof(), Situation(instance: RulesFixture.instance(), attempt: elsewhere)), .attemptMismatch)
    }

    @Test("A first PIN is not proved with another attempt's key, nor over an instance that came meanwhile")
    func firstSet() {
        let attempt = record(purpose: .firstSet(deviceKey: RulesFixture.deviceKey), sequence: 0, newKey: RulesFixture.fresh.publicKey)
        let proof = RulesFixture.proof(sequence: 0, context: .firstSet)
        expect(prove(proof, Situation(attempt: attempt, pending: pending(of: 2))), .superseded)
        expect(prove(proof, Situation(instance: RulesFixture.instance(), attempt: attempt, pending: pending(of: 1))), .instanceExists)
        #expect(prove(proof, Situation(attempt: attempt, pending: pending(of: 1))).outcome.receipt != nil)
    }

    @Test("A change of the PIN opens the next epoch and no other, and after the last epoch there is none")
    func nextEpoch() {
        func decide(_ epoch: UInt32, in instance: UInt32) -> Ruling<ProofOutcome> {
            let attempt = record(
                purpose: .pinChangeSet(voucher: RulesFixture.attemptID(9)), epoch: epoch, sequence: 0, newKey: RulesFixture.fresh.publicKey,
                vouchedBy: .pin)
            let rows = Situation(instance: RulesFixture.instance(epoch: instance), attempt: attempt, pending: pending(of: 1))
            return prove(RulesFixture.proof(sequence: 0, context: .pinChangeSet, epoch: epoch), rows)
        }
        #expect(decide(2, in: 1).outcome.receipt != nil)
        for epoch in [1, 3] as [UInt32] { expect(decide(epoch, in: 1), .attemptMismatch) }
        expect(decide(2, in: 2), .attemptMismatch)
        expect(decide(.max, in: .max), .attemptMismatch)
        let voucher = record(9, purpose: .pinChangeVerify, epoch: .max)
        let rows = Situation(instance: RulesFixture.instance(epoch: .max), voucher: voucher)
        let ticket = RulesFixture.ticket(2, sequence: 0, purpose: .pinChangeSet(voucher: voucher.id), epoch: .max, freshKey: RulesFixture.fresh)
        #expect(ask(ticket, rows).outcome.refusal == .wrongEpoch)
    }

    @Test("An instance that filled up between question and proof takes no further device key")
    func filledUp() {
        let newcomer = Filled(0xFE).bytes(65)
        let keys = (0..<UInt8(Instance.deviceKeyLimit)).map { Filled($0).bytes(65) }
        let rows = Situation(instance: RulesFixture.instance(deviceKeys: keys), attempt: record(purpose: .enrol(deviceKey: newcomer)))
        expect(prove(RulesFixture.proof(context: .enrol), rows), .tooManyDeviceKeys)
    }

    @Test("A biometric gets no receipt of a PIN's attempt, of another instance's, or of another attempt")
    func biometricRepeats() {
        let done = AttemptRecord.State.done(.init(method: .pin, at: now, signatureHash: [], receipt: [1]))
        let instance = RulesFixture.instance(biometricKey: RulesFixture.biometricKey)
        let others = [
            record(state: done), record(instance: InstanceID(using: Filled(0x11)), blindedHash: CheckedBiometric.noHash, state: done),
            record(2, blindedHash: CheckedBiometric.noHash, state: done),
        ]
        for known in others {
            let rows = Situation(instance: instance, attempt: known)
            let decision = BiometricRules.decide(RulesFixture.biometric(), in: rows, at: now, under: .standard, signing: RulesFixture.readable)
            expect(decision, .alreadyProved)
        }
        let own = record(blindedHash: CheckedBiometric.noHash, state: done)
        let again = BiometricRules.repeated(
            RulesFixture.biometric().checked, in: Situation(instance: instance, attempt: own), at: now, under: .standard)
        guard case .proved(receipt: [1], _)? = again else {
            Issue.record("the biometric's own attempt is not told again")
            return
        }
    }

    @Test("What a refused try leaves behind never takes the highest number back, nor beyond every number")
    func noting() throws {
        #expect(try RulesFixture.counter(5, 0).noting(refused: 3, under: .standard) == nil)
        #expect(try RulesFixture.counter(5, 0).noting(refused: 5, under: .standard) == nil)
        #expect(try RulesFixture.counter(5, 0).noting(refused: 8, under: .standard)?.highest == 7)
        let last = try RulesFixture.counter(Counter.limit - 1, Counter.limit - 2)
        #expect(last.noting(refused: Counter.limit, under: .standard) == nil && last.noting(refused: Counter.limit + 9, under: .standard) == nil)
    }

    @Test("Nobody waits before the first failed try")
    func noFailure() { #expect(Policy.standard.penalty(afterFailures: 0) == 0) }
}
