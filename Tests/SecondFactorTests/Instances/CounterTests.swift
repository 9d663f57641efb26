import OstiaryProtocol
import Testing

@testable import SecondFactor

@Suite("Counter")
struct CounterTests {
    private let policy = Policy.standard
    private let now = RulesFixture.now

    /// Tries one after the other, each as soon as the penalty allows; answers the failed tries after each and when each was made.
    private func failing(_ times: Int, from counter: Counter) throws -> (Counter, [(failed: UInt64, at: Instant)]) {
        var counter = counter
        var history: [(UInt64, Instant)] = []
        var clock = now
        for _ in 0..<times {
            clock = max(clock, counter.penaltyUntil)
            guard case .counted(let next) = counter.admit(counter.highest + 1, at: clock, under: policy) else { throw NoSuchCounter() }
            counter = next
            history.append((counter.failed, clock))
        }
        return (counter, history)
    }

    @Test("S4-57, S4-59: wrong tries are counted one by one, and after the fifth the instance is blocked")
    func blockedAfterFive() throws {
        let (counter, history) = try failing(5, from: Counter(at: now))
        #expect(history.map(\.failed) == [1, 2, 3, 4, 5])
        let later = now + 1_000_000
        #expect(counter.admit(6, at: later, under: policy) == .blocked)
        #expect(RulesFixture.instance(counter).tries(at: later, under: policy) == Tries(failed: 5, most: 5, wait: 0, withoutPINLeft: Tries.unlimited))
    }

    @Test("S4-61: the third wrong try costs 30 s, the fourth 5 min")
    func penalties() throws {
        let (_, history) = try failing(5, from: Counter(at: now))
        #expect(history.map { $0.at.seconds - now.seconds } == [0, 0, 0, 30, 330])
    }

    @Test("S4-63, S4-64: a try during a penalty is not counted, and the wait told grows shorter")
    func triesDuringPenalty() throws {
        let (counter, _) = try failing(3, from: Counter(at: now))
        #expect(counter.admit(4, at: now + 1, under: policy) == .penalised(wait: 29))
        #expect(counter.admit(4, at: now + 29, under: policy) == .penalised(wait: 1))
        #expect(RulesFixture.instance(counter).tries(at: now + 12, under: policy).wait == 18)
        guard case .counted(let next) = counter.admit(4, at: now + 30, under: policy) else { throw NoSuchCounter() }
        #expect(next.failed == 4)
    }

    @Test("A success gives all tries back and lifts the penalty")
    func success() throws {
        var (counter, _) = try failing(4, from: Counter(at: now))
        counter.prove(4, at: now)
        #expect(counter.failed == 0)
        #expect(counter.penaltyUntil == Instant(0))
        let (after, _) = try failing(5, from: counter)
        #expect(after.highest == 9)
    }

    @Test("A late proof of an older try leaves the newer tries counted, and their penalty")
    func lateProof() throws {
        var (counter, _) = try failing(3, from: Counter(at: now))
        counter.prove(1, at: now)
        #expect(counter.failed == 2)
        #expect(counter.penaltyUntil == now + 30)
        counter.prove(1, at: now)
        #expect(counter.failed == 2)
    }

    @Test("A number that is not above the highest is behind, whatever else holds", arguments: [0, 1, 3] as [UInt64])
    func behind(_ sequence: UInt64) throws {
        #expect(try RulesFixture.counter(3, 0).admit(sequence, at: now, under: policy) == .behind)
    }

    @Test("A gap in the numbers counts as failed tries, so skipping buys nothing")
    func gaps() throws {
        guard case .counted(let counter) = Counter(at: now).admit(5, at: now, under: policy) else { throw NoSuchCounter() }
        #expect(counter.failed == 5)
        #expect(Counter(at: now).admit(6, at: now, under: policy) == .blocked)
    }

    @Test("Numbers reach no overflow: at the limit they are refused, below it they are blocked", arguments: [0, 62] as [UInt64])
    func extremes(_ highest: UInt64) throws {
        let counter = try RulesFixture.counter(highest, highest)
        #expect(counter.admit(.max, at: now, under: policy) == .outOfRange)
        #expect(counter.admit(Counter.limit, at: now, under: policy) == .outOfRange)
        #expect(counter.admit(Counter.limit - 1, at: Instant(.max), under: policy) == .blocked)
        let full = try RulesFixture.counter(Counter.limit - 1, Counter.limit - 1)
        #expect(full.admit(Counter.limit - 1, at: now, under: policy) == .behind)
    }

