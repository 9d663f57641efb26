import OstiaryTesting
import Testing

@testable import SecondFactor

@Suite("Exhaustive exploration")
struct ExplorationTests {
    /// Two guesses of one attacker, one of another, one try of the owner: the least that can break a limit of two.
    private static let tries: [UInt8] = [2, 1, 1]

    @Test("Whatever the order of events, wrong evaluations since the last success never exceed the tries, and no number is used twice")
    func counter() async throws {
        let report = try await onOwnThread { try CounterModel(tries: [3, 3, 2]).explore(depth: .max) }
        #expect(report.violation == nil)
        #expect(report.isComplete)
        #expect(report.states >= 100_000)
    }

    @Test("A server that is built wrongly is found out", arguments: CounterModel.Mutant.allCases)
    func counterMutants(_ mutant: CounterModel.Mutant) async throws {
        let report = try await onOwnThread { try CounterModel(mutant: mutant, touches: 2, lifetime: 3).explore(depth: 10) }
        #expect(report.violation != nil)
    }

    @Test("With biometrics in between: the tries since a success hold, and since the last PIN the tries that no biometric gives back")
    func biometrics() async throws {
        let report = try await onOwnThread { try CounterModel(tries: [2, 2, 1], reach: 1, touches: 2, lifetime: 3).explore(depth: .max) }
        #expect(report.violation == nil)
        #expect(report.isComplete)
        #expect(report.states >= 100_000)
    }

    @Test("The same holds for 9 events of both servers with biometrics and a restored second-factor server")
    func biometricsInSequence() async throws {
        let report = try await onOwnThread { try SequenceModel(tries: Self.tries, touches: 2, lifetime: 3).explore(depth: 9) }
        #expect(report.violation == nil)
        #expect(report.states >= 100_000)
    }

    @Test("Whatever is lost, late or repeated in two changes of the PIN, exactly one box opens, never both and never none")
    func changeOfPIN() async {
        let report = await onOwnThread { PINChangeModel(attempts: 3).explore(depth: .max) }
        #expect(report.violation == nil)
        #expect(report.isComplete)
        #expect(report.states >= 500)
    }

    @Test("A change that is built wrongly is found out", arguments: PINChangeModel.Mutant.allCases)
    func changeMutants(_ mutant: PINChangeModel.Mutant) async {
        let report = await onOwnThread { PINChangeModel(mutant: mutant, attempts: 3).explore(depth: .max) }
        #expect(report.violation != nil)
    }

    @Test("The same holds for 14 events with an authentication server in between and a restored second-factor server")
    func sequence() async throws {
        let report = try await onOwnThread { try SequenceModel(tries: Self.tries).explore(depth: 14) }
        #expect(report.violation == nil)
        #expect(report.states >= 100_000)
    }

    @Test("The same holds for 11 events with a restored authentication server")
    func restoredAuthenticationServer() async throws {
        let report = try await onOwnThread { try SequenceModel(restored: .authentication, tries: Self.tries).explore(depth: 11) }
        #expect(report.violation == nil)
        #expect(report.states >= 100_000)
    }

    @Test("Servers that are built wrongly together are found out", arguments: SequenceModel.Mutant.allCases)
    func sequenceMutants(_ mutant: SequenceModel.Mutant) async throws {
        let report = try await onOwnThread { try SequenceModel(mutant: mutant, tries: Self.tries).explore(depth: 14) }
        #expect(report.violation != nil)
    }

    @Test("Both databases restored at once is not covered, as docs/protocol/second-factor says")
    func restoredBoth() async throws {
        let report = try await onOwnThread { try SequenceModel(restored: .both, tries: Self.tries, restores: 2).explore(depth: 12) }
        #expect(report.violation != nil)
    }
}
