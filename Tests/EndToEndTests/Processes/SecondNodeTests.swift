import AuthServer
import Database
import Foundation
import OstiaryTesting
import Testing

@testable import OstiaryPhone
@testable import ostiary

/// A second `serve` on the database of the first, as an operator adds one: by what is copied to it.
@Suite("A second node as a process", .enabled(if: PostgreSQLCluster.isInstalled, "no PostgreSQL is installed"), .timeLimit(.minutes(15)))
struct SecondNodeTests {
    private static let unset = ["OSTIARY_ROOT_API_KEY": ""]
    /// Another one that is good.
    private static let otherKey = "8d1f03b6c95e2a7741e0fa6b92c8d35417be60a9f2834cd5960e1b7af3c48d29"
    private static let made = "no API key is set: made one in a file"
    private static let taken = "no API key is set: using the one in a file"
    private static let differs = "this start has another API key than the one that is noted in the database"

    private let ports: (public: ReservedPort, admin: ReservedPort)

    init() throws { ports = (try ReservedPort(), try ReservedPort()) }

    private var adminURL: String { "http://127.0.0.1:\(ports.admin.number)" }

    /// A start does it beside the requests that it answers.
    private func waitUntilNoted(_ pair: ProcessesFixture) async throws {
        let database = try await pair.openDatabase()
        try await eventually("its key is noted: \(pair.authentication.complaints)") { try await NotedRootAPIKey(in: database).isNoted() }
        try await database.close()
    }

    /// With the key file of the first one, in a folder of its own.
    private func secondNode(beside pair: ProcessesFixture) throws -> (server: RestartableServer, data: URL) {
        let data = pair.folder.url.appendingPathComponent("node", isDirectory: true)
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try copy("ostiary.kek", of: pair, to: data)
        let own = ["OSTIARY_LISTEN": "127.0.0.1:\(ports.public.number)", "OSTIARY_ADMIN_LISTEN": "127.0.0.1:\(ports.admin.number)"]
        let environment = pair.authentication.launch.environment.merging(own) { $1 }.merging(Self.unset) { $1 }
        let launch = ServerLaunch(name: "node", arguments: ["serve", "--data", data.path], environment: environment)
        return (RestartableServer(launch, on: pair.databaseSettings), data)
    }

