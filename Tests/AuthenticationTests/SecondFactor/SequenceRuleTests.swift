import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("AttemptSequence: numbers")
struct SequenceRuleTests {
    private let now = DomainFixture.start
    private let random = SeededRandom("attempts")

    private func attempt() -> AttemptID { AttemptID(using: random) }

    private func refusal(_ body: () throws(Refusal) -> Void) -> Refusal? {
        do { try body() } catch { return error }
        return nil
    }

    @Test("The first attempt gets the number after the last, and the same attempt gets the same number")
    func sameNumber() throws {
        var sequence = AttemptSequence(last: 4)
        let id = attempt()
        #expect(try sequence.reserve(id, blindedHash: SHA([1]), at: now) == 5)
        #expect(try sequence.reserve(id, blindedHash: SHA([1]), at: now + 3) == 5)
        #expect(sequence.last == 4)
    }

    @Test("Another attempt waits ten seconds for the one that is open, then takes its number")
    func patience() throws {
        var sequence = AttemptSequence()
        _ = try sequence.reserve(attempt(), blindedHash: SHA([1]), at: now)
        let second = attempt()
        #expect(refusal { () throws(Refusal) in _ = try sequence.reserve(second, blindedHash: SHA([2]), at: now + 9) } == .attemptOpen)
        #expect(try sequence.reserve(second, blindedHash: SHA([2]), at: now + 10) == 1)
        #expect(sequence.open?.attempt == second)
    }

    @Test("An attempt that a clock ahead left open is as far away as one behind, and gives way at once")
    func clockPutBack() throws {
        var sequence = AttemptSequence()
        _ = try sequence.reserve(attempt(), blindedHash: SHA([1]), at: now + 600)
        #expect(try sequence.reserve(attempt(), blindedHash: SHA([2]), at: now) == 1)
    }

    @Test("What vouches for a new PIN is good for five minutes, counted by distance")
    func vouchingByDistance() {
        func vouching(at moment: Instant) -> PINChange {
            PINChange(
                attempt: attempt(), account: SessionSample.alice, methods: .pin, verifiedAt: moment, epoch: 1, serverShare: StoredSecret(SHA([3])))
        }
        #expect(vouching(at: now - 299).isFresh(at: now) && vouching(at: now + 299).isFresh(at: now))
        #expect(!vouching(at: now - 300).isFresh(at: now) && !vouching(at: now + 300).isFresh(at: now))
    }

    @Test("A repeat of the open attempt starts its ten seconds anew")
    func patienceAnew() throws {
        var sequence = AttemptSequence()
        let first = attempt()
        _ = try sequence.reserve(first, blindedHash: SHA([1]), at: now)
        _ = try sequence.reserve(first, blindedHash: SHA([1]), at: now + 8)
        #expect(refusal { () throws(Refusal) in _ = try sequence.reserve(attempt(), blindedHash: SHA([2]), at: now + 17) } == .attemptOpen)
    }

    @Test("A number is used up only by the answer to the open attempt")
    func settle() throws {
        var sequence = AttemptSequence()
        let first = attempt()
        _ = try sequence.reserve(first, blindedHash: SHA([1]), at: now)
        _ = try sequence.settle(first, highest: 1, evaluated: false)
        #expect(sequence == AttemptSequence(last: 1))
        #expect(try sequence.reserve(attempt(), blindedHash: SHA([2]), at: now) == 2)
    }

    @Test("The late answer of an attempt that was replaced is dropped and moves nothing")
    func late() throws {
        var sequence = AttemptSequence()
        let (first, second) = (attempt(), attempt())
        _ = try sequence.reserve(first, blindedHash: SHA([1]), at: now)
        _ = try sequence.reserve(second, blindedHash: SHA([2]), at: now + 10)
        let before = sequence
        #expect(refusal { () throws(Refusal) in _ = try sequence.settle(first, highest: 9, evaluated: false) } == .attemptReplaced)
        #expect(sequence == before)
        _ = try sequence.settle(second, highest: 1, evaluated: false)
        #expect(refusal { () throws(Refusal) in _ = try sequence.settle(second, highest: 1, evaluated: false) } == .attemptReplaced)
    }

    @Test("The last number only grows: an answer that knows less does not set it back")
    func monotone() throws {
        var sequence = AttemptSequence(last: 7)
        let id = attempt()
        _ = try sequence.reserve(id, blindedHash: SHA([1]), at: now)
        _ = try sequence.settle(id, highest: 3, evaluated: false)
        #expect(sequence.last == 7)
        _ = try sequence.reserve(id, blindedHash: SHA([1]), at: now)
        _ = try sequence.settle(id, highest: 12, evaluated: false)
        #expect(sequence.last == 12)
    }

    @Test("A second-factor server that names a number beyond all numbers is not believed, and stops nothing", arguments: [1 << 62, UInt64.max])
    func absurd(highest: UInt64) throws {
        var sequence = AttemptSequence(last: 7)
        let id = attempt()
        _ = try sequence.reserve(id, blindedHash: SHA([1]), at: now)
        #expect(refusal { () throws(Refusal) in _ = try sequence.settle(id, highest: highest, evaluated: false) } == .secondFactorUnavailable)
        #expect(sequence.last == 7)
        #expect(try sequence.reserve(attempt(), blindedHash: SHA([2]), at: now + 10) == 8)
    }
}
