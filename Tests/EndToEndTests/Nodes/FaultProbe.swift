import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// What shows that a fault has bitten: a fault that is only told about would let every history pass.
struct FaultProbe: Sendable {
    /// Asked while the fault lasts.
    let isThere: @Sendable () async throws -> Bool
    /// Asked when it is over; whoever is still ill then is found by the wait for all to be ready.
    let isOver: @Sendable () async throws -> Bool

    fileprivate init(
        isThere: @Sendable @escaping () async throws -> Bool, isOver: @Sendable @escaping () async throws -> Bool = { true }
    ) {
        (self.isThere, self.isOver) = (isThere, isOver)
    }
}

extension NodesFixture {
    /// Longer than a pool of connections that has lost all of them waits with the next.
    private static let mostWait: Duration = .seconds(5)

    /// Has to be there before the fault begins: some of it compares.
    func probe(of event: NodeFaults.Event) throws -> FaultProbe {
        let node = nodes[event.node]
        switch event.fault {
        case .killed: return Self.probe(ofKilled: node.server)
        case .paused: return Self.probe(ofHalted: node.server)
        case .secondFactorKilled: return Self.probe(ofKilled: secondFactor)
        case .secondFactorPaused: return Self.probe(ofHalted: secondFactor)
        case .databaseKilled:
            let socket = NodeWay.socket(in: cluster.serverFolder)
            return FaultProbe(isThere: { await !NodesFixture.connects(to: socket) }, isOver: { await NodesFixture.connects(to: socket) })
        case .databaseReplaced: return probeOfReplacement()
        case .leap(let seconds): return FaultProbe { try await NodesFixture.isWrong(node, by: seconds) }
        case .lost, .secondFactorLost, .unplugged: return try probe(ofNetwork: event.fault, node.name)
        case .cutFromClients: return Self.probe(of: node.fromClients, .cut, asking: node.publicURL)
        case .silentToClients: return Self.probe(of: node.fromClients, .silent, asking: node.publicURL)
        case .cutFromDatabase: return Self.probe(of: try #require(node.toDatabase), .cut)
        case .silentToDatabase: return Self.probe(of: try #require(node.toDatabase), .silent)
        case .secondFactorCutFromDatabase: return Self.probe(of: try #require(secondFactorToDatabase), .cut)
        case .secondFactorSilentToDatabase: return Self.probe(of: try #require(secondFactorToDatabase), .silent)
        }
    }

    /// Asks until it is so, at least until the moment and for some seconds: on a busy machine a short fault is over before anybody looks, and is let last.
    static func isSeen(until moment: ContinuousClock.Instant, _ ask: @Sendable () async throws -> Bool) async -> Bool {
        let deadline = max(moment, ContinuousClock.now + mostWait)
        repeat {
            // Whoever cannot be asked shows nothing.
            if (try? await ask()) == true { return true }
            try? await Task.sleep(for: .milliseconds(20))
        } while ContinuousClock.now < deadline
        return false
    }

    /// The server is gone, and afterwards still is; the standby has become one that takes writes, and each node has answered from what it has read there.
    private func probeOfReplacement() -> FaultProbe {
        let (before, after) = (NodeWay.socket(in: cluster.serverFolder), cluster.otherFolder)
        return FaultProbe(
            isThere: { await !NodesFixture.connects(to: before) },
            isOver: { [self] in
                guard await cluster.takesWrites(at: after) else { return false }
                try await waitUntilAnswered()
                return await !NodesFixture.connects(to: before)
            })
    }

    /// It is gone by the signal, and another process is in its place afterwards.
    private static func probe(ofKilled server: RestartableServer) -> FaultProbe {
        FaultProbe(isThere: { server.program?.exitCode == 128 + SIGKILL }, isOver: { server.program?.isRunning == true })
    }

    private static func probe(ofHalted server: RestartableServer) -> FaultProbe {
        FaultProbe(
            isThere: { NodesFixture.state(of: server) == "T" }, isOver: { NodesFixture.state(of: server).map { $0 != "T" } ?? false })
    }

    /// As the kernel writes it: T for a process that is halted. Nil where there is none.
    private static func state(of server: RestartableServer) -> Character? {
        guard let program = server.program, program.isRunning else { return nil }
        // Behind its name, which may hold anything.
        return (try? String(contentsOfFile: "/proc/\(program.id)/stat", encoding: .utf8))?.split(separator: ")").last?.first { $0 != " " }
    }

    /// Whether somebody takes connections at a Unix socket.
    private static func connects(to socket: String) async -> Bool {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        guard let channel = try? await bootstrap.connect(unixDomainSocketPath: socket).get() else { return false }
        try? await channel.close()
        return true
    }

    /// Whether an answer of this node bears a time that is so wrong: half a minute more or less may be the machine's.
    private static func isWrong(_ node: Node, by seconds: Int) async throws -> Bool {
        let answer = try await DemoCalls.send("GET", node.adminURL + "/ready", limit: .seconds(2))
        guard let text = answer.headers.first(name: "date"), let date = FieldDate.date(text) else { return false }
        return abs(date.timeIntervalSinceNow - Double(seconds)) < 30
    }

    /// - Parameter address: of whom the probe asks by this line; nil where a server is on it all the time, or tries to be.
    private static func probe(of line: some CuttableWay, _ condition: CutLine.Condition, asking address: String? = nil) -> FaultProbe {
        let before = line.met(condition)
        return FaultProbe {
            if let address { _ = try? await DemoCalls.send("GET", address, limit: .milliseconds(500)) }
            return line.met(condition) > before
        }
    }

    /// What gets lost does so in the directions that were said, and in no other.
    private func probe(ofNetwork fault: NodeFaults.Fault, _ node: String) throws -> FaultProbe {
        guard let network else { throw NotHere(fault: fault) }
        let (one, other, direction): (String, String, NodeFaults.Direction) =
            switch fault {
            case .lost(let peer, let way): (node, peer.rawValue, way)
            case .secondFactorLost(let way): (NodeFaults.Peer.secondFactor.rawValue, NodeFaults.Peer.database.rawValue, way)
            default: (node, NodeFaults.Peer.clients.rawValue, .both)
            }
        return FaultProbe {
            let (isSent, isHeard) = (try await network.reaches(one, other), try await network.reaches(other, one))
            return isSent == (direction == .toNode) && isHeard == (direction == .fromNode)
        }
    }
}