    private func copy(_ name: String, of pair: ProcessesFixture, to data: URL) throws {
        let target = data.appendingPathComponent(name)
        try FileManager.default.copyItem(at: pair.layout.authenticationData.appendingPathComponent(name), to: target)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: target.path)
    }

    private func key(in data: URL) throws -> String {
        let file = data.appendingPathComponent(RootAPIKey.fileName)
        return try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// What a backend with this key is answered.
    private func status(at origin: String, _ key: String) async throws -> Int {
        try await DemoCalls.send("GET", origin + "/servers/", [(name: "X-apikey", value: key)], limit: .seconds(60)).status
    }

    private func waitUntilReady(_ node: RestartableServer) async throws {
        let url = try #require(URL(string: adminURL + "/ready"))
        try await eventually("the second node is ready: \(node.complaints)") { await HTTPProbe.status(of: url) == 200 }
    }

    @Test("A node without the first one's API key does not start and draws none; with the copy one key is good at both, and one that differs is told")
    func apiKey() async throws {
        let pair = try await ProcessesFixture.running(Self.unset, on: .postgresql)
        try await eventually("it made one: \(pair.authentication.complaints)") { pair.authentication.complaints.contains(Self.made) }
        try await waitUntilNoted(pair)
        let key = try key(in: pair.layout.authenticationData)
        let (node, data) = try secondNode(beside: pair)
        let file = data.appendingPathComponent(RootAPIKey.fileName).path

        for _ in 0..<2 {
            let refused = try node.start()
            #expect(try await refused.end() == 1)
            #expect(refused.complaintLines.count == 1 && refused.output.isEmpty, "\(refused.complaints)")
            for words in ["no API key is set (", "there is no \(file). ", "copy the file of another node (mode 600)"] {
                #expect(refused.complaints.contains(words), "\(refused.complaints)")
            }
            #expect(!FileManager.default.fileExists(atPath: file))
        }

        try copy(RootAPIKey.fileName, of: pair, to: data)
        try node.start()
        try await waitUntilReady(node)
        for origin in [pair.layout.adminURL, adminURL] { #expect(try await status(at: origin, key) == 200) }
        try await eventually("it took the copy: \(node.complaints)") { node.complaints.contains(Self.taken) }
        // A stop waits for what the start notes.
        try await node.stop()
        #expect(!node.complaints.contains(Self.made) && !node.complaints.contains(Self.differs), "\(node.complaints)")

        // Changed at one node alone: an operator finds out by its log.
        let other = Self.otherKey
        try Data("\(other)\n".utf8).write(to: URL(fileURLWithPath: file))
        try node.start()
        try await waitUntilReady(node)
        try await eventually("it says that it differs: \(node.complaints)") { node.complaints.contains(Self.differs) }
        #expect(try await status(at: adminURL, key) == 401)
        #expect(try await status(at: pair.layout.adminURL, other) == 401)
        #expect(!node.complaints.contains(other) && !node.complaints.contains(key))

        // At the other one as well: nothing is left to say.
        try await pair.authentication.stop()
        let first = pair.layout.authenticationData.appendingPathComponent(RootAPIKey.fileName)
        try Data("\(other)\n".utf8).write(to: first)
        try pair.authentication.start(Self.unset)
        try await pair.waitUntilReady()
        for origin in [pair.layout.adminURL, adminURL] { #expect(try await status(at: origin, other) == 200) }
        try await eventually("it took it: \(pair.authentication.complaints)") { pair.authentication.complaints.contains(Self.taken) }
        try await node.stop()
        try await pair.stop()
        #expect(!pair.authentication.complaints.contains(Self.differs), "\(pair.authentication.complaints)")
    }

    @Test("A first node whose draft of the API key is a copy of the key file ends before anybody is answered, with both files as they were")
    func keyFileAsDraft() async throws {
        let (folder, cluster) = (try TemporaryFolder(), try await PostgreSQLCluster.shared)
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        try FileManager.default.createDirectory(atPath: folder.file("data"), withIntermediateDirectories: true)
        let files = try ["ostiary.kek", "\(RootAPIKey.fileName).drawn"].map { try folder.write(Self.otherKey, to: "data/\($0)", mode: 0o600) }
        let settings = [
            "OSTIARY_PUBLIC_URL": "https://login.example.org", "OSTIARY_SECOND_FACTOR_URL": "http://127.0.0.1:1",
            "OSTIARY_SECOND_FACTOR_IDENTITY": String(repeating: "ab", count: 32),
            "OSTIARY_DATABASE_URL": "postgresql://ostiary@/\(name)?host=\(cluster.folder)",
            "OSTIARY_LISTEN": "127.0.0.1:\(ports.public.number)", "OSTIARY_ADMIN_LISTEN": "127.0.0.1:\(ports.admin.number)",
        ]
        let refused = try Program(["serve", "--data", folder.file("data")], environment: settings)
        #expect(try await refused.end() == 1)
        let words = "the API key (\(files[1])) is what the key file \(files[0]) holds"
        #expect(refused.complaints.contains(words) && !refused.complaints.contains(Self.otherKey), "\(refused.complaints)")
        for file in files { #expect(try String(contentsOfFile: file, encoding: .utf8) == Self.otherKey) }
        #expect(!FileManager.default.fileExists(atPath: folder.file("data/\(RootAPIKey.fileName)")))
    }

    @Test("Requests are answered before the API key is noted: where the database does not take that the node runs all the same, and says so then")
    func waitingNote() async throws {
        let pair = try await ProcessesFixture.running(Self.unset, on: .postgresql)
        try await waitUntilNoted(pair)
        let (node, data) = try secondNode(beside: pair)
        _ = try pair.folder.write(Self.otherKey, to: "node/\(RootAPIKey.fileName)", mode: 0o600)
        let url = try DatabaseURL(parsing: try #require(pair.databaseSettings["OSTIARY_DATABASE_URL"]))
        guard case .postgresql(let address) = url else { throw Timeout(description: "no PostgreSQL") }
        // Others read it meanwhile, and write nothing there.
        try await TableHolder.with("applied_setting", at: address, mode: "SHARE") { _ in
            try node.start()
            try await waitUntilReady(node)
            let words = "which API key this node has may not be noted"
            try await eventually("it says so: \(node.complaints)") { node.complaints.contains(words) }
            let lines = node.complaints.split(separator: "\n")
            let runs = try #require(lines.firstIndex(where: { $0.contains("authentication server runs") }))
            let says = try #require(lines.firstIndex(where: { $0.contains(words) }))
            #expect(runs < says, "\(node.complaints)")
            #expect(try await status(at: adminURL, try key(in: data)) == 200)
        }
        // The next start makes up for it, and tells what differs.
        try await node.stop()
        try node.start()
        try await waitUntilReady(node)
        try await eventually("it says that it differs: \(node.complaints)") { node.complaints.contains(Self.differs) }
        try await node.stop()
        try await pair.stop()
    }

    @Test("A server that was moved to PostgreSQL starts there with the API key of its data folder; without that file it does not")
    func moved() async throws {
        let pair = try await ProcessesFixture.running(Self.unset)
        try await eventually("it made one: \(pair.authentication.complaints)") { pair.authentication.complaints.contains(Self.made) }
        let key = try key(in: pair.layout.authenticationData)
        // It waits for what the start notes in the database.
        try await pair.authentication.stop()
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        let place = "postgresql://ostiary@/\(name)?host=\(cluster.folder)"
        let file = pair.layout.authenticationData.appendingPathComponent("ostiary.sqlite").path
        let move = try Program(["admin", "move-database", "--from", "sqlite:\(file)", "--to", place])
        #expect(try await move.end() == 0, "\(move.complaints)")
        let settings = Self.unset.merging(["OSTIARY_DATABASE_URL": place]) { $1 }

        let held = pair.layout.authenticationData.appendingPathComponent(RootAPIKey.fileName)
        let aside = pair.folder.url.appendingPathComponent("aside")
        try FileManager.default.moveItem(at: held, to: aside)
        let refused = try pair.authentication.start(settings)
        #expect(try await refused.end() == 1)
        #expect(refused.complaints.contains("there is no \(held.path). A server has noted an API key in the database "), "\(refused.complaints)")
        #expect(!FileManager.default.fileExists(atPath: held.path))

        try FileManager.default.moveItem(at: aside, to: held)
        try pair.authentication.start(settings)
        try await pair.waitUntilReady()
        #expect(try await status(at: pair.layout.adminURL, key) == 200)
        try await eventually("it took it: \(pair.authentication.complaints)") { pair.authentication.complaints.contains(Self.taken) }
        try await pair.stop()
        #expect(!pair.authentication.complaints.contains(Self.differs), "\(pair.authentication.complaints)")
        cluster.leave(name)
    }
}
