import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// What is promised of several nodes to those who are not at the one that dies.
@Suite("A node that is killed under load", .enabled(if: PostgreSQLCluster.isInstalled, "no PostgreSQL is installed"), .timeLimit(.minutes(10)))
struct KilledNodeTests {
    /// For which everybody goes on afterwards at least: what waits for a lock or for a statement that does not end is given up by then.
    private static let aftermath = Duration.seconds(5)
    /// A server says after five seconds that it cannot (docs/decisions/0055): what takes twice as long waits for somebody who is gone.
    private static let longest = Duration.seconds(10)

    /// When a node was killed, and how many calls that had begun by then were open there.
    private struct Kill {
        let node: Int
        let moment: ContinuousClock.Instant
        let open: Int
    }

    @Test("Whichever node is killed under load, the others answer whatever comes to them, and nobody notices but those whose calls it had open")
    func anyNode() async throws {
        let fixture = try await NodesFixture.running(["OSTIARY_LOG_LEVEL": "warning"])
        let serverID = try await DemoBackend(fixture.layout).serverID
        // The first that was started works in the background.
        for number in fixture.nodes.indices {
            let crowd = BackendCrowd(fixture, serverID: serverID)
            async let work: Void = crowd.run()
            try await eventually("each node is at work") {
                let calls = crowd.calls.filter(\.isAnswered)
                return fixture.nodes.indices.allSatisfy { node in calls.count { $0.node == node } >= 30 }
            }
            let kill = try await self.kill(number, of: fixture, under: crowd)
            crowd.leave(number)
            try await Task.sleep(for: Self.aftermath)
            try await eventually("the others go on") {
                let calls = crowd.calls
                // What failed is told below.
                return Self.isAtWork(calls, after: kill) || calls.contains { $0.node != number && $0.failure != nil }
            }
            crowd.end()
            await work
            expectUnnoticed(kill, in: crowd.calls, fixture.nodes[number].name)
            try fixture.nodes[number].start()
            try await fixture.waitUntilReady([fixture.nodes[number]])
        }
        try await fixture.stop()
    }

    /// kill -9 while somebody waits for its answer.
    private func kill(_ number: Int, of fixture: NodesFixture, under crowd: BackendCrowd) async throws -> Kill {
        while true {
            // What has begun before it is in the list by the time that it is read.
            let moment = ContinuousClock.now
            let open = crowd.calls.count { $0.node == number && $0.ended == nil && $0.begun < moment }
            guard open > 0 else {
                try Task.checkCancellation()
                await Task.yield()
                continue
            }
            try await fixture.nodes[number].server.kill()
            return Kill(node: number, moment: moment, open: open)
        }
    }

    private func expectUnnoticed(_ kill: Kill, in calls: [BackendCrowd.Call], _ name: String) {
        // At the others, before and after.
        let others = calls.filter { $0.node != kill.node }
        let failed = others.filter { !$0.isAnswered }
        #expect(failed.isEmpty, "\(name) was killed, and of \(others.count) calls elsewhere \(failed.count) failed: \(failed.prefix(3))")
        let slow = others.filter { !$0.isWithin(Self.longest) }
        #expect(slow.isEmpty, "\(name) was killed, and of \(others.count) calls elsewhere \(slow.count) took long: \(slow.prefix(3))")
        // At the dead one, of those that had begun: whoever comes afterwards is refused by the machine, and goes elsewhere.
        let lost = calls.filter { $0.node == kill.node && $0.begun < kill.moment && !$0.isAnswered }
        #expect(lost.count <= kill.open && lost.allSatisfy { ($0.ended ?? kill.moment) >= kill.moment }, "\(name): \(kill.open) open, \(lost)")
        // Everybody who was not answered there was at the next node: that answer is among those above.
        let (repeats, unanswered) = (calls.count { $0.isRepeat }, calls.count { $0.node == kill.node && !$0.isAnswered })
        #expect(repeats == unanswered)
    }

    /// Whether calls of each kind that began afterwards were answered at both others: else nothing was shown.
    private static func isAtWork(_ calls: [BackendCrowd.Call], after kill: Kill) -> Bool {
        let answered = calls.filter { $0.node != kill.node && $0.begun > kill.moment && $0.isAnswered }
        return Set(answered.map(\.node)).count == 2
            && BackendCrowd.Work.allCases.allSatisfy { work in
                Set(answered.map(\.node)).allSatisfy { node in answered.count { $0.node == node && $0.work == work } >= 10 }
            }
    }
}
