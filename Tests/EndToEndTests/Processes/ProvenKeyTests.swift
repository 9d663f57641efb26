import Database
import Foundation
import OstiaryTesting
import Testing

/// `KEYFILE.database`, by which an empty database is known as a lost one, is about the database that the key file opens.
@Suite("The mark beside a key file, and a key file of another database", .timeLimit(.minutes(5)))
struct ProvenKeyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// All that a start wants to hear, which a wrong key file ends before any of it counts.
    private static let settings: [String: String] = {
        let identity = String(repeating: "A", count: 43)
        return [
            "OSTIARY_PUBLIC_URL": "http://localhost:1", "OSTIARY_SECOND_FACTOR_URL": "http://127.0.0.1:1", "OSTIARY_LISTEN": "127.0.0.1:0",
            "OSTIARY_ADMIN_LISTEN": "127.0.0.1:0", "OSTIARY_SF_LISTEN": "127.0.0.1:0", "OSTIARY_SECOND_FACTOR_IDENTITY": identity,
            "OSTIARY_SF_TRUSTED_SERVERS": identity,
        ]
    }()

    @Test(
        "A start with a key file that opens nothing there leaves no mark beside it, and one of before as it was; with the right file it leaves its own",
        arguments: ["serve", "second-factor"], DatabaseEngine.allCases)
    func wrongKey(_ command: String, on engine: DatabaseEngine) async throws {
        let file = folder.file("database.sqlite")
        var (url, place) = ("sqlite:\(file)", file)
        let cluster = engine == .sqlite ? nil : try await PostgreSQLCluster.shared
        let name = try await cluster?.makeDatabase()
        if let cluster, let name {
            (url, place) = ("postgresql:///\(name)?host=\(cluster.folder)&user=ostiary", cluster.address(of: name).description)
        }
        let prefix = command == "serve" ? "OSTIARY" : "OSTIARY_SF"
        let (urlSetting, keySetting) = ("\(prefix)_DATABASE_URL", "\(prefix)_KEK_FILE")
        let (right, wrong) = (folder.file("right.kek"), folder.file("wrong.kek"))
        func settings(_ key: String) -> [String: String] { [urlSetting: url, keySetting: key].merging(Self.settings) { $1 } }
        let start = [command, "--data", folder.file("data")]
        let identity = try await ProcessesFixture.identity(start, environment: settings(right))
        #expect(try String(contentsOfFile: right + ".database", encoding: .utf8) == place + "\n")

        _ = try KeyEncryptionKey.load(orMakeAt: wrong)
        let mark = wrong + ".database"
        for former in [nil, "/srv/other/database.sqlite\n"] {
            if let former { try former.write(toFile: mark, atomically: true, encoding: .utf8) }
            for option in [[], ["--print-identity"]] {
                let refused = try Program(start + option, environment: settings(wrong))
                #expect(try await refused.end() == 1)
                #expect(refused.complaints.contains("it is not the one that the database was begun with"), "\(refused.complaints)")
                #expect((try? String(contentsOfFile: mark, encoding: .utf8)) == former, "\(option)")
            }
        }

        try FileManager.default.removeItem(atPath: wrong)
        try FileManager.default.copyItem(atPath: right, toPath: wrong)
        #expect(try await ProcessesFixture.identity(start, environment: settings(wrong)) == identity)
        #expect(try String(contentsOfFile: mark, encoding: .utf8) == place + "\n")
        if let cluster, let name { cluster.leave(name) }
    }
}
