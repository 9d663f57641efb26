import OstiaryProtocol
import Testing

@testable import SecondFactor

@Suite("Close, protocol §13")
struct CloseTests {
    private func close(_ situation: Situation, by owner: VirtualServer = RulesFixture.owner) -> Ruling<CloseOutcome> {
        CloseRules.decide(RulesFixture.instanceID, by: owner, in: situation, at: RulesFixture.now, under: .standard)
    }

    @Test("Closing erases the key and the attempts, once; saying it again is harmless")
    func idempotent() {
        let open = Situation(instance: RulesFixture.instance(biometricKey: RulesFixture.biometricKey))
        let decision = close(open)
        let after = decision.applied(to: open)
        #expect(after.instance?.state == .closed && after.instance?.biometricKey == nil)
        #expect(decision.changes.contains(.forgetAttempts(of: RulesFixture.instanceID)))
        #expect(close(after).changes.isEmpty)
        guard case .closed = close(after).outcome, case .closed = close(.empty).outcome else {
            Issue.record("a second Close is not answered as closed")
            return
        }
    }

    @Test("A pending key is dropped too, so that a late proof makes no instance")
    func pending() {
        let held = TicketRules.decide(RulesFixture.firstSet(), in: .empty, at: RulesFixture.now, under: .standard).applied(to: .empty)
        let after = close(held).applied(to: held)
        #expect(after.pending == nil && after.attempt == nil)
    }

    @Test("Another virtual server closes nothing")
    func otherOwner() {
        let held = TicketRules.decide(RulesFixture.firstSet(), in: .empty, at: RulesFixture.now, under: .standard).applied(to: .empty)
        for situation in [Situation(instance: RulesFixture.instance()), held] {
            let decision = close(situation, by: RulesFixture.stranger)
            #expect(decision.changes.isEmpty)
            guard case .refused = decision.outcome else {
                Issue.record("closed by a stranger")
                return
            }
        }
    }
}

@Suite("Reset")
struct ResetTests {
    private let now = RulesFixture.now

    private func blocked() throws -> Situation { Situation(instance: RulesFixture.instance(try RulesFixture.counter(7, 2, penaltyUntil: now + 300))) }

    private func reset(_ situation: Situation, _ source: ResetSource? = nil, at now: Instant = RulesFixture.now) -> Ruling<ResetOutcome> {
        ResetRules.decide(source ?? .message(by: RulesFixture.owner, time: now), in: situation, at: now, under: .standard)
    }

    private func refusal(_ decision: Ruling<ResetOutcome>) -> ResetRefusal? {
        guard case .refused(let refusal, _) = decision.outcome else { return nil }
        return refusal
    }

