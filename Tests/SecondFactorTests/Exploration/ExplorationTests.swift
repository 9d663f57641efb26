import Testing

@testable import SecondFactor

@Suite("Exhaustive exploration")
struct ExplorationTests {
    /// Two guesses of one attacker, one of another, one try of the owner: the least that can break a limit of two.
    private static let tries: [UInt8] = [2, 1, 1]

    @Test("Whatever the order of events, wrong evaluations since the last success never exceed the tries, and no number is used twice")
    func counter() throws {
        let report = try CounterModel(tries: [3, 3, 2]).explore(depth: .max)
        #expect(report.violation == nil)
        #expect(report.isComplete)
        #expect(report.states >= 100_000)
    }

    @Test("A server that is built wrongly is found out", arguments: CounterModel.Mutant.allCases)
    func counterMutants(_ mutant: CounterModel.Mutant) throws {
        #expect(try CounterModel(mutant: mutant).explore(depth: 10).violation != nil)
    }

    @Test("The same holds for 14 events with an authentication server in between and a restored second-factor server")
    func sequence() throws {
        let report = try SequenceModel(tries: Self.tries).explore(depth: 14)
        #expect(report.violation == nil)
        #expect(report.states >= 100_000)
    }

    @Test("The same holds for 11 events with a restored authentication server")
    func restoredAuthenticationServer() throws {
        let report = try SequenceModel(restored: .authentication, tries: Self.tries).explore(depth: 11)
        #expect(report.violation == nil)
        #expect(report.states >= 100_000)
    }

    @Test("Servers that are built wrongly together are found out", arguments: SequenceModel.Mutant.allCases)
    func sequenceMutants(_ mutant: SequenceModel.Mutant) throws {
        #expect(try SequenceModel(mutant: mutant, tries: Self.tries).explore(depth: 14).violation != nil)
    }

    @Test("Both databases restored at once is not covered, as docs/protocol/second-factor says")
    func restoredBoth() throws {
        #expect(try SequenceModel(restored: .both, tries: Self.tries, restores: 2).explore(depth: 12).violation != nil)
    }
}
