import Testing

@Suite("Faults of nodes, drawn from a seed")
struct NodeFaultsTests {
    private static let proxied = NodeFaults.Fault.ofProcesses + NodeFaults.Fault.ofProxies + NodeFaults.Fault.ofStandbys
    private static let networked = NodeFaults.Fault.ofProcesses + NodeFaults.Fault.ofNetworks + NodeFaults.Fault.ofClocks

    @Test("The same seed draws the same faults, and another one others")
    func seeded() {
        let runs = [1, 1, 2].map { NodeFaults(seed: $0, length: .seconds(60), among: Self.proxied) }
        #expect(runs[0] == runs[1] && runs[0] != runs[2])
    }

    @Test(
        "They come one after the other, each is over before the run is, and a run of make test meets every sort, one pause of 30 seconds and a failover",
        arguments: 0..<50 as Range<UInt64>)
    func proxies(_ seed: UInt64) {
        let events = NodeFaults(seed: seed, length: .seconds(90), among: Self.proxied, pause: .seconds(30)).events
        expectOrder(events, within: .seconds(90))
        #expect(Self.proxied.allSatisfy { fault in events.contains { $0.fault == fault } })
        #expect(events.contains { $0.fault == .paused && $0.ends - $0.begins == .seconds(30) })
        #expect(events.allSatisfy { $0.fault != .databaseReplaced || $0.ends - $0.begins == .seconds(5) })
    }

    @Test(
        "So they do in networks, where each line is cut in each direction and clocks leap for as long as a node does something in the background",
        arguments: 0..<50 as Range<UInt64>)
    func networks(_ seed: UInt64) {
        let events = NodeFaults(
            seed: seed, length: .seconds(90), longest: .milliseconds(2_500), among: Self.networked, pause: .seconds(8)
        ).events
        expectOrder(events, within: .seconds(90))
        #expect(Self.networked.allSatisfy { fault in events.contains { $0.fault == fault } })
        #expect(events.contains { $0.fault == .paused && $0.ends - $0.begins == .seconds(8) })
        #expect(events.allSatisfy { !NodeFaults.Fault.ofClocks.contains($0.fault) || $0.ends - $0.begins > .seconds(2) })
    }

    @Test("All is well at the end for as long as a run wants it to be", arguments: 0..<20 as Range<UInt64>)
    func calm(_ seed: UInt64) {
        let ends = [2, 30].map { calm in
            NodeFaults(seed: seed, length: .seconds(600), calm: .seconds(calm), longest: .seconds(30), among: Self.networked).events.last?.ends
                ?? .zero
        }
        #expect(ends[1] <= .seconds(570) && ends[1] > .seconds(530) && ends[0] > .seconds(560))
    }

    @Test("They are told by their sorts, each sort by a name of its own, and one that nothing has shown counts for none")
    func told() {
        var tally = FaultTally()
        #expect(tally.description == "0 faults")
        for fault in [.killed, .leap(-60), .killed, .lost(.secondFactor, .both)] as [NodeFaults.Fault] { tally.note(fault, hasBitten: true) }
        #expect(tally.description == "4 faults: 1 clock −60 s, 2 killed, 1 lost to and from second-factor")
        #expect(tally.missing([.killed, .leap(-60)]).isEmpty && tally.missing([.killed, .leap(60), .paused]) == ["clock +60 s", "halted"])
        for fault in [.paused, .killed] as [NodeFaults.Fault] { tally.note(fault, hasBitten: false) }
        #expect(tally.total == 4 && tally.missing([.killed, .paused]) == ["halted"])
        #expect(
            tally.description == "4 faults: 1 clock −60 s, 2 killed, 1 lost to and from second-factor; shown by nothing: 1 halted, 1 killed")
        let all = Self.networked + NodeFaults.Fault.ofProxies + NodeFaults.Fault.ofStandbys
        let names = all.map { fault in
            var tally = FaultTally()
            tally.note(fault, hasBitten: true)
            return tally.description
        }
        #expect(Set(names).count == all.count)
    }

    private func expectOrder(_ events: [NodeFaults.Event], within length: Duration) {
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.ends < $1.begins })
        #expect(events.allSatisfy { $0.begins < $0.ends && $0.ends <= length - .seconds(2) && (0..<3).contains($0.node) })
    }
}
