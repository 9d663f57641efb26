import Database
import Foundation
import OstiaryTesting
import Testing

@testable import OstiaryPhone
@testable import ostiary

/// How the servers start, refuse to start, and end.
@Suite("Life of the server processes", .serialized)
struct ServerLifeTests {
    @Test("--print-identity makes the keys, prints only the hash and logs only what it made, and prints the same again")
    func identity() async throws {
        let folder = try TemporaryFolder()
        for command in ["serve", "second-factor"] {
            let program = try Program([command, "--data", folder.file(command), "--print-identity"])
            #expect(try await program.end() == 0)
            #expect(program.lines.count == 1 && program.lines.first?.count == 43, "\(program.output)")
            // A virtual server was made, which the audit trail has.
            let told = program.complaintLines.filter { $0.contains("serverCreated") }
            #expect(told.count == (command == "serve" ? 1 : 0) && program.complaintLines == told, "\(program.complaints)")
            #expect(try await ProcessesFixture.identity([command, "--data", folder.file(command)]) == program.lines.first)
        }
    }

    #if os(Linux)
    /// Both ended with 0.
    @Test(
        "An identity that nobody can read is no success: --print-identity ends with 1 and one line that says why",
        arguments: [">/dev/full", ">&-"])
    func unprintedIdentity(_ redirection: String) async throws {
        let folder = try TemporaryFolder()
        for command in ["serve", "second-factor"] {
            let arguments = [command, "--data", folder.file(command), "--print-identity"]
            let identity = try await ProcessesFixture.identity(Array(arguments.dropLast()))
            let program = try Program(arguments, shell: "exec \"$0\" \"$@\" \(redirection)")
            #expect(try await program.end() == 1, "\(program.complaints)")
            #expect(program.complaintLines.count == 1 && program.complaints.contains("standard output takes nothing"), "\(program.complaints)")
            #expect(try await ProcessesFixture.identity(Array(arguments.dropLast())) == identity)
        }
    }
    #endif

