import Authentication
import Database
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

/// The sessions of the real server, asked for at three nodes: once as they are, and with the caches planted that a server of several nodes must not have.
@Suite("Attack 13 with planted faults: histories of getSession and logout")
struct RevocationHistoryTests {
    /// Three logins, each of which is stopped while three nodes are asked for it.
    private static func history(_ fault: RememberingDatabase.Fault?) async throws -> [AliveUntilStopped.Call] {
        let start = ContinuousClock.now
        let recorder = HistoryRecorder<AliveUntilStopped> { ContinuousClock.now - start }
        try await withSeparateConnections { database in
            try await ServersFixture.run(database: RememberingDatabase(database, fault)) { servers async throws in
                let phone = try await TestPhone(servers).enrol(try servers.nonce())
                for number in 0..<3 {
                    let nonce = try servers.nonce()
                    let shown = try await phone.scan(try await servers.link(nonce))
                    _ = try await shown.logInByPIN()
                    for node in 0..<3 { try await ask(nonce, "session \(number)", at: node, servers, recorder) }
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for node in 0..<3 {
                            group.addTask { for _ in 0..<40 { try await ask(nonce, "session \(number)", at: node, servers, recorder) } }
                        }
                        await recorder.watch("backend at A", "session \(number)", .stop) {
                            try await servers.services.sessions.logOut(nonce, at: servers.server, by: .backend, now: servers.now)
                            return .over
                        }
                        // As many as a cache might have left, and more.
                        for node in 0..<3 {
                            group.addTask { for _ in 0..<4 { try await ask(nonce, "session \(number)", at: node, servers, recorder) } }
                        }
                        try await group.waitForAll()
                    }
                }
            }
        }
        return recorder.calls
    }

    private static func ask(
        _ nonce: SessionNonce, _ session: String, at node: Int, _ servers: ServersFixture, _ recorder: HistoryRecorder<AliveUntilStopped>
    ) async throws {
        await recorder.watch("backend at \(["A", "B", "C"][node])", session, .read) {
            let status = try await RememberingDatabase.$node.withValue(node) { try await servers.status(of: nonce) }
            return status.loggedIn ? .alive : .over
        }
    }

    @Test("A100 nodes that look into the rows: an order explains what all of them answered", .onBothEngines)
    func asItIs() async throws {
        let calls = try await Self.history(nil)
        #expect(calls.contains { $0.answer == .alive } && calls.contains { $0.action == .read && $0.answer == .over })
        #expect(calls.allSatisfy { $0.outcome != .unknown })
        #expect(OrderSearch(AliveUntilStopped()).faults(in: calls).isEmpty)
    }

    @Test(
        "A100 planted: a node that answers from a stale cache, or that trusts a word instead of the row, is found",
        arguments: RememberingDatabase.Fault.allCases)
    func planted(_ fault: RememberingDatabase.Fault) async throws {
        let calls = try await Self.history(fault)
        let faults = OrderSearch(AliveUntilStopped()).faults(in: calls)
        #expect(!faults.isEmpty, "of \(calls.count) calls")
        for fault in faults {
            guard case .violated(let found) = fault else {
                Issue.record("\(fault)")
                continue
            }
            #expect(found.culprit.action == .read && found.culprit.answer == .alive)
        }
    }
}
