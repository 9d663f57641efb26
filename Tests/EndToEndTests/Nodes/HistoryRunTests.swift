import Foundation
import OstiaryTesting
import Synchronization
import Testing

@testable import OstiaryPhone

/// Minutes of both runs together, or of the only one.
enum RunLength { static let minutes = Soak.minutes ?? 3 }

/// Three nodes as processes on one PostgreSQL, and a second-factor server with a database of its own there, whose lines are cut, and which are killed and halted, and
/// PostgreSQL killed with them or replaced by its standby, while people log in and are logged out; what everybody saw is held against what is promised, and so is what the rows have counted.
/// Once the lines are cut by proxies, once each process has a network of its own and the kernel loses what it says; there clocks leap as well. Three minutes in
/// `make test`; `make soak` makes it an hour, and `OSTIARY_SEED=n` makes a run's choices again.
@Suite(
    "Attack 13: histories of three nodes with faults", .serialized, .enabled(if: PostgreSQLCluster.isInstalled, "no PostgreSQL is installed"),
    .timeLimit(.minutes(RunLength.minutes + 30)))
struct HistoryRunTests {
    private static let seed = ProcessInfo.processInfo.environment["OSTIARY_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...999_999)
    /// Of one of two runs, or of the only one.
    private static var length: Duration { .seconds(60 * RunLength.minutes) / (NodeNetwork.isPossible ? 2 : 1) }

    /// What a run is like.
    private struct Course {
        var isNetworked = false
        let hasClocks: Bool
        /// Whether PostgreSQL gets standbys, and is replaced by them.
        let isReplaced: Bool
        /// That a fault lasts.
        let longest: Duration
        /// Of the first node that is halted.
        let pause: Duration
    }

    /// Longer than its database waits for a node that was halted in the middle of a transaction (7 s).
    private static let shortPause: Duration = .seconds(8)

    @Test(
        "A100 whatever happens to nodes and lines: no session is alive after its acknowledged stop, no code is given twice, no try is forgotten, and all is well after it"
    )
    func nodes() async throws {
        if !NodeNetwork.isPossible { print("SKIPPED: network namespaces (\(NodeNetwork.objection))") }
        try await run(
            Course(
                hasClocks: !NodeNetwork.isPossible, isReplaced: true, longest: Soak.minutes == nil ? .seconds(4) : .seconds(30), pause: .seconds(30)))
    }

    @Test(
        "A100 so it is where the kernel loses what is said, in one direction or in both, and where the clock of one node leaps by a minute, a day or ten",
        .enabled(if: NodeNetwork.isPossible, "this process may make no network namespaces"))
    func networks() async throws {
        try await run(
            Course(
                // Of 24 sorts, one of which takes five seconds, a short run would not always meet each.
                isNetworked: true, hasClocks: true, isReplaced: Soak.minutes != nil,
                longest: Soak.minutes == nil ? .milliseconds(2_500) : .seconds(30), pause: Soak.minutes == nil ? Self.shortPause : .seconds(30)))
    }

    private func run(_ course: Course) async throws {
        let what = "OSTIARY_SEED=\(Self.seed), \(Self.length)\(course.isNetworked ? " in networks" : "")"
        guard !Soak.isToEnd else { return Soak.tell("SKIPPED: histories (\(what)): the run was ended before") }
        Soak.tell("histories: \(what)")
        let fixture = try await NodesFixture.running(
            ["OSTIARY_LOG_LEVEL": "warning"],
            secondFactor: [
                "OSTIARY_SF_PENALTIES": "0,0,0,0", "OSTIARY_SF_MAX_ATTEMPTS": "\(NodeLoad.mostTries)", "OSTIARY_SF_RESETS_PER_DAY": "10",
            ],
            isNetworked: course.isNetworked, hasClocks: course.hasClocks, namesStandby: course.isReplaced)
        do { try await run(course, at: fixture) } catch {
            await fixture.kill()
            throw error
        }
        try await fixture.stop()
    }

    private func run(_ course: Course, at fixture: NodesFixture) async throws {
        let load = try await NodeLoad(fixture, people: ["alice", "bob", "carol"], seed: Self.seed)
        let faults = NodeFaults(
            seed: Self.seed, length: Self.length, calm: Soak.minutes == nil ? .seconds(2) : .seconds(20), longest: course.longest,
            among: fixture.faults, pause: course.pause)
        let begun = load.now()
        async let work: Void = load.run(for: Self.length, seed: Self.seed)
        let (leaps, tally) = try await happen(faults.events, to: fixture, load)
        await work
        let isShort = Soak.isToEnd && load.now() - begun < Soak.shortest
        try await fixture.waitUntilReady()
        if !isShort {
            // Of the run alone: what is asked for afterwards shows nothing of it.
            load.expectOnceOverWork()
            load.histories.expectWork()
            load.expectAuthorizations()
        }
        await load.readAll()
        try await load.logInAll()
        try await load.redeemWhenWell()

        load.histories.expectExplained("OSTIARY_SEED=\(Self.seed), clocks wrong from \(leaps.description)", sound: leaps.sound)
        load.expectOnceOver("OSTIARY_SEED=\(Self.seed), clocks wrong from \(leaps.description)", leaps)
        Soak.tell("histories: \(tally)")
        if isShort {
            Soak.tell("SKIPPED: how much happened, and the evidence of it: the run was ended after less than \(Soak.shortest)")
        } else {
            try await expectEvidence(load, fixture, hasClocks: course.hasClocks)
            load.expectSure("OSTIARY_SEED=\(Self.seed), clocks wrong from \(leaps.description)", leaps)
            expectFaults(faults.events.map(\.fault), tally, fixture)
        }
    }

    /// Something has shown of each sort that was drawn that it happened, unless the run was ended before.
    private func expectFaults(_ drawn: [NodeFaults.Fault], _ tally: FaultTally, _ fixture: NodesFixture) {
        let missing = tally.missing(drawn)
        #expect(missing.isEmpty || Soak.isToEnd, "OSTIARY_SEED=\(Self.seed): \(tally)")
        fixture.expectProxies()
    }

    /// - Returns: when a clock was wrong, and what happened.
    private func happen(_ events: [NodeFaults.Event], to fixture: NodesFixture, _ load: NodeLoad) async throws -> (Leaps, FaultTally) {
        let (start, begun) = (ContinuousClock.now, load.now())
        var (leaps, tally) = (Leaps(), FaultTally())
        var told = begun
        for event in events {
            try await Task.sleep(until: start + event.begins)
            guard !Soak.isToEnd else { break }
            let (began, probe) = (load.now(), try fixture.probe(of: event))
            load.note(isBroken: true)
            try await fixture.begin(event)
            let isThere = await NodesFixture.isSeen(until: start + event.ends, probe.isThere)
            try await Task.sleep(until: start + event.ends)
            try await fixture.heal(event)
            load.note(isBroken: false)
            if case .leap = event.fault { leaps.note(fixture.nodes[event.node].name, from: began, until: load.now()) }
            let isOver = await NodesFixture.isSeen(until: .now, probe.isOver)
            tally.note(event.fault, hasBitten: isThere && isOver)
            guard Soak.minutes != nil, load.now() - told >= .seconds(60) else { continue }
            told = load.now()
            Soak.tell(
                "histories: \((told - begun).components.seconds / 60) of \(Self.length.components.seconds / 60) min, \(tally.total) faults, "
                    + "\(load.histories.sessions.calls.count) calls about sessions, \(load.histories.pins.calls.count) about PINs")
        }
        return (leaps, tally)
    }

    /// Whoever is logged in, or ever was, is one account, by a decision that its device signed and a PIN that was counted. With a clock that is days ahead keys are
    /// erased that open what phones sent before: what nobody can read any more is looked for in the other run.
    private func expectEvidence(_ load: NodeLoad, _ fixture: NodesFixture, hasClocks: Bool) async throws {
        let evidence = try await NodeEvidence(
            of: fixture, load.residents.flatMap(\.line.sent) + load.codeBook.sent,
            enrolments: load.codeBook.enrolments.union(load.residents.map(\.enrolment)), areKeysErased: hasClocks)
        print("histories: \(evidence.decisions) decisions verified, \(evidence.receipts) receipts; \(evidence.repeats) decisions sent again")
        #expect(evidence.problems.isEmpty, "OSTIARY_SEED=\(Self.seed): \(evidence.problems)")
        #expect(evidence.decisions >= 5 && evidence.receipts >= 3 && evidence.repeats > 0)
        let evaluations = load.counted.withLock { $0.evaluations }
        print("histories: \(evaluations) evaluations in the rows, none beyond the tries")
        #expect(evaluations >= 3)
    }
}
