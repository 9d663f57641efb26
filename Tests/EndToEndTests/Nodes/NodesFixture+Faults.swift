import Foundation

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
        return NodeFaults.Fault.ofProcesses + lines + (haveClocks ? NodeFaults.Fault.ofClocks : [])
    }

    func begin(_ event: NodeFaults.Event) async throws {
        let node = nodes[event.node]
        switch event.fault {
        case .killed: try await node.server.kill()
        case .paused: node.server.program?.signal(SIGSTOP)
        case .secondFactorKilled: try await secondFactor.kill()
        case .secondFactorPaused: secondFactor.program?.signal(SIGSTOP)
        default: try await change(event.fault, of: node, isBegun: true)
        }
    }

    func heal(_ event: NodeFaults.Event) async throws {
        let node = nodes[event.node]
        switch event.fault {
        case .killed: try node.start()
        case .paused: node.server.program?.signal(SIGCONT)
        case .secondFactorKilled: try startSecondFactor()
        case .secondFactorPaused: secondFactor.program?.signal(SIGCONT)
        default: try await change(event.fault, of: node, isBegun: false)
        }
    }

    /// Of lines and clocks, which are as they were when it is over.
    private func change(_ fault: NodeFaults.Fault, of node: Node, isBegun: Bool) async throws {
        switch (fault, network) {
        case (.cutFromClients, nil): node.fromClients.become(isBegun ? .cut : .passing)
        case (.silentToClients, nil): node.fromClients.become(isBegun ? .silent : .passing)
        case (.cutFromDatabase, nil): node.toDatabase?.become(isBegun ? .cut : .passing)
        case (.silentToDatabase, nil): node.toDatabase?.become(isBegun ? .silent : .passing)
        case (.lost(let peer, let direction), let network?):
            if direction != .fromNode { try await network.lose(isBegun, peer.rawValue, to: node.name) }
            if direction != .toNode { try await network.lose(isBegun, node.name, to: peer.rawValue) }
        case (.unplugged, let network?): try await network.tell("\(isBegun ? "unplug" : "plug") \(node.name)")
        case (.leap(let seconds), _):
            guard let clock = node.clock else { throw NotHere(fault: fault) }
            try clock.leap(by: isBegun ? seconds : 0)
        default: throw NotHere(fault: fault)
        }
    }
}
