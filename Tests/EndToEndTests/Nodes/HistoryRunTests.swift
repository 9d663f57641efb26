import Foundation
import OstiaryTesting
import Testing

@testable import ostiary

/// Three nodes as processes on one PostgreSQL, whose lines are cut, and which are killed and halted, while people log in and are logged out; what everybody saw
/// is held against what is promised. A minute in `make test`; `make soak` makes it an hour, and `OSTIARY_SEED=n` makes a run's choices again.
@Suite("Attack 13: histories of three nodes with faults", .serialized, .enabled(if: PostgreSQLCluster.isInstalled, "no PostgreSQL is installed"))
struct HistoryRunTests {
    private static let seed = ProcessInfo.processInfo.environment["OSTIARY_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...999_999)
    private static let minutes = ProcessInfo.processInfo.environment["OSTIARY_SOAK_MINUTES"].flatMap { Int($0) }
    private static var length: Duration { .seconds(60 * (minutes ?? 1)) }
    private static var longestFault: Duration { minutes == nil ? .seconds(4) : .seconds(30) }

    @Test(
        "Whatever happens to nodes and lines: no session is alive after its acknowledged stop, no code is given twice, no try is forgotten, and all is well after it"
    )
    func nodes() async throws {
        print("histories: OSTIARY_SEED=\(Self.seed), \(Self.length)")
        let fixture = try await NodesFixture.running(
            ["OSTIARY_LOG_LEVEL": "warning"],
            secondFactor: ["OSTIARY_SF_PENALTIES": "0,0,0,0", "OSTIARY_SF_MAX_ATTEMPTS": "\(NodeLoad.mostTries)"])
        let load = try await NodeLoad(fixture, people: ["alice", "bob", "carol"], seed: Self.seed)
        let faults = NodeFaults(seed: Self.seed, length: Self.length, longest: Self.longestFault)
        async let work: Void = load.run(for: Self.length, seed: Self.seed)
        let start = ContinuousClock.now
        for event in faults.events {
            try await Task.sleep(until: start + event.begins)
            try await fixture.begin(event)
            try await Task.sleep(until: start + event.ends)
            try fixture.heal(event)
        }
        await work
        try await fixture.waitUntilReady()
        await load.readAll()
        try await load.logInAll()

        load.histories.expectExplained("OSTIARY_SEED=\(Self.seed)")
        load.histories.expectWork()
        try await expectEvidence(load, fixture)
        try await fixture.stop()
    }

    /// Whoever is logged in, or ever was, is one account, by a decision that its device signed and a PIN that was counted.
    private func expectEvidence(_ load: NodeLoad, _ fixture: NodesFixture) async throws {
        let evidence = try await NodeEvidence(of: fixture, load.residents.flatMap(\.line.sent))
        print("histories: \(evidence.decisions) decisions verified, \(evidence.receipts) receipts; \(evidence.repeats) decisions sent again")
        #expect(evidence.problems.isEmpty, "OSTIARY_SEED=\(Self.seed): \(evidence.problems)")
        #expect(evidence.decisions >= 5 && evidence.receipts >= 3 && evidence.repeats > 0)
    }
}