    @Test("A root key in a file of its own is made once, and is not in the database")
    func rootKey() async throws {
        let folder = try TemporaryFolder()
        let arguments = ["second-factor", "--data", folder.file("data"), "--root-key", folder.file("root")]
        let identity = try await ProcessesFixture.identity(arguments)
        #expect(try await ProcessesFixture.identity(arguments) == identity)
        let mode = try FileManager.default.attributesOfItem(atPath: folder.file("root"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try FileManager.default.removeItem(atPath: folder.file("root"))
        let without = try Program(arguments + ["--print-identity"])
        #expect(try await without.end() == 1)
    }

    @Test("Every server says its identity when it runs, and SIGTERM ends it without waiting for an open poll", arguments: DatabaseEngine.allCases)
    func endsInTime(on engine: DatabaseEngine) async throws {
        let pair = try await ProcessesFixture.running(on: engine)
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let identity = try await pair.authentication.identity()
        try await eventually("it says its identity: \(pair.authentication.complaints)") { pair.authentication.complaints.contains(identity) }
        let held = try person.phone.start(["app-login", "--hold", "600"], pins: [Person.pin])
        _ = try await held.event("sessionLogin")
        // The phone's poll is on its way or open by now; either way it must not hold the server up.
        try await Task.sleep(for: .seconds(1))

        for server in [pair.authentication, pair.secondFactor] {
            server.program?.signal(SIGTERM)
            #expect(try await server.program?.end() == 0)
        }
        held.signal(SIGKILL)
    }

    @Test("Either server takes as many connections as its settings say, in all and from one address, says so when it runs, and keeps to it")
    func connections() async throws {
        let pair = try await ProcessesFixture.running(
            ["OSTIARY_MAX_CONNECTIONS": "77", "OSTIARY_MAX_CONNECTIONS_PER_PEER": "19"],
            secondFactor: ["OSTIARY_SF_MAX_CONNECTIONS": "66", "OSTIARY_SF_MAX_CONNECTIONS_PER_PEER": "18"])
        for (server, words) in [(pair.secondFactor, "66, 18 from one address"), (pair.authentication, "77, 19 from one address")] {
            try await eventually("it says so: \(server.complaints)") { server.complaints.contains(words) }
        }
        for (server, port, most) in [
            (pair.secondFactor, pair.layout.secondFactorPort, 18), (pair.authentication, pair.layout.publicPort, 19),
        ] {
            let crowd = try await Crowd(most + 6, port: port)
            try await eventually("the limit is told: \(server.complaints)") { server.complaints.contains("limit met") }
            try await eventually("what is beyond it is closed") { crowd.open == most }
            try await pair.waitUntilReady()
            await crowd.disperse()
        }
        try await pair.stop()
    }

    @Test("A second serve on the same file, a port in use, and a database of a newer program: one line each, exit code 1")
    func refusals() async throws {
        let pair = try await ProcessesFixture.running()
        let busy = try pair.layout.authenticationEnvironment(secondFactorIdentity: await identity(of: "second-factor", pair))
        try await expectOneLine(
            ["serve", "--data", pair.layout.authenticationData.path],
            busy.merging(["OSTIARY_LISTEN": "127.0.0.1:0", "OSTIARY_ADMIN_LISTEN": "127.0.0.1:0"]) { $1 }, saying: "used by another process")
        try await expectOneLine(["serve", "--data", pair.folder.file("other")], busy, saying: "in use by another process")
        try await expectOneLine(
            ["second-factor", "--data", pair.folder.file("another")],
            ["OSTIARY_SF_LISTEN": "127.0.0.1:\(pair.layout.secondFactorPort)", "OSTIARY_SF_TRUSTED_SERVERS": String(repeating: "A", count: 43)],
            saying: "in use by another process")
        try await pair.stop()

        let file = pair.layout.authenticationData.appendingPathComponent("ostiary.sqlite").path
        let database = try openDatabase(.sqlite(path: file))
        try await database.transaction { try $0.execute("INSERT INTO schema_version (number, name) VALUES (9999, 'later')") }
        try await database.close()
        try await expectOneLine(["serve", "--data", pair.layout.authenticationData.path], busy, saying: "newer than this program")
    }

    @Test(
        "A name of the settings counts once the server runs: a start that fails leaves what REST said, and so does the next one as before",
        arguments: DatabaseEngine.allCases)
    func failedStart(on engine: DatabaseEngine) async throws {
        let pair = try await ProcessesFixture.running(["OSTIARY_SERVER_NAME": "Shop"], on: engine)
        let backend = try await pair.backend()
        let path = "/servers/\(backend.serverID)/"
        let name = { @Sendable () async throws -> String? in
            try JSONLine(String(decoding: try await backend.client.call("GET", path), as: UTF8.self))["serverName"]?.string
        }
        _ = try await backend.client.call("PUT", path, json: ["serverName": "By REST"])
        try await pair.authentication.stop()

        let taken = "127.0.0.1:\(pair.layout.secondFactorPort)"
        let failing = try pair.authentication.start(["OSTIARY_SERVER_NAME": "Mistake", "OSTIARY_LISTEN": taken])
        #expect(try await failing.end() == 1)
        #expect(failing.complaints.contains("in use by another process"), "\(failing.complaints)")

        try pair.authentication.start(["OSTIARY_SERVER_NAME": "Shop"])
        try await eventually("it runs") { pair.authentication.complaints.contains("authentication server runs") }
        #expect(try await name() == "By REST")
        try await pair.authentication.stop()
        try pair.authentication.start(["OSTIARY_SERVER_NAME": "Store"])
        try await eventually("it runs") { pair.authentication.complaints.contains("authentication server runs") }
        #expect(try await name() == "Store")
        try await pair.stop()
    }

    #if !canImport(Darwin)
    @Test("A second server on the same file is kept away by any name of it, and without its lock file")
    func sameFile() async throws {
        let pair = try await ProcessesFixture.running()
        for (server, name) in [(pair.authentication, "ostiary"), (pair.secondFactor, "second-factor")] {
            let data = server.launch.arguments[2]
            let copy = pair.folder.file("copy-\(name)")
            try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
            try FileManager.default.linkItem(atPath: "\(data)/\(name).sqlite", toPath: "\(copy)/\(name).sqlite")
            try FileManager.default.copyItem(atPath: "\(data)/\(name).kek", toPath: "\(copy)/\(name).kek")
            try FileManager.default.removeItem(atPath: "\(data)/\(name).sqlite.lock")
            for folder in [data, copy] {
                try await expectOneLine([server.launch.arguments[0], "--data", folder], server.launch.environment, saying: "used by another process")
            }
        }
        try await pair.waitUntilReady()
        try await pair.stop()
    }
    #endif

    @Test("Settings that cannot be: an unknown key, a plain public URL, an open key file; one line each")
    func settings() async throws {
        let folder = try TemporaryFolder()
        let good = [
            "OSTIARY_PUBLIC_URL": "http://localhost:1", "OSTIARY_LISTEN": "127.0.0.1:0", "OSTIARY_ADMIN_LISTEN": "127.0.0.1:0",
            "OSTIARY_SECOND_FACTOR_URL": "http://127.0.0.1:1", "OSTIARY_SECOND_FACTOR_IDENTITY": String(repeating: "A", count: 43),
        ]
        let yaml = try folder.write(Array("listne: 127.0.0.1:0\n".utf8), to: "bad.yaml")
        let data = ["serve", "--data", folder.file("data")]
        try await expectOneLine(data + ["--config", yaml], good, saying: "listne")
        try await expectOneLine(data, good.merging(["OSTIARY_PUBLIC_URL": "http://login.example.org"]) { $1 }, saying: "https")
        let key = try folder.write(Array(String(repeating: "ab", count: 32).utf8), to: "kek")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
        try await expectOneLine(data, good.merging(["OSTIARY_KEK_FILE": key]) { $1 }, saying: "others than its owner can read")
        try await expectOneLine(
            data, good.merging(["OSTIARY_LISTEN": "127.0.0.1:9", "OSTIARY_ADMIN_LISTEN": "127.0.0.1:9"]) { $1 }, saying: "a port of its own")
        let wrong = try Program(["serve", "--nosuch"])
        #expect(try await wrong.end() == 64)
    }

    @Test(
        "A key file that is missing beside its database is named, and none is made: not of the keys at rest, nor of the root",
        arguments: ["serve", "second-factor"], ["kek", "root"])
    func missingKeyFile(_ command: String, _ which: String) async throws {
        let folder = try TemporaryFolder()
        let data = folder.file(command)
        let arguments = [command, "--data", data, "--root-key", folder.file("root.key")]
        let identity = try await ProcessesFixture.identity(arguments)
        let kek = "\(data)/\(command == "serve" ? "ostiary" : "second-factor").kek"
        let missing = which == "kek" ? kek : folder.file("root.key")
        let kept = try Data(contentsOf: URL(fileURLWithPath: missing))
        try FileManager.default.removeItem(atPath: missing)
        let files = try FileManager.default.contentsOfDirectory(atPath: data).sorted()
        try await expectOneLine(arguments + ["--print-identity"], [:], saying: "the key file \(missing) of the database")
        let other = try Program(arguments + ["--print-identity"])
        try await other.end()
        #expect(other.complaints.contains("made without --root-key takes none later") == (which == "root"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: data).sorted() == files)
        #expect(!FileManager.default.fileExists(atPath: missing))
        _ = try folder.write(Array(kept), to: "back")
        try FileManager.default.moveItem(atPath: folder.file("back"), toPath: missing)
        #expect(try await ProcessesFixture.identity(arguments) == identity)
    }

    @Test(
        "A database that is gone or empty where a server ran is named, and no new server is made of it; put back it is the same server",
        arguments: ["serve", "second-factor"],
        ["gone", "empty", "a link to nowhere", "a link to an unmounted disk", "one byte", "a backup of nothing"])
    func lostDatabase(_ command: String, _ how: String) async throws {
        let folder = try TemporaryFolder()
        let data = folder.file(command)
        let start = [command, "--data", data, "--print-identity"]
        let identity = try await ProcessesFixture.identity([command, "--data", data])
        let name = command == "serve" ? "ostiary" : "second-factor"
        let (file, kept) = ("\(data)/\(name).sqlite", folder.file("kept"))
        try FileManager.default.moveItem(atPath: file, toPath: kept)
        if how == "empty" { try Data().write(to: URL(fileURLWithPath: file)) }
        if how == "one byte" { try Data([0]).write(to: URL(fileURLWithPath: file)) }
        if how == "a backup of nothing" {
            // What `.backup` makes of a path that was mistyped: a database without tables.
            try await SQLiteDatabase.open(path: folder.file("nothing")).close()
            try FileManager.default.copyItem(atPath: folder.file("nothing"), toPath: file)
            try #require(try Data(contentsOf: URL(fileURLWithPath: file)).count > 1)
        }
        let target = folder.file(how == "a link to nowhere" ? "it" : "unmounted/it")
        if how.hasPrefix("a link") { try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: target) }
        let traces = "\(data)/\(name).kek, \(data)/\(name).kek.database"
        let link = how == "a link to nowhere" ? ", a link to \(target)," : ""
        let words =
            how == "a link to an unmounted disk"
            ? "\(file): it is a link to \(target), and there is no folder \(folder.file("unmounted")): mount the disk that it is on; nothing was made"
            : "the database \(file)\(link) is missing or empty, and a server has run with it (\(traces)): put the database back"
        try await expectOneLine(start, [:], saying: words)
        #expect(!FileManager.default.fileExists(atPath: folder.file("unmounted")))
        try? FileManager.default.removeItem(atPath: file)
        try FileManager.default.moveItem(atPath: kept, toPath: file)
        #expect(try await ProcessesFixture.identity([command, "--data", data]) == identity)

        // What a server leaves beside it says as much, wherever its key file is; and who removes all of it gets a new server.
        let key = folder.file("\(name).kek")
        let elsewhere = [command == "serve" ? "OSTIARY_KEK_FILE" : "OSTIARY_SF_KEK_FILE": key]
        try FileManager.default.moveItem(atPath: "\(data)/\(name).kek", toPath: key)
        try FileManager.default.removeItem(atPath: file)
        for trace in ["-wal", ".lock"] {
            try Data().write(to: URL(fileURLWithPath: file + trace))
            try await expectOneLine(start, elsewhere, saying: "a server has run with it (\(file + trace))")
            try FileManager.default.removeItem(atPath: file + trace)
        }
        let new = try Program(start, environment: elsewhere)
        #expect(try await new.end() == 0)
        #expect(new.lines.first?.count == 43 && new.lines.first != identity)
    }

    @Test(
        "A file with the tables of another program is refused by name and left as it is, whether there is a key file or not",
        arguments: ["serve", "second-factor"], [true, false])
    func foreignDatabase(_ command: String, hasKey: Bool) async throws {
        let folder = try TemporaryFolder()
        let (data, name) = (folder.file(command), command == "serve" ? "ostiary" : "second-factor")
        _ = try await ProcessesFixture.identity([command, "--data", data])
        let file = "\(data)/\(name).sqlite"
        try FileManager.default.removeItem(atPath: file)
        let theirs = try SQLiteDatabase.open(path: file)
        try await theirs.transaction { try $0.execute("CREATE TABLE invoice (number INTEGER)") }
        try await theirs.close()
        if !hasKey { try FileManager.default.removeItem(atPath: "\(data)/\(name).kek") }
        let before = try Data(contentsOf: URL(fileURLWithPath: file))
        let words = "\(file) is not a database of this program (what is in it, tables or views or functions, others have made), and was left as it is"
        try await expectOneLine([command, "--data", data, "--print-identity"], [:], saying: words)
        if command == "second-factor" {
            try await expectOneLine([command, "reset", "--data", data, String(repeating: "A", count: 22)], [:], saying: words)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
        #expect(FileManager.default.fileExists(atPath: "\(data)/\(name).kek") == hasKey)
    }

    @Test("A key file that is a named pipe is refused at once, whatever it is the key of", arguments: ["serve", "second-factor"])
    func pipe(_ command: String) async throws {
        let folder = try TemporaryFolder()
        let pipe = folder.file("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        let words = "cannot read the key file \(pipe): no regular file"
        let start = [command, "--data", folder.file("data"), "--print-identity"]
        try await expectOneLine(start, [command == "serve" ? "OSTIARY_KEK_FILE" : "OSTIARY_SF_KEK_FILE": pipe], saying: words)
        try await expectOneLine(start + ["--root-key", pipe], [:], saying: words)
    }

    @Test(
        "A pipe in the place of the database, or beside it, ends a start at once with what it is", arguments: ["serve", "second-factor"],
        ["", "-shm", "-journal", ".moved", ".first-start"])
    func pipeBeside(_ command: String, suffix: String) async throws {
        let folder = try TemporaryFolder()
        let start = [command, "--data", folder.path]
        let file = folder.file(command == "serve" ? "ostiary.sqlite" : "second-factor.sqlite")
        if !suffix.isEmpty { _ = try await ProcessesFixture.identity(start) }
        try #require(mkfifo(file + suffix, 0o600) == 0)
        let words = "cannot open the database \(file): \(file)\(suffix) is a pipe, and a file is to be there: move it away"
        try await expectOneLine(start + ["--print-identity"], [:], saying: words)
    }

    @Test("A server that was started without its root key says so in one line of its log")
    func forgottenRootKey() async throws {
        let pair = try await ProcessesFixture.running(rootKeys: true)
        for server in [pair.authentication, pair.secondFactor] {
            let words = "the root key is kept apart and was not given"
            try await eventually("it says so: \(server.complaints)") { server.complaints.contains(words) }
            #expect(server.complaints.components(separatedBy: words).count == 2, "\(server.complaints)")
        }
        try await pair.stop()
    }

    @Test("A server runs on the settings of a YAML file alone, and an environment variable wins over it")
    func yaml() async throws {
        let folder = try TemporaryFolder()
        let port = try ReservedPort()
        let file = try folder.write(
            Array("sf_listen: 127.0.0.1:1\nsf_trusted_servers:\n  - \(String(repeating: "A", count: 43))\nsf_penalties: [0, 0, 10, 60]\n".utf8),
            to: "sf.yaml")
        let program = try Program(
            ["second-factor", "--config", file, "--data", folder.file("data")], environment: ["OSTIARY_SF_LISTEN": "127.0.0.1:\(port.number)"])
        let url = try #require(URL(string: "http://127.0.0.1:\(port.number)/ready?full=1"))
        try await eventually("ready: \(program.complaints)") { await HTTPProbe.status(of: url) == 200 }
        program.signal(SIGTERM)
        #expect(try await program.end() == 0)
    }

    @Test("Another second-factor server than the configured one at the start: serve ends with an error that names it")
    func otherSecondFactor() async throws {
        let pair = try await ProcessesFixture()
        let identity = try await identity(of: "second-factor", pair)
        let other = try Program(
            ["second-factor", "--data", pair.folder.file("impostor")],
            environment: pair.layout.secondFactorEnvironment(trusting: String(repeating: "A", count: 43)))
        try await eventually("the other answers") {
            await HTTPProbe.status(of: URL(string: pair.layout.secondFactorURL + "/live")!) == 200
        }
        try await expectOneLine(
            ["serve", "--data", pair.layout.authenticationData.path], pair.layout.authenticationEnvironment(secondFactorIdentity: identity),
            saying: "identity")
        other.signal(SIGTERM)
        try await other.end()
    }

    @Test("Without a key of the management interface one is made; the log says where and never what")
    func rootAPIKey() async throws {
        let pair = try await ProcessesFixture.running(["OSTIARY_ROOT_API_KEY": ""])
        let file = pair.layout.authenticationData.appendingPathComponent(RootAPIKey.fileName)
        let key = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
        try await eventually("the log says where: \(pair.authentication.complaints)") { pair.authentication.complaints.contains(file.path) }
        #expect(pair.authentication.complaints.contains("no API key is set: made one in a file"), "\(pair.authentication.complaints)")
        #expect(!pair.authentication.complaints.contains(key))
        _ = try await ManagementClient(origin: pair.layout.adminURL, apiKey: key).call("GET", "/servers/")
        try await pair.authentication.stop()
        try pair.authentication.start(["OSTIARY_ROOT_API_KEY": ""])
        try await pair.waitUntilReady()
        _ = try await ManagementClient(origin: pair.layout.adminURL, apiKey: key).call("GET", "/servers/")
        let words = "no API key is set: using the one in a file"
        try await eventually("it takes the same: \(pair.authentication.complaints)") { pair.authentication.complaints.contains(words) }
        try await pair.stop()
    }

    @Test("An API key that is what the key file holds is refused, in its file or set: every backend would have what opens the database")
    func keyFileAsAPIKey() async throws {
        let pair = try await ProcessesFixture.running(["OSTIARY_ROOT_API_KEY": ""])
        try await pair.authentication.stop()
        let data = pair.layout.authenticationData
        let (keyFile, file) = (data.appendingPathComponent("ostiary.kek"), data.appendingPathComponent(RootAPIKey.fileName))
        let (key, own) = (try String(contentsOf: keyFile, encoding: .utf8), try Data(contentsOf: file))
        try Data(key.uppercased().utf8).write(to: file)
        let digits = key.trimmingCharacters(in: .whitespacesAndNewlines)
        for (set, place) in [("", file.path), (digits, "OSTIARY_ROOT_API_KEY or OSTIARY_ROOT_API_KEY_FILE")] {
            let refused = try pair.authentication.start(["OSTIARY_ROOT_API_KEY": set])
            #expect(try await refused.end() == 1)
            #expect(refused.complaintLines.count == 1, "\(refused.complaints)")
            let words = "the API key (\(place)) is what the key file \(keyFile.path) holds"
            #expect(refused.complaints.contains(words) && !refused.complaints.lowercased().contains(digits), "\(refused.complaints)")
        }
        // With a blank it is another text than the key file's, and the same to whoever asks.
        try Data(" \(digits)\t\n".utf8).write(to: file)
        for set in ["", " \(digits)", "\(digits)\t"] {
            let refused = try pair.authentication.start(["OSTIARY_ROOT_API_KEY": set])
            #expect(try await refused.end() == 1)
            let words = "the API key \(set.isEmpty ? "in \(file.path) " : "")begins or ends with a blank"
            #expect(refused.complaints.contains(words) && !refused.complaints.contains(digits), "\(refused.complaints)")
        }
        try own.write(to: file)
        try pair.authentication.start(["OSTIARY_ROOT_API_KEY": ""])
        try await pair.waitUntilReady()
        try await pair.stop()
    }

    private func identity(of command: String, _ pair: ProcessesFixture) async throws -> String {
        try await ProcessesFixture.identity([command, "--data", pair.layout.secondFactorData.path])
    }

    private func expectOneLine(_ arguments: [String], _ environment: [String: String], saying words: String) async throws {
        let program = try Program(arguments, environment: environment)
        #expect(try await program.end() == 1)
        #expect(program.complaintLines.count == 1, "\(program.complaints)")
        #expect(program.complaints.contains(words), "\(program.complaints)")
        #expect(program.output.isEmpty)
    }
}
