import OstiaryProtocol
import Testing

@testable import SecondFactor

@Suite("FIRST_SET, protocol §7")
struct FirstSetTests {
    private let now = RulesFixture.now

    private func decide(_ ticket: ProvenTicket, in situation: Situation, at now: Instant = RulesFixture.now) -> Ruling<TicketOutcome> {
        TicketRules.decide(ticket, in: situation, at: now, under: .standard)
    }

    private func prove(_ proof: ProvenProof, in situation: Situation, at now: Instant = RulesFixture.now) -> Ruling<ProofOutcome> {
        ProofRules.decide(proof, in: situation, at: now, under: .standard) { _ in [1, 2, 3] }
    }

    @Test("A first PIN gets a key of its own, is not counted, and makes no instance yet")
    func holdsAKey() throws {
        let decision = decide(RulesFixture.firstSet(), in: .empty)
        let attempt = try #require(decision.outcome.admitted)
        #expect(attempt.sequence == 0)
        #expect(attempt.newEvaluationKey == RulesFixture.fresh.publicKey)
        let after = decision.applied(to: .empty)
        #expect(after.instance == nil)
        #expect(after.pending?.evaluationKey == RulesFixture.fresh.wrapped)
        #expect(after.pending?.expiresAt == now + 600)
        #expect(decision.outcome.standing.tries.failed == 0)
    }

    @Test("The key of a pending attempt serves the repetition of that attempt and of no other blinded element")
    func oneBlindedElement() {
        let after = decide(RulesFixture.firstSet(), in: .empty).applied(to: .empty)
        let again = decide(RulesFixture.firstSet(freshKey: nil), in: after)
        #expect(again.outcome.admitted == after.attempt)
        guard case .admitted(_, RulesFixture.fresh.wrapped, _) = again.outcome else {
            Issue.record("the repetition has another key")
            return
        }
        let other = RulesFixture.ticket(
            sequence: 0, purpose: .firstSet(deviceKey: RulesFixture.deviceKey), freshKey: RulesFixture.fresh, blindedHash: Filled(1).bytes(32))
        #expect(decide(other, in: after).outcome.refusal == .attemptReused)
    }

    @Test("Another attempt erases the pending key, and the attempt before it is over")
    func replaced() {
        let first = decide(RulesFixture.firstSet(1), in: .empty).applied(to: .empty)
        let second = FreshKey(wrapped: WrappedKey([9]), publicKey: Filled(9).bytes(32))
        let decision = decide(RulesFixture.firstSet(2, freshKey: second), in: Situation(pending: first.pending))
        #expect(decision.changes.contains(.supersede(RulesFixture.attemptID(1))))
        let after = decision.applied(to: first)
        #expect(after.pending?.evaluationKey == second.wrapped)
        var old = first
        old.attempt?.state = .superseded
        old.pending = after.pending
        #expect(decide(RulesFixture.firstSet(1), in: old).outcome.refusal == .superseded)
        #expect(prove(RulesFixture.proof(1, sequence: 0, context: .firstSet), in: old).outcome.refusal == .superseded)
    }

    @Test("A pending id is not taken over by another device key or another virtual server, until it has expired")
    func takenOver() {
        let pending = decide(RulesFixture.firstSet(1), in: .empty).applied(to: .empty).pending
        let otherDevice = RulesFixture.firstSet(2, deviceKey: Filled(0x21).bytes(65))
        #expect(decide(otherDevice, in: Situation(pending: pending)).outcome.refusal == .pendingElsewhere)
        let otherServer = RulesFixture.ticket(
            2, sequence: 0, purpose: .firstSet(deviceKey: RulesFixture.deviceKey), freshKey: RulesFixture.fresh, owner: RulesFixture.stranger)
        #expect(decide(otherServer, in: Situation(pending: pending)).outcome.refusal == .pendingElsewhere)
        let late = RulesFixture.ticket(
            2, sequence: 0, purpose: .firstSet(deviceKey: RulesFixture.deviceKey), madeAt: now + 600, freshKey: RulesFixture.fresh,
            owner: RulesFixture.stranger)
        #expect(decide(late, in: Situation(pending: pending), at: now + 600).outcome.admitted != nil)
    }

    @Test("An id that is there is refused, and a closed one is told as closed")
    func existing() {
        #expect(decide(RulesFixture.firstSet(), in: Situation(instance: RulesFixture.instance())).outcome.refusal == .instanceExists)
        var closed = Situation(instance: RulesFixture.instance())
        closed.instance?.close()
        #expect(decide(RulesFixture.firstSet(), in: closed).outcome.refusal == .closed)
    }

    @Test("Another epoch than 1, or a sequence number, is refused")
    func numbers() {
        #expect(decide(RulesFixture.firstSet(epoch: 2), in: .empty).outcome.refusal == .notAFirstSet)
        #expect(decide(RulesFixture.firstSet(epoch: 0), in: .empty).outcome.refusal == .notAFirstSet)
        #expect(decide(RulesFixture.firstSet(sequence: 1), in: .empty).outcome.refusal == .notAFirstSet)
    }

    @Test("The proof makes the instance, with the pending key, the device key of the payload and a counter at zero")
    func proved() throws {
        let held = decide(RulesFixture.firstSet(), in: .empty).applied(to: .empty)
        let newKey = Filled(0x77).bytes(32)
        let decision = prove(RulesFixture.proof(sequence: 0, context: .firstSet, key: newKey), in: held, at: now + 599)
        #expect(decision.outcome.receipt == [1, 2, 3])
        let after = decision.applied(to: held)
        let instance = try #require(after.instance)
        #expect(after.pending == nil)
        #expect(instance.deviceKeys == [RulesFixture.deviceKey])
        #expect(instance.state == .open(.init(secondFactorKey: newKey, evaluationKey: RulesFixture.fresh.wrapped)))
        #expect(instance.counter == Counter(at: now + 599))
        #expect(instance.lastPIN == now + 599)
        #expect(instance.owner == RulesFixture.owner)
        let ticketAgain = decide(RulesFixture.firstSet(), in: after, at: now + 600)
        #expect(ticketAgain.outcome.admitted == after.attempt)
    }

    @Test("A proof after ten minutes, or without the pending key, makes nothing")
    func tooLate() {
        let held = decide(RulesFixture.firstSet(), in: .empty).applied(to: .empty)
        #expect(prove(RulesFixture.proof(sequence: 0, context: .firstSet), in: held, at: now + 601).outcome.refusal == .tooLate)
        var lost = held
        lost.pending = nil
        #expect(prove(RulesFixture.proof(sequence: 0, context: .firstSet), in: lost).outcome.refusal == .superseded)
    }
}
