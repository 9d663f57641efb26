import Foundation
import OstiaryTesting

@testable import OstiaryPhone

/// How a node is reached, and how it reaches others: on loopback through proxies that can be cut, or on a machine with a network of its own, which the kernel cuts.
struct NodeWay: Sendable {
    struct Ports: Sendable {
        let `public`: ReservedPort
        let `private`: ReservedPort
        /// Of the line from the balancer.
        let line: ReservedPort

        init() throws { (`public`, `private`, line) = (try ReservedPort(), try ReservedPort(), try ReservedPort()) }
    }

    let ports: Ports
    /// Where it listens, and where it finds the database.
    let settings: [String: String]
    /// What starts it where it is: see ``Program``.
    let shell: String?
    let fromClients: CutLine
    /// Nil where its private listener is asked itself.
    private let fromBackends: CutLine?
    /// Nil where the kernel leads there.
    let toDatabase: CutLine?
    private let sockets: TemporaryFolder

    /// The processes of a run that have networks of their own, beside the nodes.
    private static let peers = NodeFaults.Peer.allCases.map(\.rawValue)
    private static let publicPort = 8_080
    private static let privatePort = 8_081

    /// Where a PostgreSQL of this folder listens.
    static func socket(in folder: String) -> String { folder + "/.s.PGSQL.5432" }

    /// The address of a database by a socket in this folder.
    static func url(of database: String, socket folder: String) -> String { "postgresql:///\(database)?host=\(folder)&user=ostiary" }

    /// The address of a database that a machine's own network leads to.
    static func url(of database: String, at address: String) -> String { "postgresql://ostiary@\(address)/\(database)" }

    /// A node on loopback.
    static func proxied(to database: String, of cluster: PostgreSQLCluster) async throws -> NodeWay {
        let (ports, sockets) = (try Ports(), try TemporaryFolder())
        return NodeWay(
            ports: ports,
            settings: settings(
                listening: ("127.0.0.1:\(ports.public.number)", "127.0.0.1:\(ports.private.number)"), url(of: database, socket: sockets.path)),
            shell: nil,
            fromClients: try await CutLine(at: .port(ports.line.number), to: [.port(ports.public.number)]),
            fromBackends: nil,
            toDatabase: try await CutLine(at: .path(socket(in: sockets.path)), to: [.path(socket(in: cluster.folder))]),
            sockets: sockets)
    }

    /// A node on a machine of its name.
    static func networked(_ name: String, in network: NodeNetwork, to database: String) async throws -> NodeWay {
        let (ports, sockets, machine) = (try Ports(), try TemporaryFolder(), try network.machine(name))
        let places = ("\(machine.address):\(publicPort)", "\(machine.address):\(privatePort)")
        let clients = NodeFaults.Peer.clients.rawValue
        // A Unix socket is in no network: what comes to it goes on from the machine of the clients.
        try await network.lead(clients, from: sockets.file("public"), to: places.0)
        try await network.lead(clients, from: sockets.file("private"), to: places.1)
        let databaseAddress = try network.machine(NodeFaults.Peer.database.rawValue).address
        return NodeWay(
            ports: ports, settings: settings(listening: places, url(of: database, at: databaseAddress)), shell: machine.shell,
            fromClients: try await CutLine(at: .port(ports.line.number), to: [.path(sockets.file("public"))]),
            fromBackends: try await CutLine(at: .port(ports.private.number), to: [.path(sockets.file("private"))]),
            toDatabase: nil, sockets: sockets)
    }

    private static func settings(listening places: (String, String), _ databaseURL: String) -> [String: String] {
        ["OSTIARY_LISTEN": places.0, "OSTIARY_ADMIN_LISTEN": places.1, "OSTIARY_DATABASE_URL": databaseURL]
    }

    /// Networks for nodes of these names, and for whom they talk with.
    static func network(of nodes: [String], cluster: PostgreSQLCluster) async throws -> NodeNetwork {
        let network = try await NodeNetwork(peers + nodes)
        try await network.lead(NodeFaults.Peer.database.rawValue, from: "5432", to: socket(in: cluster.folder))
        return network
    }
}

/// Where the second-factor server is, and how it reaches its database.
struct SecondFactorWay: Sendable {
    /// Its own.
    let settings: [String: String]
    /// Of the nodes.
    let nodeSettings: [String: String]
    let shell: String?
    private let fromTests: CutLine?
    /// Nil where the kernel leads there.
    let toDatabase: CutLine?
    private let sockets: TemporaryFolder

    /// On loopback, where its layout says.
    static func proxied(to database: String, of cluster: PostgreSQLCluster) async throws -> SecondFactorWay {
        let sockets = try TemporaryFolder()
        return SecondFactorWay(
            settings: ["OSTIARY_SF_DATABASE_URL": NodeWay.url(of: database, socket: sockets.path)], nodeSettings: [:], shell: nil, fromTests: nil,
            toDatabase: try await CutLine(at: .path(NodeWay.socket(in: sockets.path)), to: [.path(NodeWay.socket(in: cluster.folder))]),
            sockets: sockets)
    }

    /// On the machine of its name; a test asks it where its layout says.
    static func networked(in network: NodeNetwork, of layout: DemoLayout, to database: String) async throws -> SecondFactorWay {
        let (machine, sockets) = (try network.machine(NodeFaults.Peer.secondFactor.rawValue), try TemporaryFolder())
        let place = "\(machine.address):\(layout.secondFactorPort)"
        try await network.lead(NodeFaults.Peer.clients.rawValue, from: sockets.file("second-factor"), to: place)
        let databaseAddress = try network.machine(NodeFaults.Peer.database.rawValue).address
        return SecondFactorWay(
            settings: ["OSTIARY_SF_LISTEN": place, "OSTIARY_SF_DATABASE_URL": NodeWay.url(of: database, at: databaseAddress)],
            nodeSettings: ["OSTIARY_SECOND_FACTOR_URL": "http://\(place)"], shell: machine.shell,
            fromTests: try await CutLine(at: .port(layout.secondFactorPort), to: [.path(sockets.file("second-factor"))]), toDatabase: nil,
            sockets: sockets)
    }
}
