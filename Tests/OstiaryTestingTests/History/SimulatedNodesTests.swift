import OstiaryTesting
import Testing

/// Histories of nodes that are right raise no alarm, and those of nodes with a fault do: mostly, and for what few callers see,
/// in at least one of five, since who asks the wrong node at the right moment is drawn.
@Suite("Histories of simulated nodes")
struct SimulatedNodesTests {
    private static let seeds = 0..<UInt64(40)

    /// How many of the seeds' histories have no explanation.
    private func found<Model: SequentialModel>(
        _ model: Model, _ history: @escaping @Sendable (SimulatedNodes) -> [Model.Call]
    ) async -> Int {
        await onOwnThread {
            Self.seeds.count { seed in
                if case .explained = OrderSearch(model).verdict(on: history(SimulatedNodes(seed: seed))) { false } else { true }
            }
        }
    }

    @Test("Nodes that are right are never accused: of sessions, codes, tries and turns, with answers lost and calls that arrive late")
    func right() async {
        #expect(await found(AliveUntilStopped()) { $0.sessions() } == 0)
        #expect(await found(RedeemedOnce()) { $0.redemptions() } == 0)
        #expect(await found(HandedInOnce()) { $0.handIns() } == 0)
        #expect(await found(BoundedCounter(most: SimulatedNodes.mostTries)) { $0.tries() } == 0)
        #expect(await found(FencedTurn()) { $0.turns() } == 0)
        #expect(await found(SameOutcome()) { $0.repeats() } == 0)
        #expect(await found(OnePIN()) { $0.pins() } == 0)
        #expect(await found(NeverLower()) { $0.readings() } == 0)
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
}