    @Test("A stored counter that cannot be is refused")
    func impossibleRows() {
        let zero = Instant(0)
        #expect(Counter(highest: 1, proven: 2, provenByPIN: 0, penaltyUntil: zero, lastSeen: zero) == nil)
        #expect(Counter(highest: 2, proven: 1, provenByPIN: 2, penaltyUntil: zero, lastSeen: zero) == nil)
        #expect(Counter(highest: Counter.limit, proven: 0, provenByPIN: 0, penaltyUntil: zero, lastSeen: zero) == nil)
    }

    @Test("After a hundred tries without a proved PIN nothing is admitted, not even after resets")
    func lifetimeWithoutPIN() throws {
        var counter = try RulesFixture.counter(0, 0)
        for sequence in 1...100 as ClosedRange<UInt64> {
            guard case .counted(let next) = counter.admit(sequence, at: now, under: policy) else { throw NoSuchCounter() }
            counter = next
            counter.reset(at: now)
        }
        #expect(counter.failed == 0)
        #expect(counter.admit(101, at: now, under: policy) == .blocked)
        counter.prove(100, at: now)
        guard case .counted = counter.admit(101, at: now, under: policy) else { throw NoSuchCounter() }
    }

    @Test("A clock that is set back neither shortens a penalty nor opens it")
    func clockSetBack() throws {
        let (counter, _) = try failing(3, from: Counter(at: now))
        #expect(counter.admit(4, at: now - 86_400, under: policy) == .penalised(wait: 30))
        #expect(RulesFixture.instance(counter).tries(at: now - 86_400, under: policy).wait == 30)
        #expect(counter.admit(4, at: Instant(0), under: policy) == .penalised(wait: 30))
    }

    @Test("A reset clears the failed tries and the penalty, even one from a clock that ran ahead")
    func reset() throws {
        var (counter, _) = try failing(3, from: try RulesFixture.counter(0, 0, penaltyUntil: Instant(0)))
        counter.prove(1, at: now + 86_400)
        counter.reset(at: now)
        #expect(counter.failed == 0)
        #expect(counter.provenByPIN == 1)
        guard case .counted = counter.admit(4, at: now, under: policy) else { throw NoSuchCounter() }
    }

    @Test("A receipt brings restored rows up to what it proves, and never takes anything back")
    func repairs() throws {
        let old = try RulesFixture.counter(3, 2)
        let repaired = old.repaired(by: ReceiptFacts(sequence: 9, byPIN: true))
        #expect([repaired.highest, repaired.proven, repaired.provenByPIN] == [9, 9, 9])
        let byBiometrics = old.repaired(by: ReceiptFacts(sequence: 9, byPIN: false))
        #expect([byBiometrics.highest, byBiometrics.proven, byBiometrics.provenByPIN] == [9, 9, 2])
        #expect(old.repaired(by: ReceiptFacts(sequence: 1, byPIN: true)) == old)
        #expect(old.repaired(by: ReceiptFacts(sequence: Counter.limit, byPIN: true)) == old)
        #expect(old.repaired(by: nil) == old)
    }

    @Test("A proof of an older try that comes late takes back nothing that a newer PIN proved")
    func proofOfAnOlderTry() throws {
        var counter = try RulesFixture.counter(6, 5, pin: 5)
        counter.prove(2, at: now)
        #expect([counter.highest, counter.proven, counter.provenByPIN] == [6, 5, 5])
    }

    @Test("A receipt by PIN is looked at when it tells more of PINs, one of a biometric when it tells more of successes")
    func learns() throws {
        let counter = try RulesFixture.counter(9, 7, pin: 3)
        func receipt(_ method: Methods, _ sequence: UInt64) -> Receipt {
            Receipt(
                serverID: RulesFixture.owner.id, instanceID: RulesFixture.instanceID, attemptID: RulesFixture.attemptID(1),
                sessionHash: Filled(1).bytes(32),
                context: .verify, method: method, epoch: 1, sequence: sequence, secondFactorKey: RulesFixture.secondFactorKey,
                signaturesHash: Filled(2).bytes(32), withoutPIN: 0, lastPIN: now, issuedAt: now)
        }
        for method in [.pin, [.pin, .bio]] as [Methods] {
            #expect(counter.learns(from: receipt(method, 4)) && counter.learns(from: receipt(method, 8)))
            #expect(!counter.learns(from: receipt(method, 3)))
        }
        #expect(!counter.learns(from: receipt(.bio, 7)) && counter.learns(from: receipt(.bio, 8)))
    }
}
