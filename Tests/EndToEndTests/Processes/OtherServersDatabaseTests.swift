import Database
import Foundation
import OstiaryTesting
import Testing

/// The URL of a server's database stands in the setting of the other one.
@Suite("A server on the database of the other one", .timeLimit(.minutes(5)))
struct OtherServersDatabaseTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func setting(_ command: String) -> String { command == "serve" ? "OSTIARY_DATABASE_URL" : "OSTIARY_SF_DATABASE_URL" }
    private static func server(_ command: String) -> String { command == "serve" ? "authentication server" : "second-factor server" }
    private static func file(_ command: String) -> String { command == "serve" ? "ostiary" : "second-factor" }

    /// Has what was started say whose database it is, and nothing of key files and locks.
    private func expectTold(_ arguments: [String], _ url: String, of owner: String) async throws {
        let program = try Program(arguments, environment: [Self.setting(arguments[0]): url])
        #expect(try await program.end() == 1)
        #expect(program.complaintLines.count == 1 && program.output.isEmpty, "\(program.complaints)")
        let whose = "is that of the \(Self.server(owner)), and this is the \(Self.server(arguments[0])): "
        let step = "name its own (\(Self.setting(arguments[0])); that one belongs in \(Self.setting(owner)))"
        #expect(program.complaints.contains(whose + step), "\(program.complaints)")
        for other in ["missing", "another process", "another program", "restore"] {
            #expect(!program.complaints.contains(other), "\(program.complaints)")
        }
    }

    /// Likewise where the role of what was started may read no table there; the server whose database it is hears of the right that is missing.
    private func expectToldWithoutRights(
        _ arguments: [String], _ cluster: PostgreSQLCluster, _ name: String, _ owner: String, _ start: [String]
    ) async throws {
        let role = "stranger_\(name)"
        try await cluster.run(["CREATE ROLE \(role) LOGIN"])
        let url = "postgresql:///\(name)?host=\(cluster.folder)&user=\(role)"
        try await expectTold(arguments, url, of: owner)
        let program = try Program(start + ["--print-identity"], environment: [Self.setting(owner): url])
        #expect(try await program.end() == 1)
        #expect(program.complaints.contains("has not the right in the database \(name) at "), "\(program.complaints)")
        try await cluster.run(["DROP ROLE \(role)"])
    }

    @Test(
        "It is told first that it is the other server's, with and without a key file and while that server runs; nothing is made, and that one goes on",
        arguments: ["serve", "second-factor"], DatabaseEngine.allCases)
    func refused(_ owner: String, on engine: DatabaseEngine) async throws {
        let other = owner == "serve" ? "second-factor" : "serve"
        let start = [owner, "--data", folder.file("owner")]
        let path = folder.file("owner/\(Self.file(owner)).sqlite")
        var (url, settings) = ("sqlite:\(path)", [String: String]())
        let cluster = engine == .sqlite ? nil : try await PostgreSQLCluster.shared
        let name = try await cluster?.makeDatabase()
        if let cluster, let name {
            url = "postgresql:///\(name)?host=\(cluster.folder)&user=ostiary"
            settings = [Self.setting(owner): url]
        }
        let identity = try await ProcessesFixture.identity(start, environment: settings)

        let (data, root) = (folder.file("other"), folder.file("root.key"))
        let wrong = [other, "--data", data, "--root-key", root, "--print-identity"]
        try await expectTold(wrong, url, of: owner)
        if other == "second-factor" {
            try await expectTold([other, "reset", "--data", data, String(repeating: "A", count: 22)], url, of: owner)
        }
        #expect(!FileManager.default.fileExists(atPath: data) && !FileManager.default.fileExists(atPath: root))
        if let cluster, let name { try await expectToldWithoutRights(wrong, cluster, name, owner, start) }

        let key = "\(data)/\(Self.file(other)).kek"
        _ = try KeyEncryptionKey.load(orMakeAt: key)
        try await expectTold(wrong, url, of: owner)
        if engine == .sqlite {
            let held = try openDatabase(.sqlite(path: path))
            try await expectTold(wrong, url, of: owner)
            try await held.close()
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: data) == [URL(fileURLWithPath: key).lastPathComponent])
        #expect(!FileManager.default.fileExists(atPath: root))
        #expect(try await ProcessesFixture.identity(start, environment: settings) == identity)
        if let cluster, let name { cluster.leave(name) }
    }
}
