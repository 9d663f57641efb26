import Database
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
        let load = try await NodeLoad(fixture, people: ["alice", "bob", "carol"])
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

        expectExplained(load.sessions, AliveUntilStopped(initial: .notBegun, mayEndByItself: true))
        expectExplained(load.codes, RedeemedOnce(mayRefuse: true))
        expectExplained(load.tries, BoundedCounter(most: NodeLoad.mostTries))
        expectWork(load)
        #expect(try await Self.unproven(fixture.database) == 0, "whoever is logged in is one account, with the decision of its device")
        try await fixture.stop()
    }

    private func expectExplained<Model: SequentialModel>(_ recorder: HistoryRecorder<Model>, _ model: Model) {
        for fault in OrderSearch(model).faults(in: recorder.calls) { Issue.record("OSTIARY_SEED=\(Self.seed): \(fault)") }
    }

    /// A history in which nothing happened would show nothing.
    private func expectWork(_ load: NodeLoad) {
        let (sessions, codes, tries) = (load.sessions.calls, load.codes.calls, load.tries.calls)
        let stops = sessions.count { $0.action == .stop && $0.returned != nil }
        let reads = sessions.count { $0.action == .read && $0.answer == .alive }
        let unknown = sessions.count { $0.outcome == .unknown }
        print(
            "histories: \(sessions.count) calls about sessions, \(stops) stops, \(reads) found one alive, of \(unknown) nobody knows; "
                + "\(codes.count { $0.answer == .given }) codes given, \(codes.count { $0.answer == .refused }) refused; \(tries.count) tries")
        #expect(stops >= 5 && reads >= 20)
        #expect(codes.contains { $0.answer == .given } && codes.contains { $0.answer == .refused })
        #expect(tries.contains { $0.answer == .count(1) } && tries.contains { $0.action == .succeed })
    }

    /// Sessions that say that somebody is logged in, without an account or a decision that its device signed; typed codes have none.
    private static func unproven(_ name: String) async throws -> Int {
        let database = try await PostgreSQLCluster.shared.open(name)
        let count = try await database.read { connection in
            try connection.one(
                "SELECT COUNT(*) AS number FROM session WHERE logged_in_at IS NOT NULL AND offline = 0 AND (account IS NULL OR decision IS NULL)"
            )?.int("number")
        }
        await database.close()
        return try #require(count)
    }
}
