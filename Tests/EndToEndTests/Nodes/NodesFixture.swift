import Database
import Foundation
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryPhone

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Three authentication servers on one database, a second-factor server on one of its own, and a balancer before the three that remembers nobody; each line can be
/// cut. Both databases are of one PostgreSQL, which nothing else is on: it can be killed.
final class NodesFixture: Sendable {
    struct Node: Sendable {
        let name: String
        let server: RestartableServer
        /// Nil where nothing bends one.
        let clock: FakedClock?
        fileprivate let way: NodeWay
        var fromClients: CutLine { way.fromClients }
        /// Nil where the kernel leads there.
        var toDatabase: DatabaseWay? { way.toDatabase }
        var adminURL: String { "http://127.0.0.1:\(way.ports.private.number)" }
        /// By the line that a test cuts.
        var publicURL: String { "http://127.0.0.1:\(publicPort)" }
        var publicPort: Int { way.ports.line.number }

        func start() throws { try server.start(clock?.environment ?? [:], shell: way.shell) }
    }

    private static let names = ["A", "B", "C"]

    let folder: TemporaryFolder
    let layout: DemoLayout
    let cluster: PostgreSQLCluster
    /// Of the nodes.
    let database: String
    let secondFactor: RestartableServer
    let nodes: [Node]
    /// Nil on loopback.
    let network: NodeNetwork?
    /// Whether their URLs name the place of a standby as well, which a test may make.
    let namesStandby: Bool
    private let secondFactorWay: SecondFactorWay
    private let secondFactorDatabase: String
    private let balancers: [CutLine]

    /// Makes the identities, and starts everything: the first node makes the schema.
    /// - Parameters:
    ///   - settings: of the nodes.
    ///   - others: settings of the second-factor server.
    ///   - isNetworked: whether each of them has a network of its own.
    ///   - hasClocks: whether the clocks of the nodes can be bent.
    ///   - namesStandby: whether URLs name two servers, of which the second is not there before a test makes it.
    static func running(
        _ settings: [String: String] = [:], secondFactor others: [String: String] = [:], isNetworked: Bool = false, hasClocks: Bool = false,
        namesStandby: Bool = false
    ) async throws -> NodesFixture {
        let fixture = try await NodesFixture(settings, others, isNetworked: isNetworked, hasClocks: hasClocks, namesStandby: namesStandby)
        try fixture.startSecondFactor()
        for node in fixture.nodes {
            try node.start()
            try await fixture.waitUntilReady([node])
        }
        return fixture
    }

    private init(_ settings: [String: String], _ others: [String: String], isNetworked: Bool, hasClocks: Bool, namesStandby: Bool) async throws {
        let folder = try TemporaryFolder()
        let layout = try DemoLayout(data: folder.url)
        let cluster = try await PostgreSQLCluster()
        let (database, counters) = (try await cluster.makeDatabase(), try await cluster.makeDatabase())
        let servers = namesStandby ? cluster.folders : [cluster.folder]
        let network = isNetworked ? try await NodeWay.network(of: Self.names, databases: servers) : nil
        let secondFactorWay =
            if let network { try await SecondFactorWay.networked(in: network, of: layout, to: counters, servers: servers.count) } else {
                try await SecondFactorWay.proxied(to: counters, at: servers)
            }
        let shared = [
            "OSTIARY_DATABASE_URL": NodeWay.url(of: database, sockets: [cluster.folder]),
            "OSTIARY_KEK_FILE": layout.authenticationData.appendingPathComponent("nodes.kek").path,
        ]
        let own = ["OSTIARY_SF_DATABASE_URL": NodeWay.url(of: counters, sockets: [cluster.folder])]
        let launches = try await DemoServers.launches(of: layout) { arguments in
            let program = try Program(arguments, environment: arguments.first == "serve" ? shared : own)
            return (try await program.end(), program.output, program.complaints)
        }
        var nodes: [Node] = []
        for name in Self.names {
            let way =
                if let network { try await NodeWay.networked(name, in: network, to: database, servers: servers.count) } else {
                    try await NodeWay.proxied(to: database, at: servers)
                }
            var environment = launches.authentication.environment
            for more in [shared, way.settings, secondFactorWay.nodeSettings, settings] { environment.merge(more) { $1 } }
            nodes.append(try await Self.node(name, by: way, in: folder, environment, hasClock: hasClocks))
        }
        balancers = [
            try await CutLine(at: .port(layout.publicPort), to: nodes.map { .port($0.way.ports.line.number) }),
            try await CutLine(at: .port(layout.adminPort), to: nodes.map { .port($0.way.ports.private.number) }),
        ]
        var environment = launches.secondFactor.environment
        for more in [secondFactorWay.settings, others] { environment.merge(more) { $1 } }
        secondFactor = RestartableServer(
            ServerLaunch(name: launches.secondFactor.name, arguments: launches.secondFactor.arguments, environment: environment))
        (self.folder, self.layout, self.cluster, self.database, self.nodes) = (folder, layout, cluster, database, nodes)
        (self.network, self.secondFactorWay, secondFactorDatabase, self.namesStandby) = (network, secondFactorWay, counters, namesStandby)
    }

