import OstiaryProtocol
import Testing

@testable import SecondFactor

/// A clock of the second-factor server that ran ahead for a while, or fell behind, and was put right (protocol §7).
@Suite("A clock that was put right")
struct ClockTests {
    private static let now = RulesFixture.now
    private let now = RulesFixture.now
    /// An hour and ten days, both ways.
    static let jumps: [Int64] = [600, 3_600, 864_000, -600, -3_600, -864_000]

    private static func moved(_ jump: Int64) -> Instant { jump < 0 ? now - jump.magnitude : now + jump.magnitude }

    private func ask(_ ticket: ProvenTicket, _ rows: Situation, at moment: Instant) -> Ruling<TicketOutcome> {
        TicketRules.decide(ticket, in: rows, at: moment, under: .standard)
    }

    private func prove(_ number: UInt8, _ sequence: UInt64, _ rows: Situation, at moment: Instant) -> Ruling<ProofOutcome> {
        ProofRules.decide(RulesFixture.proof(number, sequence: sequence), in: rows, at: moment, under: .standard, signing: RulesFixture.readable)
    }

    /// A whole login; the rows after it.
    private func login(_ number: UInt8, _ sequence: UInt64, _ rows: Situation, at moment: Instant) throws -> Situation {
        var rows = rows
        rows.attempt = nil
        let asked = ask(RulesFixture.ticket(number, sequence: sequence, madeAt: moment), rows, at: moment)
        #expect(asked.outcome.admitted != nil, "\(asked.outcome)")
        rows = asked.applied(to: rows)
        let proved = prove(number, sequence, rows, at: moment + 5)
        #expect(proved.outcome.receipt != nil, "\(proved.outcome)")
        return proved.applied(to: rows)
    }

    @Test("A22: after a login while the clock was wrong, a right PIN is proved by the clock that was put right", arguments: jumps)
    func rightPIN(_ jump: Int64) throws {
        var rows = try login(1, 1, Situation(instance: RulesFixture.instance()), at: Self.moved(jump))
        rows = try login(2, 2, rows, at: now)
        rows = try login(3, 3, rows, at: now + 60)
        #expect(rows.instance?.counter.failed == 0)
    }

    @Test(
        "A clock that is put right between evaluation and proof costs nothing, and one that leaps ahead costs that one try at most", arguments: jumps)
    func leapWithin(_ jump: Int64) throws {
        let open = Situation(instance: RulesFixture.instance())
        let asked = ask(RulesFixture.ticket(1, sequence: 1, madeAt: now), open, at: now).applied(to: open)
        let proved = prove(1, 1, asked, at: Self.moved(jump))
        #expect((proved.outcome.receipt != nil) == (jump < 0))
        #expect(proved.outcome.refusal == (jump < 0 ? nil : .tooLate))
        _ = try login(2, 2, proved.applied(to: asked), at: now + 10)
    }

    /// Rows with a penalty of 30 seconds that a clock ordered which was ahead by so much.
    private func penalised(ahead jump: UInt64) throws -> Situation {
        var rows = Situation(instance: RulesFixture.instance(try RulesFixture.counter(2, 0)))
        let wrong = ask(RulesFixture.ticket(1, sequence: 3, madeAt: now + jump), rows, at: now + jump)
        #expect(wrong.outcome.admitted?.tries.wait == 30)
        rows = wrong.applied(to: rows)
        rows.attempt = nil
        return rows
    }

    @Test(
        "What was left of a penalty when the clock ran ahead is left when it is put right: no more, no less, and it passes",
        arguments: [3_600, 864_000] as [UInt64])
    func penalty(_ jump: UInt64) throws {
        var rows = try penalised(ahead: jump)
        let early = ask(RulesFixture.ticket(2, sequence: 4, madeAt: now), rows, at: now)
        #expect(early.outcome.refusal == .penalised(wait: 30) && early.outcome.standing.tries.wait == 30)
        #expect(early.changes.isEmpty)
        rows.steadyFor = 29
        let later = ask(RulesFixture.ticket(2, sequence: 4, madeAt: now + 29), rows, at: now + 29)
        #expect(later.outcome.refusal == .penalised(wait: 1) && later.outcome.standing.tries.wait == 1)
        rows.steadyFor = 30
        let admitted = try #require(ask(RulesFixture.ticket(2, sequence: 4, madeAt: now + 30), rows, at: now + 30).outcome.admitted)
        #expect(admitted.tries.wait == 300 && admitted.reservedAt == now + 30)
    }

