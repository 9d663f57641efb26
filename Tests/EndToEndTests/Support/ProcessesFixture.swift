import Database
import Foundation
import OstiaryProgram
import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import OstiaryPhone

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Both servers as processes over loopback, which a test may end, kill and start again. Every test has its own pair, ports and data.
final class ProcessesFixture: Sendable {
    let folder: TemporaryFolder
    let layout: DemoLayout
    let secondFactor: RestartableServer
    let authentication: RestartableServer
    /// Where their data are; nil for files.
    private let cluster: PostgreSQLCluster?
    /// The names of their databases there, by command.
    private let databases: [String: String]

    /// Makes both and starts them.
    /// - Parameters:
    ///   - changes: settings of the authentication server.
    ///   - others: settings of the second-factor server.
    ///   - engine: where each keeps its data, in a database of its own.
    static func running(
        _ changes: [String: String] = [:], secondFactor others: [String: String] = [:], rootKeys: Bool = false, on engine: DatabaseEngine = .sqlite
    ) async throws -> ProcessesFixture {
        let pair = try await ProcessesFixture(rootKeys: rootKeys, on: engine)
        try await pair.start(changes, secondFactor: others)
        return pair
    }

    /// Makes both identities; starts nothing.
    /// - Parameters:
    ///   - rootKeys: whether the root keys are kept apart, in files that the servers are not started with.
    ///   - engine: where their data are.
    init(rootKeys: Bool = false, on engine: DatabaseEngine = .sqlite) async throws {
        let folder = try TemporaryFolder()
        let cluster = engine == .sqlite ? nil : try await PostgreSQLCluster.shared
        var names: [String: String] = [:]
        if let cluster { for command in ["serve", "second-factor"] { names[command] = try await cluster.makeDatabase() } }
        let settings = cluster?.settings(names) ?? [:]
        (self.folder, self.cluster, databases) = (folder, cluster, names)
        layout = try DemoLayout(data: folder.url)
        let launches = try await DemoServers.launches(of: layout) { arguments in
            let apart = rootKeys ? ["--root-key", folder.file("root-\(arguments.first ?? "")")] : []
            let program = try Program(arguments + apart, environment: settings)
            let code = try await program.end()
            return (code, program.output, program.complaints)
        }
        secondFactor = RestartableServer(launches.secondFactor, on: settings)
        authentication = RestartableServer(launches.authentication, on: settings)
    }

    deinit {
        for name in databases.values { cluster?.leave(name) }
    }

    /// Starts both and waits until both answer.
    /// - Parameters:
    ///   - changes: settings of the authentication server, for this start only.
    ///   - others: the same of the second-factor server.
    ///   - shell: see ``Program``; of the second-factor server too where `isForBoth`.
    func start(
        _ changes: [String: String] = [:], secondFactor others: [String: String] = [:], shell: String? = nil, isForBoth: Bool = false
    ) async throws {
        try secondFactor.start(others, shell: isForBoth ? shell : nil)
        try authentication.start(changes, shell: shell)
        try await waitUntilReady()
    }

    /// What an operator sets beside `--data` for a command at the databases of both; nothing for files.
    var databaseSettings: [String: String] { cluster?.settings(databases) ?? [:] }

    /// The authentication server's database on PostgreSQL, which whoever opens it closes.
    func openDatabase() async throws -> any Database {
        let engine = try #require(cluster)
        return try await engine.open(try #require(databases["serve"]))
    }

    /// What `--print-identity` prints.
    static func identity(_ arguments: [String], environment: [String: String] = [:]) async throws -> String {
        try await identity(toldBy: Program(arguments + ["--print-identity"], environment: environment))
    }

    static func identity(toldBy program: Program) async throws -> String {
        let code = try await program.end()
        try #require(code == 0, "\(program.complaints)")
        return try #require(program.lines.first)
    }

    func backend() async throws -> DemoBackend { try await DemoBackend(layout) }

    func phone(_ name: String = "phone") -> TerminalPhone { TerminalPhone(home: folder.file(name)) }

    func waitUntilReady() async throws {
        try await eventually("both servers are ready: \(authentication.complaints) \(secondFactor.complaints)") {
            // What serve says of the other one holds for some seconds: one that was just ended is asked itself.
            guard let other = URL(string: self.layout.secondFactorURL + "/ready") else { return false }
            guard await HTTPProbe.status(of: other) == 200 else { return false }
            return await self.readiness() == 200
        }
    }

    /// Waits until the authentication server says of itself that it is in order, whatever the other one is: a balancer leaves it where it is.
    func waitUntilInOrder() async throws {
        try await eventually("serve itself is ready: \(authentication.complaints)") { await self.status("/ready") == 200 }
    }

    /// Status of `/ready?for=logins`; nil when nothing answers.
    func readiness() async -> Int? { await status("/ready?for=logins") }

    func status(_ path: String) async -> Int? {
        guard let url = URL(string: layout.adminURL + path) else { return nil }
        return await HTTPProbe.status(of: url)
    }

    /// What a health address of the authentication server answers.
    func report(_ path: String) async throws -> (status: Int, body: String) { try await answer(layout.adminURL + path) }

    /// The same of the second-factor server.
    func otherReport(_ path: String) async throws -> (status: Int, body: String) { try await answer(layout.secondFactorURL + path) }

    /// What any address answers.
    func answer(_ address: String) async throws -> (status: Int, body: String) {
        let url = try #require(URL(string: address))
        let (data, response) = try await URLSession.shared.data(for: URLRequest(url: url, timeoutInterval: 300))
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
    }

    /// Ends both in good order.
    func stop() async throws {
        try await authentication.stop()
        try await secondFactor.stop()
    }
}

/// One server that can be started more than once.
final class RestartableServer: Sendable {
    private struct State {
        var program: Program?
        var earlierOutput = ""
    }

    let launch: ServerLaunch
    private let databases: [String: String]
    private let state = Mutex(State())

    /// - Parameter databases: settings of each start, where its data are not in its folder.
    init(_ launch: ServerLaunch, on databases: [String: String] = [:]) { (self.launch, self.databases) = (launch, databases) }

    /// - Parameters:
    ///   - changes: settings of this start only.
    ///   - shell: see ``Program``.
    @discardableResult
    func start(_ changes: [String: String] = [:], shell: String? = nil) throws -> Program {
        let program = try Program(
            launch.arguments + [ParentOptions.flag], environment: launch.environment.merging(databases) { $1 }.merging(changes) { $1 }, shell: shell)
        state.withLock { state in
            if let old = state.program { state.earlierOutput += old.output + old.complaints }
            state.program = program
        }
        return program
    }

    /// What `--print-identity` prints, where its data are.
    func identity() async throws -> String { try await ProcessesFixture.identity(Array(launch.arguments.prefix(3)), environment: databases) }

    var program: Program? { state.withLock { $0.program } }
    var complaints: String { program?.complaints ?? "" }
    /// All that it ever wrote, whichever run it was.
    var everythingWritten: String { state.withLock { $0.earlierOutput + ($0.program.map { $0.output + $0.complaints } ?? "") } }

    /// kill -9.
    func kill() async throws {
        program?.signal(SIGKILL)
        try await program?.end()
    }

    func stop() async throws {
        program?.signal(SIGTERM)
        try await program?.end()
    }
}