    @Test("A reset gives the tries back, lifts the penalty, leaves the limit without a PIN, and is written down")
    func grants() throws {
        let situation = try blocked()
        let decision = reset(situation)
        let after = decision.applied(to: situation)
        #expect(after.instance?.counter.failed == 0)
        #expect(after.instance?.counter.penaltyUntil == Instant(0))
        #expect(after.instance?.counter.provenByPIN == 2)
        #expect(
            after.resets == [
                ResetRecord(
                    instanceID: RulesFixture.instanceID, serverID: RulesFixture.owner.id, grantedAt: now, messageTime: now, highest: 7, proven: 2)
            ])
    }

    @Test("The same message again is answered and gives nothing a second time")
    func repeated() throws {
        let situation = try blocked()
        var after = reset(situation).applied(to: situation)
        after.instance?.counter = try RulesFixture.counter(9, 7)
        let again = reset(after, .message(by: RulesFixture.owner, time: now), at: now + 100)
        #expect(again.changes.isEmpty)
        guard case .repeated = again.outcome else {
            Issue.record("not answered as repeated")
            return
        }
    }

    @Test("One reset by message in 24 hours, so that a stolen operator key buys no tries; a command is not limited")
    func dailyLimit() throws {
        let situation = try blocked()
        var after = reset(situation).applied(to: situation)
        after.instance?.counter = try RulesFixture.counter(12, 7)
        #expect(refusal(reset(after, at: now + 86_399)) == .tooMany)
        #expect(refusal(reset(after, at: now + 86_400)) == nil)
        let byCommand = reset(after, .command(for: RulesFixture.owner.id), at: now + 1)
        #expect(refusal(byCommand) == nil)
        var again = byCommand.applied(to: after)
        again.instance?.counter = try RulesFixture.counter(17, 12)
        #expect(refusal(reset(again, at: now + 2)) == .tooMany)
        let none = try Policy(resetsPerDay: 0)
        let forbidden = ResetRules.decide(.message(by: RulesFixture.owner, time: now), in: situation, at: now, under: none)
        #expect(refusal(forbidden) == .tooMany)
    }

    @Test(
        "A reset by message of a phone that is not blocked gives nothing and uses nothing of the day, with no try used, with four, or in a penalty")
    func nothingToLift() throws {
        for counter in [try RulesFixture.counter(7, 7), try RulesFixture.counter(6, 2), try RulesFixture.counter(6, 2, penaltyUntil: now + 300)] {
            let decision = reset(Situation(instance: RulesFixture.instance(counter)))
            let before = RulesFixture.instance(counter)
            let after = decision.applied(to: Situation(instance: before))
            #expect(after.instance?.counter == before.counter && after.instance?.state == before.state && after.resets.isEmpty)
            guard case .notBlocked(let standing) = decision.outcome else {
                Issue.record("\(decision.outcome)")
                return
            }
            #expect(UInt64(standing.tries.failed) == counter.failed)
        }
        var later = reset(Situation(instance: RulesFixture.instance(try RulesFixture.counter(6, 2)))).applied(
            to: Situation(instance: RulesFixture.instance()))
        later.instance?.counter = try RulesFixture.counter(7, 2)
        guard case .granted = reset(later, at: now + 1).outcome else {
            Issue.record("the reset of the day was used up")
            return
        }
    }

    @Test("A Reset that was recorded when there was no block lifts none that comes after it, nor does one that is older than the newest")
    func recorded() throws {
        var rows = Situation(instance: RulesFixture.instance(try RulesFixture.counter(6, 2)))
        rows = reset(rows, .message(by: RulesFixture.owner, time: now)).applied(to: rows)
        rows.instance?.counter = try RulesFixture.counter(7, 2)
        let again = reset(rows, .message(by: RulesFixture.owner, time: now), at: now + 60)
        #expect(again.changes.isEmpty)
        guard case .repeated(let standing) = again.outcome, standing.tries.failed == 5 else {
            Issue.record("\(again.outcome)")
            return
        }
        let older = reset(rows, .message(by: RulesFixture.owner, time: now - 1), at: now + 60)
        #expect(older.changes.isEmpty && refusal(older) == .clock)
        guard case .granted = reset(rows, .message(by: RulesFixture.owner, time: now + 1), at: now + 60).outcome else {
            Issue.record("a new one is not granted")
            return
        }
    }

    @Test("A Reset that was held back until there was a block lifts none, nor does one that was recorded of a server whose clock is ahead")
    func heldBack() throws {
        let used = try #require(Counter(highest: 7, proven: 2, provenByPIN: 2, penaltyUntil: Instant(0), lastSeen: now + 5))
        let rows = Situation(instance: RulesFixture.instance(used))
        let late = reset(rows, .message(by: RulesFixture.owner, time: now), at: now + 6)
        #expect(late.changes.isEmpty && refusal(late) == .clock)
        guard case .granted = reset(rows, .message(by: RulesFixture.owner, time: now + 5), at: now + 6).outcome else {
            Issue.record("one from after the block is not granted")
            return
        }
        var ahead = Situation(instance: RulesFixture.instance(try RulesFixture.counter(6, 2)))
        ahead = reset(ahead, .message(by: RulesFixture.owner, time: now + 100)).applied(to: ahead)
        ahead.instance?.counter = used
        guard case .repeated = reset(ahead, .message(by: RulesFixture.owner, time: now + 100), at: now + 60).outcome else {
            Issue.record("one that was recorded is granted")
            return
        }
    }

    @Test("After the clock of the second-factor server was put right one Reset may be refused, and the next is granted")
    func settled() throws {
        let far = try #require(Counter(highest: 7, proven: 2, provenByPIN: 2, penaltyUntil: Instant(0), lastSeen: now + 3_600))
        let rows = Situation(instance: RulesFixture.instance(far))
        let first = reset(rows, .message(by: RulesFixture.owner, time: now - 1))
        #expect(refusal(first) == .clock)
        guard case .granted = reset(first.applied(to: rows), .message(by: RulesFixture.owner, time: now + 1), at: now + 2).outcome else {
            Issue.record("refused again")
            return
        }
    }

    @Test("A Reset of clocks that ran ahead keeps no later one out when they are right again")
    func clockAhead() throws {
        var rows = Situation(instance: RulesFixture.instance(try RulesFixture.counter(6, 2)))
        let ahead = now + 864_000
        rows = reset(rows, .message(by: RulesFixture.owner, time: ahead), at: ahead).applied(to: rows)
        rows.instance?.counter = try RulesFixture.counter(7, 2)
        guard case .granted = reset(rows, .message(by: RulesFixture.owner, time: now), at: now).outcome else {
            Issue.record("kept out by a clock that was put right")
            return
        }
    }

    @Test("An operator at the machine lifts a penalty, too")
    func commandLiftsPenalty() throws {
        let penalised = Situation(instance: RulesFixture.instance(try RulesFixture.counter(6, 2, penaltyUntil: now + 300)))
        let after = reset(penalised, .command(for: nil)).applied(to: penalised)
        #expect(after.instance?.counter.penaltyUntil == Instant(0) && after.instance?.counter.failed == 0)
    }

    @Test("Resets that are old, foreign, or for an instance that is not there are refused and change nothing")
    func refused() throws {
        let situation = try blocked()
        var closed = situation
        closed.instance?.close()
        let decisions: [(Ruling<ResetOutcome>, ResetRefusal)] = [
            (reset(situation, .message(by: RulesFixture.owner, time: now - 121)), .clock),
            (reset(situation, .message(by: RulesFixture.stranger, time: now)), .otherServer),
            (reset(situation, .command(for: ServerID(using: Filled(1)))), .otherServer),
            (reset(.empty), .unknownInstance), (reset(closed), .closed), (reset(closed, .command(for: nil)), .closed),
        ]
        for (decision, expected) in decisions {
            #expect(refusal(decision) == expected)
            #expect(decision.changes.isEmpty)
        }
    }
}
