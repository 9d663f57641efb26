import Authentication
import OstiaryProtocol
import Testing

@Suite("Attempt sequence (protocol §7), explored")
struct AttemptSequenceTests {
    @Test(
        "Never more wrong answers than tries, whatever is lost, and whichever one database is restored",
        arguments: [SequenceExploration.Restore.secondFactorServer, .authenticationServer])
    func exact(restore: SequenceExploration.Restore) async {
        let result = await SequenceExploration(mutant: .none, restore: restore).run()
        #expect(!result.isBroken)
        #expect(result.situations > 1_000)
    }

    @Test("Without the rule of one open attempt there are more")
    func noOpenAttempt() async {
        #expect(await SequenceExploration(mutant: .noOpenAttempt, restore: .secondFactorServer).run().isBroken)
    }

    @Test("With the answer out before the commit there are more")
    func relayBeforeCommit() async {
        #expect(await SequenceExploration(mutant: .relayBeforeCommit, restore: .secondFactorServer).run().isBroken)
    }

    private let first = AttemptID([UInt8](repeating: 1, count: 16))!
    private let second = AttemptID([UInt8](repeating: 2, count: 16))!

    @Test("A second attempt waits ten seconds for the first")
    func busy() throws {
        var sequence = AttemptSequence()
        #expect(try sequence.reserve(first, blindedHash: [], at: Instant(100)) == 1)
        #expect(throws: Refusal.attemptOpen) { try sequence.reserve(second, blindedHash: [], at: Instant(109)) }
        #expect(try sequence.reserve(second, blindedHash: [], at: Instant(110)) == 1)
        #expect(throws: Refusal.attemptReplaced) { try sequence.settle(first, highest: 1, evaluated: true) }
        #expect(try sequence.settle(second, highest: 1, evaluated: true))
        #expect(sequence == AttemptSequence(last: 1, relayed: .init(attempt: second, number: 1)))
    }

    @Test("The same attempt again has the same number until its answer is committed")
    func sameNumber() throws {
        var sequence = AttemptSequence(last: 4)
        #expect(try sequence.reserve(first, blindedHash: [], at: Instant(100)) == 5)
        #expect(try sequence.reserve(first, blindedHash: [], at: Instant(101)) == 5)
        #expect(try sequence.settle(first, highest: 3, evaluated: false))
        #expect(sequence.last == 4)
    }

    @Test("An evaluation is given out again for the attempt that had it, and under no number that another had")
    func numberUsed() throws {
        var sequence = AttemptSequence(last: 1)
        _ = try sequence.reserve(second, blindedHash: [], at: Instant(100))
        #expect(try sequence.settle(second, highest: 2, evaluated: true))
        _ = try sequence.reserve(second, blindedHash: [], at: Instant(101))
        #expect(try sequence.settle(second, highest: 2, evaluated: true))
        // A second-factor server that was restored has counted the first attempt under 2 as well, and repeats its answer free of charge.
        _ = try sequence.reserve(first, blindedHash: [], at: Instant(102))
        #expect(try !sequence.settle(first, highest: 2, evaluated: true))
        #expect(sequence == AttemptSequence(last: 2, relayed: .init(attempt: second, number: 2)))
    }
}
