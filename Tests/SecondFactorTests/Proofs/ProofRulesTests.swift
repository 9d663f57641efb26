import OstiaryProtocol
import Testing

@testable import SecondFactor

@Suite("Proof rules, protocol §7")
struct ProofRulesTests {
    private let now = RulesFixture.now
    private let receipt: [UInt8] = [4, 5, 6]

    private func reserved(_ ticket: ProvenTicket = RulesFixture.ticket(sequence: 1), counter: Counter? = nil) -> Situation {
        let situation = Situation(instance: RulesFixture.instance(counter ?? Counter(at: now)))
        return TicketRules.decide(ticket, in: situation, at: now, under: .standard).applied(to: situation)
    }

    private func decide(_ proof: ProvenProof, in situation: Situation, at now: Instant = RulesFixture.now, receipt: [UInt8]? = nil) -> Ruling<
        ProofOutcome
    > {
        let receipt = receipt ?? self.receipt
        return ProofRules.decide(proof, in: situation, at: now, under: .standard) { _ in receipt }
    }

    @Test("A proof gives the tries back and is kept with its receipt")
    func proves() throws {
        let situation = reserved()
        let decision = decide(RulesFixture.proof(), in: situation, at: now + 60)
        #expect(
            decision.outcome
                == .proved(
                    receipt: receipt, Standing(highest: 1, epoch: 1, tries: Tries(failed: 0, most: 5, wait: 0, withoutPINLeft: Tries.unlimited))))
        let after = decision.applied(to: situation)
        #expect(after.instance?.counter.proven == 1)
        #expect(after.instance?.lastPIN == now + 60)
        let completion = AttemptRecord.Completion(
            method: .pin, at: now + 60, signatureHash: RulesFixture.proof().checked.signatureHash, receipt: receipt)
        #expect(after.attempt?.state == .done(completion))
    }

    @Test("The same proof again has the same receipt, whenever it comes; another signature is refused")
    func repeated() {
        let after = decide(RulesFixture.proof(), in: reserved()).applied(to: reserved())
        let again = decide(RulesFixture.proof(), in: after, at: now + 500, receipt: [9, 9])
        #expect(again.outcome.receipt == receipt)
        #expect(again.changes.isEmpty)
        let other = decide(RulesFixture.proof(signature: Filled(1).bytes(64)), in: after)
        #expect(other.outcome.refusal == .alreadyProved)
        #expect(other.changes.isEmpty)
    }

    @Test("The same signature under another session, context or server does not get the receipt")
    func repeatedElsewhere() {
        let after = decide(RulesFixture.proof(), in: reserved()).applied(to: reserved())
        #expect(decide(RulesFixture.proof(sessionHash: Filled(1).bytes(32)), in: after).outcome.refusal == .attemptMismatch)
        #expect(decide(RulesFixture.proof(context: .enrol), in: after).outcome.refusal == .attemptMismatch)
        #expect(decide(RulesFixture.proof(owner: RulesFixture.stranger), in: after).outcome.refusal == .otherServer)
    }

    @Test("Session hash, context, epoch, number and owner must be those of the attempt")
    func mismatches() {
        let situation = reserved()
        let proofs = [
            RulesFixture.proof(sessionHash: Filled(1).bytes(32)), RulesFixture.proof(context: .enrol), RulesFixture.proof(epoch: 2),
            RulesFixture.proof(sequence: 2),
            RulesFixture.proof(key: Filled(1).bytes(32)),
        ]
        for proof in proofs {
            let decision = decide(proof, in: situation)
            #expect(decision.outcome.refusal == .attemptMismatch)
            #expect(decision.changes.isEmpty)
        }
        #expect(decide(RulesFixture.proof(owner: RulesFixture.stranger), in: situation).outcome.refusal == .otherServer)
        #expect(decide(RulesFixture.proof(2), in: Situation(instance: situation.instance)).outcome.refusal == .unknownAttempt)
    }

    @Test("A proof counts for two minutes by the server's clock, and setting it back does not make it younger")
    func age() {
        let situation = reserved()
        #expect(decide(RulesFixture.proof(), in: situation, at: now + 120).outcome.receipt != nil)
        #expect(decide(RulesFixture.proof(), in: situation, at: now + 121).outcome.refusal == .tooLate)
        var ahead = situation
        ahead.instance?.counter.prove(0, at: now + 200)
        #expect(decide(RulesFixture.proof(), in: ahead, at: now).outcome.refusal == .tooLate)
    }

    @Test("A late proof of an older try leaves the newer tries counted")
    func olderTry() throws {
        var situation = reserved(RulesFixture.ticket(1, sequence: 1))
        let first = try #require(situation.attempt)
        situation.attempt = nil
        for number in 2...3 as ClosedRange<UInt8> {
            situation = TicketRules.decide(RulesFixture.ticket(number, sequence: UInt64(number)), in: situation, at: now, under: .standard)
                .applied(to: situation)
            situation.attempt = nil
        }
        situation.attempt = first
        let after = decide(RulesFixture.proof(1, sequence: 1), in: situation).applied(to: situation)
        #expect(after.instance?.counter.failed == 2)
        #expect(after.instance?.counter.penaltyUntil == now + 30)
    }

    @Test("ENROL adds the device key only with the proof, and proving it twice adds it once")
    func enrol() throws {
        let key = Filled(0x21).bytes(65)
        let situation = reserved(RulesFixture.ticket(sequence: 1, purpose: .enrol(deviceKey: key)))
        #expect(situation.instance?.deviceKeys == [RulesFixture.deviceKey])
        let after = decide(RulesFixture.proof(context: .enrol), in: situation).applied(to: situation)
        #expect(after.instance?.deviceKeys == [RulesFixture.deviceKey, key])
        #expect(after.instance?.counter.proven == 1)
        let second = TicketRules.decide(
            RulesFixture.ticket(2, sequence: 2, purpose: .enrol(deviceKey: key)), in: Situation(instance: after.instance), at: now, under: .standard
        ).applied(to: Situation(instance: after.instance))
        #expect(decide(RulesFixture.proof(2, sequence: 2, context: .enrol), in: second).applied(to: second).instance?.deviceKeys.count == 2)
    }

    @Test("Nothing is proved for a closed instance")
    func closed() {
        var situation = reserved()
        situation.instance?.close()
        #expect(decide(RulesFixture.proof(), in: situation).outcome.refusal == .closed)
    }

    @Test("The receipt names number, key and hash of the signature, and the time of the proof")
    func receiptFields() throws {
        let situation = reserved(RulesFixture.ticket(sequence: 8), counter: try RulesFixture.counter(7, 7))
        let outcome = ProofRules.decide(
            RulesFixture.proof(sequence: 8), in: situation, at: now + 5, under: .standard, signing: RulesFixture.readable
        ).outcome
        let receipt = try Receipt(decoding: try #require(outcome.receipt))
        #expect(receipt.sequence == 8)
        #expect(receipt.secondFactorKey == RulesFixture.secondFactorKey)
        #expect(receipt.signaturesHash == SHA(Filled(0x70).bytes(64)))
        #expect(receipt.lastPIN == now + 5 && receipt.issuedAt == now + 5)
        #expect(receipt.method == .pin && receipt.withoutPIN == 0)
    }
}
