import Testing

@testable import SecondFactor

@Suite("Exhaustive exploration")
struct ExplorationTests {
    @Test("Whatever the order of events, wrong evaluations since the last success never exceed the tries, and no number is used twice")
    func counter() throws {
        let report = try CounterModel().explore(depth: 12)
        #expect(report.violation == nil)
        #expect(report.states >= 100_000)
    }

    @Test("A server that is built wrongly is found out", arguments: CounterModel.Mutant.allCases)
    func counterMutants(_ mutant: CounterModel.Mutant) throws {
        #expect(try CounterModel(mutant: mutant).explore(depth: 12).violation != nil)
    }

    @Test("The same holds with an authentication server in between and a restored second-factor server")
    func sequence() throws {
        let report = try SequenceModel().explore(depth: 14)
        #expect(report.violation == nil)
        #expect(report.states >= 100_000)
    }

    @Test("The same holds with a restored authentication server")
    func restoredAuthenticationServer() throws {
        #expect(try SequenceModel(restored: .authentication).explore(depth: 12).violation == nil)
    }

    @Test("Servers that are built wrongly together are found out", arguments: SequenceModel.Mutant.allCases)
    func sequenceMutants(_ mutant: SequenceModel.Mutant) throws {
        #expect(try SequenceModel(mutant: mutant).explore(depth: 20).violation != nil)
    }

    @Test("Both databases restored at once is not covered, as docs/protocol/second-factor says")
    func restoredBoth() throws {
        #expect(try SequenceModel(restored: .both, restores: 2).explore(depth: 20).violation != nil)
    }
}
