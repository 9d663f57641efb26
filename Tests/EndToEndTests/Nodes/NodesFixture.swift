import Foundation
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import ostiary

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Three authentication servers on one PostgreSQL, a second-factor server, and a balancer before the three that remembers nobody; each line can be cut.
final class NodesFixture: Sendable {
    struct Node: Sendable {
        let name: String
        let server: RestartableServer
        fileprivate let ports: (public: ReservedPort, private: ReservedPort, line: ReservedPort)
        fileprivate let socketFolder: TemporaryFolder
        let fromClients: CutLine
        let toDatabase: CutLine
        var adminURL: String { "http://127.0.0.1:\(ports.private.number)" }
        /// By the line that a test cuts.
        var publicURL: String { "http://127.0.0.1:\(ports.line.number)" }
    }

    let folder: TemporaryFolder
    let layout: DemoLayout
    let database: String
    let secondFactor: RestartableServer
    let nodes: [Node]
    private let balancers: [CutLine]

    /// Makes the identities, and starts everything: the first node makes the schema.
    static func running(_ settings: [String: String] = [:], secondFactor others: [String: String] = [:]) async throws -> NodesFixture {
        let fixture = try await NodesFixture(settings, others)
        try fixture.secondFactor.start()
        for node in fixture.nodes {
            try node.server.start()
            try await fixture.waitUntilReady([node])
        }
        return fixture
    }

    private init(_ settings: [String: String], _ others: [String: String]) async throws {
        let folder = try TemporaryFolder()
        let layout = try DemoLayout(data: folder.url)
        let cluster = try await PostgreSQLCluster.shared
        let database = try await cluster.makeDatabase()
        let shared = [
            "OSTIARY_DATABASE_URL": Self.url(of: database, socket: cluster.folder),
            "OSTIARY_KEK_FILE": layout.authenticationData.appendingPathComponent("nodes.kek").path,
        ]
        let launches = try await DemoServers.launches(of: layout) { arguments in
            let program = try Program(arguments, environment: arguments.first == "serve" ? shared : [:])
            return (try await program.end(), program.output, program.complaints)
        }
        var nodes: [Node] = []
        for name in ["A", "B", "C"] {
            let ports = (public: try ReservedPort(), private: try ReservedPort(), line: try ReservedPort())
            let socket = try TemporaryFolder()
            let data = folder.file("node-\(name)")
            try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let own = [
                "OSTIARY_LISTEN": "127.0.0.1:\(ports.public.number)", "OSTIARY_ADMIN_LISTEN": "127.0.0.1:\(ports.private.number)",
                "OSTIARY_DATABASE_URL": Self.url(of: database, socket: socket.path),
            ]
            let environment = launches.authentication.environment.merging(shared) { $1 }.merging(own) { $1 }.merging(settings) { $1 }
            nodes.append(
                Node(
                    name: name,
                    server: RestartableServer(ServerLaunch(name: "node \(name)", arguments: ["serve", "--data", data], environment: environment)),
                    ports: ports, socketFolder: socket,
                    fromClients: try await CutLine(at: .port(ports.line.number), to: [.port(ports.public.number)]),
                    toDatabase: try await CutLine(at: .path(Self.socket(in: socket.path)), to: [.path(Self.socket(in: cluster.folder))])))
        }
        balancers = [
            try await CutLine(at: .port(layout.publicPort), to: nodes.map { .port($0.ports.line.number) }),
            try await CutLine(at: .port(layout.adminPort), to: nodes.map { .port($0.ports.private.number) }),
        ]
        let launch = launches.secondFactor
        secondFactor = RestartableServer(
            ServerLaunch(name: launch.name, arguments: launch.arguments, environment: launch.environment.merging(others) { $1 }))
        (self.folder, self.layout, self.database, self.nodes) = (folder, layout, database, nodes)
    }

    private static func socket(in folder: String) -> String { folder + "/.s.PGSQL.5432" }
    private static func url(of database: String, socket: String) -> String { "postgresql:///\(database)?host=\(socket)&user=ostiary" }

    /// Waits until each of these nodes, and the second-factor server, is ready.
    func waitUntilReady(_ nodes: [Node]? = nil) async throws {
        let addresses = [layout.secondFactorURL + "/ready"] + (nodes ?? self.nodes).map { $0.adminURL + "/ready?for=logins" }
        for address in addresses {
            let url = try #require(URL(string: address))
            try await eventually("\(address) is ready: \((nodes ?? self.nodes).map(\.server.complaints))") { await HTTPProbe.status(of: url) == 200 }
        }
    }

    func begin(_ event: NodeFaults.Event) async throws {
        let node = nodes[event.node]
        switch event.fault {
        case .cutFromClients: node.fromClients.become(.cut)
        case .silentToClients: node.fromClients.become(.silent)
        case .cutFromDatabase: node.toDatabase.become(.cut)
        case .silentToDatabase: node.toDatabase.become(.silent)
        case .killed: try await node.server.kill()
        case .paused: node.server.program?.signal(SIGSTOP)
        case .secondFactorKilled: try await secondFactor.kill()
        case .secondFactorPaused: secondFactor.program?.signal(SIGSTOP)
        }
    }

    func heal(_ event: NodeFaults.Event) throws {
        let node = nodes[event.node]
        switch event.fault {
        case .cutFromClients, .silentToClients: node.fromClients.become(.passing)
        case .cutFromDatabase, .silentToDatabase: node.toDatabase.become(.passing)
        case .killed: try node.server.start()
        case .paused: node.server.program?.signal(SIGCONT)
        case .secondFactorKilled: try secondFactor.start()
        case .secondFactorPaused: secondFactor.program?.signal(SIGCONT)
        }
    }

    func stop() async throws {
        for node in nodes { try await node.server.stop() }
        try await secondFactor.stop()
        try await PostgreSQLCluster.shared.leave(database)
    }
}