    @Test(
        "A22: a penalty of a clock that ran ahead counts from when it was put right, and does not begin anew for who asks hours after that",
        arguments: [3_600, 864_000] as [UInt64])
    func penaltyLongOver(_ jump: UInt64) throws {
        var rows = try penalised(ahead: jump)
        rows.steadyFor = 1_800
        let moment = now + 1_800
        #expect(ask(RulesFixture.ticket(2, sequence: 4, madeAt: moment), rows, at: moment).outcome.admitted?.tries.wait == 300)
    }

    @Test("A clock that falls back and comes back shortens no penalty, whoever asked in between", arguments: [61, 3_600, 864_000] as [UInt64])
    func thereAndBack(_ fall: UInt64) throws {
        var rows = Situation(instance: RulesFixture.instance(try RulesFixture.counter(3, 0, penaltyUntil: now + 30)))
        let behind = ask(RulesFixture.ticket(1, sequence: 4, madeAt: now - fall), rows, at: now - fall)
        #expect(behind.outcome.refusal == .penalised(wait: 30))
        rows = behind.applied(to: rows)
        let back = ask(RulesFixture.ticket(1, sequence: 4, madeAt: now + 10), rows, at: now + 10)
        #expect(back.outcome.refusal == .penalised(wait: 20))
    }

    @Test("A clock that is set back, as often as one likes, shortens no penalty", arguments: [61, 3_600] as [UInt64])
    func setBack(_ step: UInt64) throws {
        var rows = Situation(instance: RulesFixture.instance(try RulesFixture.counter(3, 0, penaltyUntil: now + 30)))
        for round in 1...5 as ClosedRange<UInt64> {
            let moment = now - round * step
            let asked = ask(RulesFixture.ticket(1, sequence: 4, madeAt: moment), rows, at: moment)
            #expect(asked.outcome.refusal == .penalised(wait: 30))
            rows = asked.applied(to: rows)
        }
    }

    @Test("A moment late on its way is no clock that was put right: within a minute nothing is rewritten")
    func slack() throws {
        let rows = Situation(instance: RulesFixture.instance(try RulesFixture.counter(3, 0, penaltyUntil: now + 30)))
        let asked = ask(RulesFixture.ticket(1, sequence: 4, madeAt: now - 60), rows, at: now - 60)
        #expect(asked.outcome.refusal == .penalised(wait: 30))
        #expect(asked.changes.isEmpty)
    }

    @Test("A PIN_CHANGE_VERIFY of a clock that ran ahead vouches for its five minutes, not until that clock is reached", arguments: jumps)
    func voucher(_ jump: Int64) throws {
        let open = Situation(instance: RulesFixture.instance())
        let then = Self.moved(jump)
        let asked = ask(RulesFixture.ticket(1, sequence: 1, purpose: .pinChangeVerify, madeAt: then), open, at: then).applied(to: open)
        var rows = ProofRules.decide(
            RulesFixture.proof(1, sequence: 1, context: .pinChangeVerify), in: asked, at: then, under: .standard, signing: RulesFixture.readable
        ).applied(to: asked)
        rows.voucher = rows.attempt
        rows.attempt = nil
        let set = RulesFixture.ticket(
            2, sequence: 0, purpose: .pinChangeSet(voucher: RulesFixture.attemptID(1)), epoch: 2, madeAt: now, freshKey: RulesFixture.fresh)
        #expect(ask(set, rows, at: now).outcome.refusal == .notVouchedFor)
        let atOnce = RulesFixture.ticket(
            2, sequence: 0, purpose: .pinChangeSet(voucher: RulesFixture.attemptID(1)), epoch: 2, madeAt: then + 60, freshKey: RulesFixture.fresh)
        #expect(ask(atOnce, rows, at: then + 60).outcome.admitted != nil)
    }

