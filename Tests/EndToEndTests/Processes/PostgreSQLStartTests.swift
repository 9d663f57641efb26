import Database
import Foundation
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// Both servers as programs whose URL names PostgreSQL.
@Suite("Starts on PostgreSQL", .enabled(if: PostgreSQLCluster.isInstalled))
struct PostgreSQLStartTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Prints an identity, of a server on this database.
    private func start(
        _ command: String, on database: String, of own: PostgreSQLCluster? = nil, _ more: [String: String] = [:]
    ) async throws -> Program {
        let cluster: PostgreSQLCluster = if let own { own } else { try await PostgreSQLCluster.shared }
        let settings = cluster.settings([command: database])
        let program = try Program([command, "--data", folder.file("data"), "--print-identity"], environment: settings.merging(more) { $1 })
        _ = try await program.end()
        return program
    }

    private func keyFile(_ command: String) -> String { folder.file("data/\(command == "serve" ? "ostiary" : "second-factor").kek") }

    @Test(
        "An empty database beside a key file with which a server has run is refused, by the name of the mark; the right one is still the same server",
        arguments: ["serve", "second-factor"])
    func lost(_ command: String) async throws {
        let cluster = try await PostgreSQLCluster.shared
        let (own, empty) = (try await cluster.makeDatabase(), try await cluster.makeDatabase())
        let first = try await start(command, on: own)
        #expect(first.exitCode == 0, "\(first.complaints)")
        let identity = try #require(first.lines.first)

        let mark = keyFile(command) + ".database"
        let refused = try await start(command, on: empty)
        #expect(refused.exitCode == 1 && refused.complaintLines.count == 1)
        let former = cluster.address(of: own).description
        let words = "is missing or empty, and a server has run with the key file \(keyFile(command)) on \(former) (\(mark)): name that database"
        #expect(refused.complaints.contains(words), "\(refused.complaints)")
        #expect(try await start(command, on: own).lines.first == identity)

        try FileManager.default.removeItem(atPath: mark)
        let new = try await start(command, on: empty)
        #expect(new.exitCode == 0 && new.lines.first != identity, "\(new.complaints)")
        for name in [own, empty] { cluster.leave(name) }
    }

    @Test(
        "Emptied itself it is a lost one, also if the mark names nothing or is a link to nowhere; none is a new server",
        arguments: ["serve", "second-factor"])
    func emptied(_ command: String) async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        _ = try await start(command, on: name)
        try await cluster.run(["DROP SCHEMA public CASCADE", "CREATE SCHEMA public"], in: name)
        let mark = keyFile(command) + ".database"
        let spoils: [() throws -> Void] = [
            {}, { try Data().write(to: URL(fileURLWithPath: mark)) },
            {
                try FileManager.default.removeItem(atPath: mark)
                try FileManager.default.createSymbolicLink(atPath: mark, withDestinationPath: "/not/mounted/just/now")
            },
        ]
        for spoil in spoils {
            try spoil()
            let refused = try await start(command, on: name)
            #expect(refused.exitCode == 1)
            #expect(refused.complaints.contains("is missing or empty, and a server has run with it (\(mark))"), "\(refused.complaints)")
            // Its tables may be in another schema; and what is removed has a name.
            #expect(refused.complaints.contains("name that in the search_path of this role"), "\(refused.complaints)")
            #expect(refused.complaints.contains("to whom nobody is enrolled, remove \(mark)"), "\(refused.complaints)")
        }
        cluster.leave(name)
    }

    @Test(
        "A URL that was lost from the settings makes no server of a new file beside a key file that has run on PostgreSQL, wherever that lies",
        arguments: ["serve", "second-factor"])
    func lostURL(_ command: String) async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        let key = [command == "serve" ? "OSTIARY_KEK_FILE" : "OSTIARY_SF_KEK_FILE": folder.file("keys/it.kek")]
        let first = try await start(command, on: name, key)
        #expect(first.exitCode == 0, "\(first.complaints)")
        let refused = try Program([command, "--data", folder.file("data"), "--print-identity"], environment: key)
        #expect(try await refused.end() == 1)
        #expect(refused.complaintLines.count == 1)
        let setting = command == "serve" ? "OSTIARY_DATABASE_URL" : "OSTIARY_SF_DATABASE_URL"
        let former = "on \(cluster.address(of: name)) (\(folder.file("keys/it.kek.database"))): name that database (\(setting))"
        #expect(refused.complaints.contains(former), "\(refused.complaints)")
        let file = folder.file("data/\(command == "serve" ? "ostiary" : "second-factor").sqlite")
        #expect(!FileManager.default.fileExists(atPath: file) && !FileManager.default.fileExists(atPath: file + ".first-start"))
        // Where that is really meant, the line says what to remove.
        try FileManager.default.removeItem(atPath: folder.file("keys/it.kek.database"))
        let new = try Program([command, "--data", folder.file("data"), "--print-identity"], environment: key)
        #expect(try await new.end() == 0)
        #expect(new.lines.first?.count == 43 && new.lines.first != first.lines.first)
        cluster.leave(name)
    }

    @Test(
        "A URL with a slip makes no server of an empty PostgreSQL beside a file that a server has filled, also where that server left no mark",
        arguments: ["serve", "second-factor"], [true, false])
    func besideFile(_ command: String, hasMark: Bool) async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        let first = try Program([command, "--data", folder.file("data"), "--print-identity"])
        #expect(try await first.end() == 0)
        let (mark, file) = (keyFile(command) + ".database", folder.file("data/\(command == "serve" ? "ostiary" : "second-factor").sqlite"))
        #expect(try String(contentsOfFile: mark, encoding: .utf8) == file + "\n")
        if !hasMark { try FileManager.default.removeItem(atPath: mark) }
        let refused = try await start(command, on: name)
        #expect(refused.exitCode == 1 && refused.complaintLines.count == 1)
        let words = "a server has run with the key file \(keyFile(command)) on \(file)\(hasMark ? " (\(mark))" : ""): name that"
        #expect(refused.complaints.contains(words), "\(refused.complaints)")
        let database = try await cluster.open(name)
        #expect(try await database.read { try $0.one("SELECT to_regclass('schema_version') IS NULL AS none")?.bool("none") } == true)
        await database.close()
        let again = try Program([command, "--data", folder.file("data"), "--print-identity"])
        #expect(try await again.end() == 0)
        #expect(again.lines.first == first.lines.first)
        cluster.leave(name)
    }

    @Test(
        "A server that was moved starts on what it was moved to, by the same key file, there and back and there; its mark goes with it",
        arguments: ["serve", "second-factor"])
    func moved(_ command: String) async throws {
        let cluster = try await PostgreSQLCluster.shared
        let names = [try await cluster.makeDatabase(), try await cluster.makeDatabase()]
        let key = [command == "serve" ? "OSTIARY_KEK_FILE" : "OSTIARY_SF_KEK_FILE": folder.file("keys/it.kek")]
        let setting = command == "serve" ? "OSTIARY_DATABASE_URL" : "OSTIARY_SF_DATABASE_URL"
        let urls = [
            "sqlite:\(folder.file("one.sqlite"))", "postgresql://ostiary@/\(names[0])?host=\(cluster.folder)",
            "sqlite:\(folder.file("two.sqlite"))", "postgresql://ostiary@/\(names[1])?host=\(cluster.folder)",
        ]
        let marks = [folder.file("one.sqlite"), "\(cluster.address(of: names[0]))", folder.file("two.sqlite"), "\(cluster.address(of: names[1]))"]
        var identities: Set<String> = []
        for place in 0..<4 {
            if place > 0 {
                for _ in 0..<2 {
                    let move = try Program(["admin", "move-database", "--from", urls[place - 1], "--to", urls[place]])
                    #expect(try await move.end() == 0, "\(move.complaints)")
                }
            }
            let server = try Program(
                [command, "--data", folder.file("data"), "--print-identity"], environment: key.merging([setting: urls[place]]) { $1 })
            #expect(try await server.end() == 0, "\(server.complaints)")
            identities.formUnion(server.lines)
            #expect(try String(contentsOfFile: folder.file("keys/it.kek.database"), encoding: .utf8) == marks[place] + "\n")
        }
        #expect(identities.count == 1)
        names.forEach(cluster.leave)
    }

    @Test(
        "A database that is not there is told with the setting that names it and with how it is made, a URL that is none likewise; no key file is made",
        arguments: ["serve", "second-factor"])
    func noDatabase(_ command: String) async throws {
        let setting = command == "serve" ? "OSTIARY_DATABASE_URL" : "OSTIARY_SF_DATABASE_URL"
        let absent = try await start(command, on: "nowhere")
        #expect(absent.exitCode == 1 && absent.complaintLines.count == 1)
        #expect(absent.complaints.hasPrefix("ostiary \(command): \(setting): cannot open the database nowhere at "), "\(absent.complaints)")
        let step = "createdb --owner=ostiary --template=template0 --encoding=UTF8 --locale=C nowhere, as a superuser of PostgreSQL"
        #expect(absent.complaints.contains(step), "\(absent.complaints)")
        let open = try await start(command, on: "", [setting: "postgresql://db.example/x?sslmode=prefer"])
        #expect(open.exitCode == 1 && open.complaintLines.count == 1)
        #expect(open.complaints.hasPrefix("ostiary \(command): \(setting): the database URL names another machine"), "\(open.complaints)")
        #expect(!FileManager.default.fileExists(atPath: folder.file("data")))
    }

    @Test(
        "A node whose key file is not the first one's hears that, and to copy that one; with the copy it is the same server, without any it makes none",
        arguments: ["serve", "second-factor"])
    func otherKeyFile(_ command: String) async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        let first = try await start(command, on: name)
        #expect(first.exitCode == 0, "\(first.complaints)")
        let node = folder.file("node")
        let key = "\(node)/\(URL(fileURLWithPath: keyFile(command)).lastPathComponent)"
        func startNode() async throws -> Program {
            let program = try Program([command, "--data", node, "--print-identity"], environment: cluster.settings([command: name]))
            _ = try await program.end()
            return program
        }

        let without = try await startNode()
        #expect(without.exitCode == 1 && without.complaintLines.count == 1)
        #expect(without.complaints.contains("(of several nodes all have the same: copy that of the first one)"), "\(without.complaints)")
        #expect(!FileManager.default.fileExists(atPath: key))

        _ = try KeyEncryptionKey.load(orMakeAt: key)
        let content = try String(contentsOfFile: key, encoding: .utf8)
        let other = try await startNode()
        #expect(other.exitCode == 1 && other.complaintLines.count == 1)
        for words in ["it is not the one that the database was begun with. Put that", "copy that of the first node here. Never make a new one"] {
            #expect(other.complaints.contains(words), "\(other.complaints)")
        }
        #expect(!other.complaints.contains(String(content.prefix(64))))
        #expect(try String(contentsOfFile: key, encoding: .utf8) == content)

        try FileManager.default.removeItem(atPath: key)
        try FileManager.default.copyItem(atPath: keyFile(command), toPath: key)
        #expect(try await startNode().lines == first.lines)
        cluster.leave(name)
    }

    @Test("A first start that made its key file and no table goes on", arguments: ["serve", "second-factor"])
    func interrupted(_ command: String) async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        try FileManager.default.createDirectory(atPath: folder.file("data"), withIntermediateDirectories: true)
        _ = try KeyEncryptionKey.load(orMakeAt: keyFile(command))
        let program = try await start(command, on: name)
        #expect(program.exitCode == 0, "\(program.complaints)")
        cluster.leave(name)
    }

    @Test(
        "A92 a first start on a server that waits for an absent standby ends with a line that says so and how it is seen, and goes well afterwards",
        arguments: ["serve", "second-factor"])
    func absentStandby(_ command: String) async throws {
        let cluster = try await PostgreSQLCluster()
        let name = try await cluster.makeDatabase()
        try await cluster.change("synchronous_standby_names", to: "absent")
        let refused = try await start(command, on: name, of: cluster)
        #expect(refused.exitCode == 1 && refused.complaintLines.count == 1, "\(refused.complaints)")
        #expect(refused.complaints.contains("commits are not answered: is the synchronous standby there?"), "\(refused.complaints)")
        #expect(refused.complaints.contains("SHOW synchronous_standby_names") && refused.complaints.contains("pg_stat_replication"))
        #expect(refused.complaintLines.last?.hasSuffix("; then run this again") == true)
        try await cluster.change("synchronous_standby_names", to: "")
        let started = try await start(command, on: name, of: cluster)
        #expect(started.exitCode == 0, "\(started.complaints)")
    }

    @Test("A second-factor server that calls itself highly available starts on no file, and on no PostgreSQL without a standby, and says what to do")
    func highlyAvailable() async throws {
        let flag = ["OSTIARY_SF_HIGHLY_AVAILABLE": "true"]
        let data = folder.file("file")
        let onFile = try Program(["second-factor", "--data", data, "--print-identity"], environment: flag)
        #expect(try await onFile.end() == 1)
        #expect(onFile.complaints.contains("name a PostgreSQL that has a synchronous standby"), "\(onFile.complaints)")
        #expect(!FileManager.default.fileExists(atPath: data))

        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        let alone = try await start("second-factor", on: name, flag)
        #expect(alone.exitCode == 1 && alone.complaintLines.count == 1)
        #expect(alone.complaints.contains("ALTER SYSTEM SET synchronous_standby_names"), "\(alone.complaints)")
        let database = try await cluster.open(name)
        #expect(try await database.read { try $0.one("SELECT to_regclass('schema_version') IS NULL AS none")?.bool("none") } == true)
        await database.close()
        cluster.leave(name)
    }
}

extension PostgreSQLCluster {
    /// Settings of programs whose databases are here.
    /// - Parameter databases: by the command of each.
    func settings(_ databases: [String: String]) -> [String: String] {
        let names = ["serve": "OSTIARY_DATABASE_URL", "second-factor": "OSTIARY_SF_DATABASE_URL"]
        let pairs = databases.compactMap { command, database in names[command].map { ($0, "postgresql:///\(database)?host=\(folder)&user=ostiary") } }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}