    /// One that is not started.
    private static func node(
        _ name: String, by way: NodeWay, in folder: TemporaryFolder, _ environment: [String: String], hasClock: Bool
    ) async throws -> Node {
        let data = folder.file("node-\(name)")
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let launch = ServerLaunch(name: "node \(name)", arguments: ["serve", "--data", data], environment: environment)
        return Node(
            name: name, server: RestartableServer(launch),
            clock: hasClock ? try await FakedClock(folder.file("clock-\(name)")) : nil, way: way)
    }

    /// Nil where the kernel leads there.
    var secondFactorToDatabase: DatabaseWay? { secondFactorWay.toDatabase }

    /// The second-factor server's database, by a way that no test cuts; whoever opens it closes it.
    func openCounters() async throws -> any Database { try await cluster.openAnywhere(secondFactorDatabase) }

    func startSecondFactor() throws { try secondFactor.start(shell: secondFactorWay.shell) }

    /// Waits until each of these nodes, and the second-factor server, is ready.
    func waitUntilReady(_ nodes: [Node]? = nil) async throws {
        let nodes = nodes ?? self.nodes
        let addresses = [layout.secondFactorURL + "/ready"] + nodes.map { $0.adminURL + "/ready?for=logins" }
        for address in addresses {
            let url = try #require(URL(string: address))
            try await eventually("\(address) is ready: \(nodes.map(\.server.complaints))") {
                try self.startAgain(nodes)
                return await HTTPProbe.status(of: url) == 200
            }
        }
    }

    /// Waits until each of the nodes has answered from what it read in the database.
    func waitUntilAnswered() async throws {
        for node in nodes {
            let backend = ManagementClient(origin: node.adminURL, apiKey: layout.rootAPIKey)
            try await eventually("\(node.name) reads: \(node.server.complaints)") {
                try self.startAgain(self.nodes)
                return (try? await backend.call("GET", "/servers/")) != nil
            }
        }
    }

    /// As whoever supervises servers does: one that a fault has met before it ran has ended, and says that it is to be started again. One that a signal has ended
    /// has crashed.
    func startAgain(_ nodes: [Node]) throws {
        for node in nodes where try node.server.hasGivenUp() { try node.start() }
        if try secondFactor.hasGivenUp() { try startSecondFactor() }
    }

    func stop() async throws {
        for node in nodes { try await node.server.stop() }
        try await secondFactor.stop()
    }

    /// Also what is halted just now, which would end in no good order.
    func kill() async {
        for server in nodes.map(\.server) + [secondFactor] { try? await server.kill() }
    }
}

extension RestartableServer {
    /// - Throws: ``Crash``.
    fileprivate func hasGivenUp() throws -> Bool {
        guard let code = program?.exitCode else { return false }
        guard code < 128, complaints.contains("start again when it can be") else { throw Crash(code: code, complaints: complaints) }
        return true
    }
}

/// A server has ended by itself, and not for a fault that it told.
private struct Crash: Error, CustomStringConvertible {
    let code: Int32
    let complaints: String
    var description: String { "a server has ended with \(code): \(complaints)" }
}
