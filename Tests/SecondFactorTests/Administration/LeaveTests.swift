import OstiaryProtocol
import Testing

@testable import SecondFactor

@Suite("Leave, protocol §13")
struct LeaveTests {
    private let other = Filled(0x21).bytes(65)

    private func leave(_ key: [UInt8], _ situation: Situation, by owner: VirtualServer = RulesFixture.owner) -> Ruling<LeaveOutcome> {
        LeaveRules.decide(key, RulesFixture.instanceID, by: owner, in: situation, at: RulesFixture.now, under: .standard)
    }

    @Test("A device key leaves, once: it signs nothing any more, its room is free, the PIN and the other keys stay")
    func leaves() throws {
        let open = Situation(instance: RulesFixture.instance(try RulesFixture.counter(3, 1), deviceKeys: [RulesFixture.deviceKey, other]))
        let after = leave(other, open).applied(to: open)
        #expect(after.instance?.deviceKeys == [RulesFixture.deviceKey])
        #expect(after.instance?.counter == open.instance?.counter)
        #expect(after.instance?.openKeys == open.instance?.openKeys)
        let asked = TicketRules.decide(RulesFixture.ticket(sequence: 4, deviceKey: other), in: after, at: RulesFixture.now, under: .standard)
        #expect(asked.outcome.refusal == .deviceSignature && asked.outcome.refusal?.status == .secondFactorUnknown)
        #expect(leave(other, after).changes.isEmpty && leave(other, .empty).changes.isEmpty)
    }

    @Test("What the key had pending goes with it")
    func pending() throws {
        let pending = PendingKey(
            instanceID: RulesFixture.instanceID, owner: RulesFixture.owner, attemptID: RulesFixture.attemptID(4), deviceKey: other,
            evaluationKey: RulesFixture.wrapped,
            expiresAt: RulesFixture.now + 600)
        let open = Situation(instance: RulesFixture.instance(deviceKeys: [RulesFixture.deviceKey, other]), pending: pending)
        let decision = leave(other, open)
        #expect(decision.changes.contains(.supersede(RulesFixture.attemptID(4))))
        #expect(decision.applied(to: open).pending == nil)
        #expect(leave(RulesFixture.deviceKey, open).applied(to: open).pending == pending)
    }

    @Test("Another virtual server takes no key out")
    func otherOwner() {
        let open = Situation(instance: RulesFixture.instance())
        let decision = leave(RulesFixture.deviceKey, open, by: RulesFixture.stranger)
        #expect(decision.changes.isEmpty)
        guard case .refused = decision.outcome else {
            Issue.record("a stranger took a key out")
            return
        }
    }
}

/// Rows that are older than what the authentication server knows.
@Suite("Restored rows")
struct RestoredRowsTests {
    private let now = RulesFixture.now

    private func ask(_ ticket: ProvenTicket, _ rows: Situation) -> Ruling<TicketOutcome> {
        TicketRules.decide(ticket, in: rows, at: now, under: .standard)
    }

    @Test("A14: rows put back to before five wrong tries are blocked by the numbers alone, and one reset lifts that block")
    func blockOfForgottenTries() throws {
        let old = Situation(instance: RulesFixture.instance())
        let refused = ask(RulesFixture.ticket(sequence: 6), old)
        #expect(refused.outcome.refusal == .blocked)
        var rows = refused.applied(to: old)
        #expect(rows.instance?.counter.highest == 5 && rows.instance?.counter.proven == 0)
        #expect(ask(RulesFixture.ticket(sequence: 6), rows).changes.isEmpty)
        rows = ResetRules.decide(.command(for: nil), in: rows, at: now, under: .standard).applied(to: rows)
        #expect(ask(RulesFixture.ticket(sequence: 6), rows).outcome.admitted != nil)
    }

    @Test("A14: blocked long after the copy: what receipts prove counts for the block too, and one reset lifts it")
    func blockLongAfter() throws {
        let receipt = ReceiptFacts(sequence: 140, byPIN: true)
        let old = Situation(instance: RulesFixture.instance(try RulesFixture.counter(3, 3)))
        let refused = ask(RulesFixture.ticket(sequence: 146, receipt: receipt), old)
        #expect(refused.outcome.refusal == .blocked)
        let rows = refused.applied(to: old)
        let reset = ResetRules.decide(.command(for: nil), in: rows, at: now, under: .standard).applied(to: rows)
        #expect(ask(RulesFixture.ticket(sequence: 146, receipt: receipt), reset).outcome.admitted != nil)
    }

    @Test("Numbers beyond the lifetime are not noted: no reset would help, and nothing is lost to a caller who invents them")
    func inventedNumbers() throws {
        let open = Situation(instance: RulesFixture.instance())
        for sequence in [101, 1_000_000, Counter.limit - 1] as [UInt64] {
            #expect(ask(RulesFixture.ticket(sequence: sequence), open).changes.isEmpty)
        }
        #expect(ask(RulesFixture.ticket(sequence: 100), open).applied(to: open).instance?.counter.highest == 99)
    }

    @Test("More than a hundred numbers after the copy, with a biometric's receipt as the newest: the newest by PIN lifts the rows beside it")
    func bothReceipts() throws {
        let old = Situation(instance: RulesFixture.instance(try RulesFixture.counter(3, 3)))
        let biometric = ReceiptFacts(sequence: 150, byPIN: false)
        #expect(ask(RulesFixture.ticket(sequence: 151, receipt: biometric), old).outcome.refusal == .blocked)
        let both = biometric.joined(with: ReceiptFacts(sequence: 140, byPIN: true))
        let after = ask(RulesFixture.ticket(sequence: 151, receipt: both), old).applied(to: old)
        #expect(after.instance?.counter.highest == 151)
        #expect(after.instance?.counter.proven == 150 && after.instance?.counter.provenByPIN == 140)
    }
}
