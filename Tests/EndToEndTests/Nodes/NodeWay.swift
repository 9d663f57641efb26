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
    let toDatabase: DatabaseWay?
    /// By which it is reached on a machine of its own; nil on loopback.
    private let sockets: TemporaryFolder?

    /// The processes of a run that have networks of their own, beside the nodes.
    private static let peers = NodeFaults.Peer.allCases.map(\.rawValue)
    private static let publicPort = 8_080
    private static let privatePort = 8_081
    /// Of the first server of a database, on the machine that all of them are on.
    private static let databasePort = 5_432

    /// Where a PostgreSQL of this folder listens.
    static func socket(in folder: String) -> String { folder + "/.s.PGSQL.5432" }

    /// The address of a database by the sockets in these folders.
    static func url(of database: String, sockets folders: [String]) -> String {
        "postgresql:///\(database)?host=\(folders.joined(separator: ","))&user=ostiary"
    }

    /// The address of a database that a machine's own network leads to.
    /// - Parameter servers: how many have it, of which one takes writes.
    static func url(of database: String, in network: NodeNetwork, servers: Int) throws -> String {
        let address = try network.machine(NodeFaults.Peer.database.rawValue).address
        let hosts = (0..<servers).map { "\(address):\(databasePort + $0)" }
        return "postgresql://ostiary@\(hosts.joined(separator: ","))/\(database)"
    }

    /// A node on loopback.
    /// - Parameter folders: of the servers that have the database.
    static func proxied(to database: String, at folders: [String]) async throws -> NodeWay {
        let (ports, toDatabase) = (try Ports(), try await DatabaseWay(to: folders))
        return NodeWay(
            ports: ports,
            settings: settings(
                listening: ("127.0.0.1:\(ports.public.number)", "127.0.0.1:\(ports.private.number)"), toDatabase.url(of: database)),
            shell: nil,
            fromClients: try await CutLine(at: .port(ports.line.number), to: [.port(ports.public.number)]),
            fromBackends: nil, toDatabase: toDatabase, sockets: nil)
    }

    /// A node on a machine of its name.
    /// - Parameter servers: how many have the database.
    static func networked(_ name: String, in network: NodeNetwork, to database: String, servers: Int) async throws -> NodeWay {
        let (ports, sockets, machine) = (try Ports(), try TemporaryFolder(), try network.machine(name))
        let places = ("\(machine.address):\(publicPort)", "\(machine.address):\(privatePort)")
        let clients = NodeFaults.Peer.clients.rawValue
        // A Unix socket is in no network: what comes to it goes on from the machine of the clients.
        try await network.lead(clients, from: sockets.file("public"), to: places.0)
        try await network.lead(clients, from: sockets.file("private"), to: places.1)
        let databaseURL = try url(of: database, in: network, servers: servers)
        return NodeWay(
            ports: ports, settings: settings(listening: places, databaseURL), shell: machine.shell,
            fromClients: try await CutLine(at: .port(ports.line.number), to: [.path(sockets.file("public"))]),
            fromBackends: try await CutLine(at: .port(ports.private.number), to: [.path(sockets.file("private"))]),
            toDatabase: nil, sockets: sockets)
    }

    private static func settings(listening places: (String, String), _ databaseURL: String) -> [String: String] {
        ["OSTIARY_LISTEN": places.0, "OSTIARY_ADMIN_LISTEN": places.1, "OSTIARY_DATABASE_URL": databaseURL]
    }

    /// Networks for nodes of these names, and for whom they talk with.
    /// - Parameter folders: of the servers of the databases.
    static func network(of nodes: [String], databases folders: [String]) async throws -> NodeNetwork {
        let network = try await NodeNetwork(peers + nodes)
        for (number, folder) in folders.enumerated() {
            try await network.lead(NodeFaults.Peer.database.rawValue, from: "\(databasePort + number)", to: socket(in: folder))
        }
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
    let toDatabase: DatabaseWay?
    /// By which it is reached on a machine of its own; nil on loopback.
    private let sockets: TemporaryFolder?

    /// On loopback, where its layout says.
    /// - Parameter folders: of the servers that have its database.
    static func proxied(to database: String, at folders: [String]) async throws -> SecondFactorWay {
        let toDatabase = try await DatabaseWay(to: folders)
        return SecondFactorWay(
            settings: ["OSTIARY_SF_DATABASE_URL": toDatabase.url(of: database)], nodeSettings: [:], shell: nil, fromTests: nil,
            toDatabase: toDatabase, sockets: nil)
    }

    /// On the machine of its name; a test asks it where its layout says.
    /// - Parameter servers: how many have its database.
    static func networked(in network: NodeNetwork, of layout: DemoLayout, to database: String, servers: Int) async throws -> SecondFactorWay {
        let (machine, sockets) = (try network.machine(NodeFaults.Peer.secondFactor.rawValue), try TemporaryFolder())
        let place = "\(machine.address):\(layout.secondFactorPort)"
        try await network.lead(NodeFaults.Peer.clients.rawValue, from: sockets.file("second-factor"), to: place)
        let databaseURL = try NodeWay.url(of: database, in: network, servers: servers)
        return SecondFactorWay(
            settings: ["OSTIARY_SF_LISTEN": place, "OSTIARY_SF_DATABASE_URL": databaseURL],
            nodeSettings: ["OSTIARY_SECOND_FACTOR_URL": "http://\(place)"], shell: machine.shell,
            fromTests: try await CutLine(at: .port(layout.secondFactorPort), to: [.path(sockets.file("second-factor"))]), toDatabase: nil,
            sockets: sockets)
    }
}
