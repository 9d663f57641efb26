import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// What the failovers of a run of real nodes rely on: that nodes find the server that was promoted, and that a history shows what one has lost.
@Suite(
    "Histories of nodes whose PostgreSQL is replaced by its standby", .enabled(if: PostgreSQLCluster.isInstalled, "no PostgreSQL is installed"),
    .timeLimit(.minutes(10)))
struct ReplacedDatabaseTests {
    /// What was seen over a failover.
    private struct Seen {
        /// Of the login that was stopped before it, and the stop acknowledged.
        let nonce: String
        /// What the nodes said of that afterwards.
        let answers: [AliveUntilStopped.Answer]
    }

    @Test(
        "Two failovers to a synchronous standby, the second to the place of the first server: a stop is seen at every node, no counter goes back, no node starts anew"
    )
    func synchronous() async throws {
        try await Self.withLoad { load in try await replace(load) }
    }

    private func replace(_ load: NodeLoad) async throws {
        let fixture = load.fixture
        let processes = fixture.nodes.map { $0.server.program?.id }
        for place in [fixture.cluster.standbyFolder, fixture.cluster.folder] {
            let seen = try await failOver(load, isSynchronous: true)
            #expect(fixture.cluster.serverFolder == place)
            #expect(seen.answers.count == fixture.nodes.count && seen.answers.allSatisfy { $0 == .over }, "\(seen.answers)")
        }
        load.histories.expectExplained("failovers")
        #expect(load.histories.counters.calls.contains { ($0.answer ?? 0) > 1 })
        let now = fixture.nodes.map { $0.server.program?.id }
        #expect(now == processes)
    }

    @Test("Where the standby lacks what was acknowledged last, histories say so: a session is alive after its stop, and a counter goes back")
    func planted() async throws {
        try await Self.withLoad { load in try await loseTheLast(load) }
    }

    private func loseTheLast(_ load: NodeLoad) async throws {
        let seen = try await failOver(load, isSynchronous: false)
        #expect(seen.answers.contains(.alive), "\(seen.answers)")
        let stops = OrderSearch(AliveUntilStopped(initial: .notBegun, mayEndByItself: true)).faults(in: load.histories.sessions.calls)
        #expect(stops.count == 1 && stops.contains { Self.key(ofViolation: $0) == seen.nonce }, "\(stops)")
        let counters = OrderSearch(NeverLower()).faults(in: load.histories.counters.calls)
        #expect(counters.contains { Self.key(ofViolation: $0)?.hasSuffix(" hi") == true }, "\(counters)")
    }

    /// Three nodes with one person, which end whatever becomes of the test.
    private static func withLoad(_ body: (NodeLoad) async throws -> Void) async throws {
        let fixture = try await NodesFixture.running(
            ["OSTIARY_LOG_LEVEL": "warning"],
            secondFactor: ["OSTIARY_SF_PENALTIES": "0,0,0,0", "OSTIARY_SF_MAX_ATTEMPTS": "\(NodeLoad.mostTries)"], namesStandby: true)
        do { try await body(try await NodeLoad(fixture, people: ["alice"], seed: 1)) } catch {
            await fixture.kill()
            throw error
        }
        try await fixture.stop()
    }

    /// Somebody is logged in when a standby is made; the login is stopped and a PIN is counted, both of which are acknowledged; the server is lost, and the
    /// standby promoted.
    /// - Parameter isSynchronous: whether a commit waits for the standby. Else it hears nothing of what is acknowledged.
    private func failOver(_ load: NodeLoad, isSynchronous: Bool) async throws -> Seen {
        let (fixture, cluster) = (load.fixture, load.fixture.cluster)
        let callers = fixture.nodes.enumerated().map { NodeCaller($0, at: $1, fixture, serverID: load.backend.serverID) }
        let stopper = try #require(callers.first)
        let nonce = try await logIn(load)
        try await cluster.startStandby(isSynchronous: isSynchronous)
        if !isSynchronous { try await cluster.deafenStandby() }
        try await eventually("the login is stopped") { await load.stop(session: nonce, by: stopper.name) { try await stopper.logOut(nonce) } }
        _ = try await logIn(load)
        await readCounters(load)
        try await cluster.killWhole()
        try await cluster.replaceServer()
        let before = load.histories.sessions.calls.count
        for caller in callers {
            // What is lost with a connection that is dead is asked again.
            try await eventually("\(caller.name) is answered") {
                await load.read(nonce, by: caller)
                return load.histories.sessions.calls.last?.answer != nil
            }
        }
        await readCounters(load)
        return Seen(nonce: nonce, answers: load.histories.sessions.calls.dropFirst(before).compactMap(\.answer))
    }

    /// By phone and PIN, once all are ready.
    /// - Returns: the nonce of the browser.
    private func logIn(_ load: NodeLoad) async throws -> String {
        try await load.fixture.waitUntilReady()
        let resident = try #require(load.residents.first)
        resident.line.calmDown()
        let deadline = ContinuousClock.now + .aHang
        while true {
            // Who is given a connection that has died may be the one who finds that out.
            do { return try await logIn(load, as: resident) } catch { guard ContinuousClock.now < deadline else { throw error } }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private func logIn(_ load: NodeLoad, as resident: NodeResident) async throws -> String {
        let nonce = ManagementClient.newNonce()
        let code = try await load.backend.loginCode(nonce, asPNG: false)
        let entered = EnteredPINs(resident, isWrong: false)
        _ = try await load.begin(nonce, of: resident, entered) { try await resident.phone.logIn(code, entering: entered.next) }
        return nonce
    }

    /// Once at least.
    private func readCounters(_ load: NodeLoad) async { await load.watchCounters(until: load.now() + .milliseconds(500)) }

    /// What it is about; nil where it is none.
    private static func key<Model: SequentialModel>(ofViolation verdict: OrderSearch<Model>.Verdict) -> String? {
        if case .violated(let violation) = verdict { violation.key } else { nil }
    }
}
