import OstiaryProtocol
import Testing

@testable import SecondFactor

@Suite("Ticket rules, protocol §7")
struct TicketRulesTests {
    private let now = RulesFixture.now
    private let open = Situation(instance: RulesFixture.instance())

    private func decide(_ ticket: ProvenTicket, in situation: Situation, at now: Instant = RulesFixture.now) -> Ruling<TicketOutcome> {
        TicketRules.decide(ticket, in: situation, at: now, under: .standard)
    }

    @Test("A try is counted and remembered before it may be evaluated")
    func counts() throws {
        let decision = decide(RulesFixture.ticket(sequence: 1), in: open)
        let attempt = try #require(decision.outcome.admitted)
        #expect(attempt.sequence == 1)
        #expect(attempt.state == .reserved)
        #expect(attempt.expiresAt == now + 720)
        let after = decision.applied(to: open)
        #expect(after.instance?.counter.highest == 1)
        #expect(after.attempt == attempt)
        #expect(
            decision.outcome.standing
                == Standing(
                    highest: 1, epoch: 1, tries: Tries(failed: 1, most: 5, wait: 0, withoutPINLeft: Tries.unlimited)))
    }

    @Test("The same attempt again has the first outcome and changes nothing, though its sealing, time and number differ")
    func repeated() throws {
        let after = decide(RulesFixture.ticket(sequence: 1), in: open).applied(to: open)
        let again = decide(RulesFixture.ticket(sequence: 7, madeAt: now + 300), in: after, at: now + 600)
        #expect(again.outcome.admitted == after.attempt)
        #expect(again.changes.isEmpty)
        #expect(again.outcome.standing.highest == 1)
    }

    @Test("A known attempt with other content is refused and changes nothing")
    func reused() {
        let after = decide(RulesFixture.ticket(sequence: 1), in: open).applied(to: open)
        let others = [
            RulesFixture.ticket(sequence: 2, sessionHash: Filled(9).bytes(32)), RulesFixture.ticket(sequence: 2, blindedHash: Filled(9).bytes(32)),
            RulesFixture.ticket(sequence: 2, epoch: 2), RulesFixture.ticket(sequence: 2, purpose: .enrol(deviceKey: Filled(8).bytes(65))),
        ]
        for other in others {
            let decision = decide(other, in: after)
            #expect(decision.outcome.refusal == .attemptReused)
            #expect(decision.changes.isEmpty)
        }
    }

    @Test("An attempt of another instance cannot be asked for again")
    func attemptOfAnotherInstance() {
        var foreign = decide(RulesFixture.ticket(sequence: 1), in: open).applied(to: open)
        let other = InstanceID(using: Filled(0x11))
        foreign.instance = nil
        #expect(decide(RulesFixture.ticket(sequence: 1, deviceKey: nil, instanceID: other), in: foreign).outcome.refusal == .attemptReused)
    }

    @Test("A time outside the window is refused before anything is counted", arguments: [121, 100_000] as [UInt64])
    func window(_ distance: UInt64) {
        for time in [now - distance, now + distance] {
            let decision = decide(RulesFixture.ticket(sequence: 1, madeAt: time), in: open)
            #expect(decision.outcome.refusal == .clock)
            #expect(decision.changes.isEmpty)
        }
        #expect(decide(RulesFixture.ticket(sequence: 1, madeAt: now - 120), in: open).outcome.admitted != nil)
        #expect(decide(RulesFixture.ticket(sequence: 1, madeAt: now + 120), in: open).outcome.admitted != nil)
    }

    @Test("A closed instance is told as closed, an unknown one as unknown, another epoch as such; in this order")
    func instanceStates() {
        var closed = open
        closed.instance?.close()
        #expect(decide(RulesFixture.ticket(epoch: 2), in: closed).outcome.refusal == .closed)
        #expect(decide(RulesFixture.ticket(deviceKey: nil), in: .empty).outcome.refusal == .unknownInstance)
        let wrong = decide(RulesFixture.ticket(epoch: 2), in: open)
        #expect(wrong.outcome.refusal == .wrongEpoch)
        #expect(wrong.outcome.standing.epoch == 1)
        #expect(wrong.changes.isEmpty)
    }

    @Test("Another virtual server is refused, also one with the same id and another root")
    func owner() {
        #expect(decide(RulesFixture.ticket(owner: RulesFixture.stranger), in: open).outcome.refusal == .otherServer)
        let after = decide(RulesFixture.ticket(), in: open).applied(to: open)
        #expect(decide(RulesFixture.ticket(owner: RulesFixture.stranger), in: after).outcome.refusal == .otherServer)
    }

    @Test("A device key that left, or was never there, is refused even when the attempt is known")
    func deviceKey() {
        let after = decide(RulesFixture.ticket(), in: open).applied(to: open)
        for situation in [open, after] {
            #expect(decide(RulesFixture.ticket(deviceKey: Filled(1).bytes(65)), in: situation).outcome.refusal == .deviceSignature)
            #expect(decide(RulesFixture.ticket(deviceKey: nil), in: situation).outcome.refusal == .deviceSignature)
        }
    }

    @Test("Behind, blocked and penalised change nothing and tell the standing")
    func refusedCounts() throws {
        let behind = decide(RulesFixture.ticket(sequence: 3), in: Situation(instance: RulesFixture.instance(try RulesFixture.counter(3, 1))))
        #expect(behind.outcome.refusal == .behind)
        #expect(behind.outcome.standing.highest == 3)
        let blocked = decide(RulesFixture.ticket(sequence: 6), in: Situation(instance: RulesFixture.instance(try RulesFixture.counter(5, 0))))
        #expect(blocked.outcome.refusal == .blocked)
        #expect(blocked.outcome.standing.tries.failed == 5)
        let counter = try RulesFixture.counter(3, 0, penaltyUntil: now + 20)
        let penalised = decide(RulesFixture.ticket(sequence: 4), in: Situation(instance: RulesFixture.instance(counter)))
        #expect(penalised.outcome.refusal == .penalised(wait: 20))
        #expect(penalised.outcome.standing.tries == Tries(failed: 3, most: 5, wait: 20, withoutPINLeft: Tries.unlimited))
        #expect(decide(RulesFixture.ticket(sequence: Counter.limit), in: open).outcome.refusal == .outOfRange)
        #expect(behind.changes.isEmpty && blocked.changes.isEmpty && penalised.changes.isEmpty)
    }

    @Test("A receipt that knows more lifts old rows before they are judged, and the answer tells the repaired number")
    func repairedByReceipt() throws {
        let restored = Situation(instance: RulesFixture.instance(try RulesFixture.counter(2, 0)))
        let receipt = ReceiptFacts(sequence: 40, byPIN: true)
        #expect(decide(RulesFixture.ticket(sequence: 41), in: restored).outcome.refusal == .blocked)
        let decision = decide(RulesFixture.ticket(sequence: 41, receipt: receipt), in: restored)
        #expect(decision.outcome.admitted?.tries.failed == 1)
        #expect(decision.applied(to: restored).instance?.counter.provenByPIN == 40)
        let behind = decide(RulesFixture.ticket(sequence: 3, receipt: receipt), in: restored)
        #expect(behind.outcome.refusal == .behind)
        #expect(behind.outcome.standing.highest == 40)
        #expect(behind.changes.isEmpty)
    }

    @Test("No more device keys join than an instance holds, but a member may prove itself again")
    func deviceKeyLimit() {
        let full = Situation(instance: RulesFixture.instance(deviceKeys: (0..<UInt8(Instance.deviceKeyLimit)).map { Filled($0).bytes(65) }))
        let key = Filled(5).bytes(65)
        let newcomer = RulesFixture.ticket(purpose: .enrol(deviceKey: Filled(0xFE).bytes(65)), deviceKey: key)
        #expect(decide(newcomer, in: full).outcome.refusal == .tooManyDeviceKeys)
        #expect(decide(RulesFixture.ticket(purpose: .enrol(deviceKey: Filled(7).bytes(65)), deviceKey: key), in: full).outcome.admitted != nil)
    }
}
