import Testing

@Suite("Faults of nodes, drawn from a seed")
struct NodeFaultsTests {
    @Test("The same seed draws the same faults, and another one others")
    func seeded() {
        let runs = [1, 1, 2].map { NodeFaults(seed: $0, length: .seconds(60)) }
        #expect(runs[0] == runs[1] && runs[0] != runs[2])
    }

    @Test("They come one after the other, each is over before the run is, and a minute meets every sort", arguments: 0..<50 as Range<UInt64>)
    func order(_ seed: UInt64) {
        let events = NodeFaults(seed: seed, length: .seconds(60)).events
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.ends < $1.begins })
        #expect(events.allSatisfy { $0.begins < $0.ends && $0.ends <= .seconds(58) && (0..<3).contains($0.node) })
        #expect(NodeFaults.Fault.allCases.allSatisfy { fault in events.contains { $0.fault == fault } })
    }
}