    @Test("A key that a clock ahead left pending keeps no other account of the app from a new PIN")
    func pending() throws {
        let other = Filled(0x21).bytes(65)
        var rows = Situation(instance: RulesFixture.instance(deviceKeys: [RulesFixture.deviceKey, other]))
        rows.pending = PendingKey(
            instanceID: RulesFixture.instanceID, owner: RulesFixture.owner, attemptID: RulesFixture.attemptID(9), deviceKey: other,
            evaluationKey: RulesFixture.wrapped,
            expiresAt: now + 864_600)
        let vouched = ask(RulesFixture.ticket(1, sequence: 1, purpose: .pinChangeVerify), rows, at: now).applied(to: rows)
        rows = ProofRules.decide(
            RulesFixture.proof(1, sequence: 1, context: .pinChangeVerify), in: vouched, at: now, under: .standard, signing: RulesFixture.readable
        ).applied(to: vouched)
        rows.voucher = rows.attempt
        rows.attempt = nil
        let set = RulesFixture.ticket(
            2, sequence: 0, purpose: .pinChangeSet(voucher: RulesFixture.attemptID(1)), epoch: 2, freshKey: RulesFixture.fresh)
        #expect(ask(set, rows, at: now).outcome.admitted != nil)
        rows.pending = PendingKey(
            instanceID: RulesFixture.instanceID, owner: RulesFixture.owner, attemptID: RulesFixture.attemptID(9), deviceKey: other,
            evaluationKey: RulesFixture.wrapped,
            expiresAt: now + 600)
        #expect(ask(set, rows, at: now).outcome.refusal == .pendingElsewhere)
    }

    @Test("The time since the last PIN counts from now at the latest, whatever clock wrote it down")
    func lastPIN() throws {
        let ahead = try login(1, 1, Situation(instance: RulesFixture.instance()), at: now + 864_000)
        #expect(ahead.instance?.lastPIN == now + 864_005)
        #expect(ahead.instance?.settled(at: now).lastPIN == now)
    }

    @Test("A reset that was granted by a clock ten days ahead takes no reset from the day it is put right")
    func resets() throws {
        let blocked = Situation(instance: RulesFixture.instance(try RulesFixture.counter(5, 0)))
        let ahead = ResetRules.decide(.message(by: RulesFixture.owner, time: now + 864_000), in: blocked, at: now + 864_000, under: .standard)
        var rows = ahead.applied(to: blocked)
        rows.instance = blocked.instance
        guard case .granted = ResetRules.decide(.message(by: RulesFixture.owner, time: now), in: rows, at: now, under: .standard).outcome else {
            Issue.record("no reset for ten days")
            return
        }
    }

    @Test("A PIN that vouches while the clock is set back a little is as young as the clock before says, not younger and not older")
    func voucherOfAClockSetBack() throws {
        var counter = Counter(at: now)
        counter.prove(0, at: now + 50)
        var rows = Situation(instance: RulesFixture.instance(counter))
        rows = ask(RulesFixture.ticket(1, sequence: 1, purpose: .pinChangeVerify), rows, at: now).applied(to: rows)
        let proved = ProofRules.decide(
            RulesFixture.proof(1, sequence: 1, context: .pinChangeVerify), in: rows, at: now, under: .standard, signing: RulesFixture.readable)
        rows = proved.applied(to: rows)
        rows.voucher = rows.attempt
        rows.attempt = nil
        let set = RulesFixture.ticket(
            2, sequence: 0, purpose: .pinChangeSet(voucher: RulesFixture.attemptID(1)), epoch: 2, madeAt: now + 320, freshKey: RulesFixture.fresh)
        #expect(ask(set, rows, at: now + 320).outcome.admitted != nil)
        let late = RulesFixture.ticket(
            2, sequence: 0, purpose: .pinChangeSet(voucher: RulesFixture.attemptID(1)), epoch: 2, madeAt: now + 350, freshKey: RulesFixture.fresh)
        #expect(ask(late, rows, at: now + 350).outcome.refusal == .notVouchedFor)
    }
}
