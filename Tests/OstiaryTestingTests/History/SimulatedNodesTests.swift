import OstiaryTesting
import Testing

/// Histories of nodes that are right raise no alarm, and those of nodes with a fault do: mostly, and for what few callers see,
/// in at least one of five, since who asks the wrong node at the right moment is drawn.
@Suite("Histories of simulated nodes")
struct SimulatedNodesTests {
    private static let seeds = 0..<UInt64(40)

    /// How many of the seeds' histories have no explanation. Where the search gave up nothing was found.
    private func found<Model: SequentialModel>(
        _ model: Model, _ history: @escaping @Sendable (SimulatedNodes) -> [Model.Call]
    ) async -> Int {
        await onOwnThread {
            Self.seeds.count { seed in
                if case .violated = OrderSearch(model).verdict(on: history(SimulatedNodes(seed: seed))) { true } else { false }
            }
        }
    }

    /// How many of them are not explained: accused, or too much for the search.
    private func unexplained<Model: SequentialModel>(
        _ model: Model, _ history: @escaping @Sendable (SimulatedNodes) -> [Model.Call]
    ) async -> Int {
        await onOwnThread { Self.seeds.count { seed in !OrderSearch(model).faults(in: history(SimulatedNodes(seed: seed))).isEmpty } }
    }

    @Test("Nodes that are right are never accused: of sessions, codes, tries and turns, with answers lost and calls that arrive late")
    func right() async {
        #expect(await unexplained(AliveUntilStopped()) { $0.sessions() } == 0)
        #expect(await unexplained(RedeemedOnce()) { $0.redemptions() } == 0)
        #expect(await unexplained(HandedInOnce()) { $0.handIns() } == 0)
        #expect(await unexplained(BoundedCounter(most: SimulatedNodes.mostTries)) { $0.tries() } == 0)
        #expect(await unexplained(FencedTurn()) { $0.turns() } == 0)
        #expect(await unexplained(SameOutcome()) { $0.repeats() } == 0)
        #expect(await unexplained(OnePIN()) { $0.pins() } == 0)
        #expect(await unexplained(NeverLower()) { $0.readings() } == 0)
    }

    @Test("A session that is read from a stale cache, believed until a word comes, stopped before that is kept, or written back is found out")
    func sessions() async {
        for (fault, least) in zip(SimulatedNodes.SessionFault.allCases, [8, 15, 12, 15]) {
            let count = await found(AliveUntilStopped()) { $0.sessions(fault) }
            #expect(count >= least, "\(fault): \(count) of \(Self.seeds.count)")
        }
    }

    @Test("A code that a node remembers alone, that is marked too late, or whose mark is lost is found out")
    func redemptions() async {
        for (fault, least) in zip(SimulatedNodes.RedemptionFault.allCases, [38, 36, 36]) {
            let count = await found(RedeemedOnce()) { $0.redemptions(fault) }
            #expect(count >= least, "\(fault): \(count) of \(Self.seeds.count)")
        }
    }

    @Test("A return code that another browser leaves good, that a node remembers alone, or that its own browser spends as well, is found out")
    func handIns() async {
        for (fault, least) in zip(SimulatedNodes.HandInFault.allCases, [18, 15, 8]) {
            let count = await found(HandedInOnce()) { $0.handIns(fault) }
            #expect(count >= least, "\(fault): \(count) of \(Self.seeds.count)")
        }
    }

    @Test("A counter that loses updates, begins anew at a restart, or lets one too many through is found out")
    func counters() async {
        for (fault, least) in zip(SimulatedNodes.CounterFault.allCases, [38, 18, 38]) {
            let count = await found(BoundedCounter(most: SimulatedNodes.mostTries)) { $0.tries(fault) }
            #expect(count >= least, "\(fault): \(count) of \(Self.seeds.count)")
        }
    }

    @Test("A lease without fencing is found out: what the holder of an older turn writes is kept")
    func turns() async {
        let count = await found(FencedTurn()) { $0.turns(isFenced: false) }
        #expect(count >= 38, "\(count) of \(Self.seeds.count)")
    }

    @Test("A request that is carried out anew when it is sent again, that a node remembers alone, or that is kept too late is found out")
    func repeats() async {
        for (fault, least) in zip(SimulatedNodes.RepeatFault.allCases, [38, 38, 38]) {
            let count = await found(SameOutcome()) { $0.repeats(fault) }
            #expect(count >= least, "\(fault): \(count) of \(Self.seeds.count)")
        }
    }

    @Test("A change of a PIN after which two are good, or none, or that is lost after its acknowledgement, is found out")
    func pins() async {
        for (fault, least) in zip(SimulatedNodes.PINFault.allCases, [33, 33, 20]) {
            let count = await found(OnePIN()) { $0.pins(fault) }
            #expect(count >= least, "\(fault): \(count) of \(Self.seeds.count)")
        }
    }

    @Test("A counter that is put back to what it was a while ago is found out by whoever reads it, without knowing what was counted")
    func readings() async {
        let count = await found(NeverLower()) { $0.readings(isPutBack: true) }
        #expect(count >= 38, "\(count) of \(Self.seeds.count)")
    }

    /// The models of `NodeHistories` and `OnceOver` that forgive something: a run of real nodes sees no more than these do. The others are the same there.
    @Test("With what a run of real nodes forgives the same faults are found, but for one that looks like an end by itself")
    func asInRuns() async {
        let alive = AliveUntilStopped(initial: .notBegun, mayEndByItself: true)
        #expect(await unexplained(alive) { Self.begun($0.sessions()) } == 0)
        for (fault, least) in zip(SimulatedNodes.SessionFault.allCases, [8, 12, 8, 12]) {
            expect(await found(alive) { Self.begun($0.sessions(fault)) }, atLeast: least, "sessions, \(fault)")
        }
        for code in [RedeemedOnce(mayRefuse: true), RedeemedOnce(mayRefuse: true, isRepeatable: true), RedeemedOnce(isRepeatable: true)] {
            #expect(await unexplained(code) { $0.redemptions() } == 0)
            for fault in SimulatedNodes.RedemptionFault.allCases {
                expect(await found(code) { $0.redemptions(fault) }, atLeast: 30, "codes, \(fault)")
            }
        }
        let handedIn = HandedInOnce(mayEndByItself: true)
        #expect(await unexplained(handedIn) { $0.handIns() } == 0)
        for fault in SimulatedNodes.HandInFault.allCases {
            let count = await found(handedIn) { $0.handIns(fault) }
            // Its own browser is out for good: so it is with one that came too late. `OnceOver` asks the strict model where that cannot be.
            if fault == .spentByOwn { #expect(count == 0) } else { expect(count, atLeast: 10, "return codes, \(fault)") }
        }
        let outcome = SameOutcome(mayEndByItself: true)
        #expect(await unexplained(outcome) { $0.repeats() } == 0)
        for fault in SimulatedNodes.RepeatFault.allCases {
            expect(await found(outcome) { $0.repeats(fault) }, atLeast: 30, "requests that are sent again, \(fault)")
        }
    }

    /// The calls after one that has begun what they are about.
    private static func begun(_ calls: [AliveUntilStopped.Call]) -> [AliveUntilStopped.Call] {
        let begin = AliveUntilStopped.Call("caller", "key", .begin, invoked: .milliseconds(-2), .answered(.alive, at: .milliseconds(-1)))
        return [begin] + calls
    }

    private func expect(_ count: Int, atLeast least: Int, _ what: String) {
        print("as in a run: \(what): \(count) of \(Self.seeds.count)")
        #expect(count >= least, "\(what): \(count) of \(Self.seeds.count)")
    }
}
