import Foundation
import OstiaryTesting
import Testing

extension NodesFixture {
    /// A fault that cannot be made where the nodes are.
    struct NotHere: Error, CustomStringConvertible {
        let fault: NodeFaults.Fault
        var description: String { "\(fault) cannot be made here" }
    }

    /// What can happen to these nodes.
    var faults: [NodeFaults.Fault] {
        let lines = network == nil ? NodeFaults.Fault.ofProxies : NodeFaults.Fault.ofNetworks
        let haveClocks = nodes.allSatisfy { $0.clock != nil }
        let clocks = haveClocks ? NodeFaults.Fault.ofClocks : []
        return NodeFaults.Fault.ofProcesses + lines + clocks + (namesStandby ? NodeFaults.Fault.ofStandbys : [])
    }

    /// For so long people go on while each commit waits for the standby, before it has to do without the server.
    private static let followed = Duration.seconds(1)

    func begin(_ event: NodeFaults.Event) async throws {
        // One that gave up in the fault before would meet nothing in this one.
        try startAgain(nodes)
        let node = nodes[event.node]
        switch event.fault {
        case .killed: try await node.server.kill()
        case .paused: try #require(node.server.program).signal(SIGSTOP)
        case .secondFactorKilled: try await secondFactor.kill()
        case .secondFactorPaused: try #require(secondFactor.program).signal(SIGSTOP)
        case .databaseKilled: try cluster.kill()
        case .databaseReplaced: try await loseServer()
        default: try await change(event.fault, of: node, isBegun: true)
        }
    }

    /// As docs/operations.md has it: a standby is made of the server as it runs, commits wait for it, and the server is gone for good.
    private func loseServer() async throws {
        guard namesStandby else { throw NotHere(fault: .databaseReplaced) }
        try await cluster.startStandby(isSynchronous: true)
        try await Task.sleep(for: Self.followed)
        try await cluster.killWhole()
    }

    func heal(_ event: NodeFaults.Event) async throws {
        let node = nodes[event.node]
        switch event.fault {
        case .killed: try node.start()
        case .paused: try #require(node.server.program).signal(SIGCONT)
        case .secondFactorKilled: try startSecondFactor()
        case .secondFactorPaused: try #require(secondFactor.program).signal(SIGCONT)
        case .databaseKilled: try await cluster.restart()
        case .databaseReplaced: try await cluster.replaceServer()
        default: try await change(event.fault, of: node, isBegun: false)
        }
    }

    /// Of lines and clocks, which are as they were when it is over.
    private func change(_ fault: NodeFaults.Fault, of node: Node, isBegun: Bool) async throws {
        switch (fault, network) {
        case (.cutFromClients, nil): await node.fromClients.become(isBegun ? .cut : .passing)
        case (.silentToClients, nil): await node.fromClients.become(isBegun ? .silent : .passing)
        case (.cutFromDatabase, nil): try await #require(node.toDatabase).become(isBegun ? .cut : .passing)
        case (.silentToDatabase, nil): try await #require(node.toDatabase).become(isBegun ? .silent : .passing)
        case (.secondFactorCutFromDatabase, nil): try await #require(secondFactorToDatabase).become(isBegun ? .cut : .passing)
        case (.secondFactorSilentToDatabase, nil): try await #require(secondFactorToDatabase).become(isBegun ? .silent : .passing)
        case (.lost(let peer, let direction), let network?):
            try await lose(isBegun, between: node.name, and: peer.rawValue, direction, in: network)
        case (.secondFactorLost(let direction), let network?):
            let (own, database) = (NodeFaults.Peer.secondFactor.rawValue, NodeFaults.Peer.database.rawValue)
            try await lose(isBegun, between: own, and: database, direction, in: network)
        case (.unplugged, let network?): try await network.tell("\(isBegun ? "unplug" : "plug") \(node.name)")
        case (.leap(let seconds), _):
            guard let clock = node.clock else { throw NotHere(fault: fault) }
            try clock.leap(by: isBegun ? seconds : 0)
        default: throw NotHere(fault: fault)
        }
    }

    /// A run whose lines were beside its proxies would be met by none of their faults. Whether each has bitten says its ``FaultProbe``.
    func expectProxies() {
        guard network == nil else { return }
        let databases = nodes.compactMap(\.toDatabase)
        #expect(databases.count == nodes.count && nodes.allSatisfy { $0.fromClients.led > 0 } && databases.allSatisfy { $0.led > 0 })
    }

    /// - Parameter node: whose directions they are.
    private func lose(
        _ isLost: Bool, between node: String, and peer: String, _ direction: NodeFaults.Direction, in network: NodeNetwork
    ) async throws {
        if direction != .fromNode { try await network.lose(isLost, peer, to: node) }
        if direction != .toNode { try await network.lose(isLost, node, to: peer) }
    }
}
