import Authentication
import Database
import HTTPService
import Hummingbird
import HummingbirdTesting
import Logging
import OstiaryProtocol
import OstiaryTesting
import SecondFactorServer
import Testing

@testable import AuthServer

/// Several nodes of one authentication server on one PostgreSQL. Each has connections, keys in memory and listeners of its own, as processes on several
/// machines have; the clock is one, and so is the second-factor server.
struct NodesFixture: Sendable {
    let nodes: [ServersFixture]
    let databases: [PostgreSQLDatabase]
    let key: KeyEncryptionKey
    /// Stops the listeners of all.
    let drain: DrainSignal

    subscript(_ number: Int) -> ServersFixture { nodes[number] }
    var clock: TestClock { nodes[0].clock }

    /// - Parameters:
    ///   - silent: the node that tells no other what it did.
    ///   - second: of a phone that waits: by default longer than a test may take, so that nothing but news ends a wait.
    ///   - secondFactorKey: which wraps the keys of the second-factor server.
    ///   - sockets: by which the nodes come to their database, for tests that cut their lines.
    static func run(
        _ count: Int, silent: Int? = nil, second: Duration = .seconds(600), secondFactorKey: KeyEncryptionKey = .random(),
        through sockets: [CuttingSocket] = [], _ body: @Sendable @escaping (NodesFixture) async throws -> Void
    ) async throws {
        try await SchemaTemplate.authentication.withPostgreSQL(count, through: sockets) { databases in
            let parts = try await Parts(databases, secondFactorKey)
            try await Application(router: parts.secondFactor.router, logger: parts.logger).test(.router) { client in
                let transport = SwitchedTransport(client: client)
                var services: [AuthNode] = []
                for number in databases.indices {
                    services.append(try await parts.node(number, transport, second, events: number == silent ? SessionEventHub() : nil))
                }
                // From here on each hears all that others say.
                for database in databases { await database.untilListening() }
                try await parts.lend(services, transport, [], body)
            }
        }
    }

    /// What the nodes are made of.
    private struct Parts: Sendable {
        let databases: [PostgreSQLDatabase]
        let key = KeyEncryptionKey.random()
        let drain = DrainSignal()
        let clock = TestClock()
        let skew = Skew()
        let logger: Logger
        let secondFactorDatabase: any Database
        let secondFactor: SecondFactorNode

        init(_ databases: [PostgreSQLDatabase], _ secondFactorKey: KeyEncryptionKey) async throws {
            self.databases = databases
            var quiet = Logger(label: "test")
            quiet.logLevel = .critical
            logger = quiet
            let (clock, skew) = (clock, skew)
            let identity = try await AuthNode.identityHash(database: databases[0], keyEncryptionKey: key, logger: quiet) { clock.now }
            secondFactorDatabase = try await SchemaTemplate.secondFactor.database()
            secondFactor = try await SecondFactorNode(
                settings: SecondFactorNodeSettings(trustedRoots: [identity]), database: secondFactorDatabase, keyEncryptionKey: secondFactorKey,
                logger: quiet, readinessLimit: .patientReadiness, clock: { skew.moment(by: clock) })
        }

        func node(_ number: Int, _ transport: SwitchedTransport, _ second: Duration, events: (any SessionEvents)? = nil) async throws -> AuthNode {
            try await AuthNode(
                .ofTests(pinning: secondFactor.identityHash), over: databases[number], key: key, secondFactor: transport, by: clock, logger: logger,
                drain: drain, second: second, events: events)
        }

        /// Opens the router of one node after the other.
        func lend(
            _ services: [AuthNode], _ transport: SwitchedTransport, _ open: [ServersFixture],
            _ body: @Sendable @escaping (NodesFixture) async throws -> Void
        ) async throws {
            guard open.count < services.count else {
                return try await body(NodesFixture(nodes: open, databases: databases, key: key, drain: drain))
            }
            let service = services[open.count]
            try await Application(router: service.publicRouter, logger: logger).test(.router) { phones in
                let number = open.count
                let fixture = ServersFixture(
                    clock: clock, skew: skew, service: service, secondFactor: transport, database: databases[number],
                    secondFactorDatabase: secondFactorDatabase, key: key, commits: LosingDatabase(databases[number]),
                    secondFactorCommits: LosingDatabase(secondFactorDatabase), start: { try await node(number, transport, .seconds(1)) },
                    phones: phones)
                try await lend(services, transport, open + [fixture], body)
            }
        }
    }
}

extension PostgreSQLDatabase {
    /// Returns when it hears what is announced.
    func untilListening() async {
        let (gaps, gap) = AsyncStream.makeStream(of: Void.self)
        announcements?.listen { _ in gap.yield() }
        for await _ in gaps { return }
    }
}

extension ServersFixture {
    /// Returns when so many callers wait for news at this node.
    func waiters(_ count: Int) async throws {
        let news = try #require(services.events as? SharedSessionEvents)
        while news.listenerCount < count { await Task.yield() }
    }
}
