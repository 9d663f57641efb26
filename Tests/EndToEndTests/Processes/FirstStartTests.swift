import Database
import Foundation
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// A first start that does not come to its end, of either server.
@Suite("The first start of a server")
struct FirstStartTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "A first start for which the disk is full goes on when there is room, and is one server from then on", arguments: ["serve", "second-factor"],
        [true, false])
    func fullDisk(_ command: String, hasRootKey: Bool) async throws {
        let (data, name) = (folder.file(command), command == "serve" ? "ostiary" : "second-factor")
        let start = [command, "--data", data, "--print-identity"] + (hasRootKey ? ["--root-key", folder.file("root.key")] : [])
        // Eight blocks of 512 bytes for any one file: the key file and the header of the database, not its log.
        let full = try Program(start, shell: #"ulimit -f 8; exec "$0" "$@""#)
        #expect(try await full.end() != 0)
        #expect(full.complaints.contains("a file of this process may have 4096 bytes: ulimit -f, LimitFSIZE"), "\(full.complaints)")
        #expect(FileManager.default.fileExists(atPath: "\(data)/\(name).kek"))
        let program = try Program(start)
        #expect(try await program.end() == 0, "\(program.complaints)")
        let identity = try #require(program.lines.first)
        let again = try Program(start)
        #expect(try await again.end() == 0, "\(again.complaints)")
        #expect(again.lines.first == identity)
    }

    @Test(
        "A start that a limit of file size stops says that it is one, and how many bytes it lets a file have: a first one, and one on what is there",
        arguments: ["serve", "second-factor"])
    func fileSize(_ command: String) async throws {
        let start = [command, "--data", folder.file(command), "--print-identity"]
        // Blocks of 512 bytes: too few for a key, for a database, and for its tables.
        for blocks in [0, 8, 64] {
            let small = try Program(start, shell: "ulimit -f \(blocks); exec \"$0\" \"$@\"")
            #expect(try await small.end() == 1)
            let words = "a file of this process may have \(blocks * 512) bytes: ulimit -f, LimitFSIZE"
            #expect(small.complaints.contains(words), "\(blocks): \(small.complaints)")
            // It has ended.
            #expect(!small.complaints.contains("goes on by itself"), "\(blocks): \(small.complaints)")
        }
        let program = try Program(start)
        #expect(try await program.end() == 0, "\(program.complaints)")
        let small = try Program(start, shell: #"ulimit -f 0; exec "$0" "$@""#)
        #expect(try await small.end() == 1)
        #expect(small.complaints.contains("a file of this process may have 0 bytes: ulimit -f, LimitFSIZE"), "\(small.complaints)")
    }

    @Test(
        "A first start goes on from whatever one that was killed had made; after it a database that is lost is no first start",
        arguments: ["serve", "second-factor"], 0...5)
    func killed(_ command: String, after steps: Int) async throws {
        let (data, name) = (folder.file(command), command == "serve" ? "ostiary" : "second-factor")
        let (file, start) = ("\(data)/\(name).sqlite", [command, "--data", data, "--print-identity"])
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        let url = DatabaseURL.sqlite(path: file)
        let key = KeyEncryptionKey.random()
        try FirstStart(of: url).begin(withKey: key.id)
        if steps > 0 { _ = try KeyEncryptionKey.load(orMakeAt: "\(data)/\(name).kek", as: key) }
        if steps == 2 { try Data().write(to: URL(fileURLWithPath: file)) }
        if steps > 2 { try await openDatabase(url).close() }
        if steps > 3 { for trace in ["-wal", ".lock"] { try Data().write(to: URL(fileURLWithPath: file + trace)) } }
        if steps > 4 {
            let database = try openDatabase(url)
            try await database.beginSchema()
            try await database.close()
        }
        let program = try Program(start)
        #expect(try await program.end() == 0, "\(program.complaints)")
        #expect(program.lines.first?.count == 43)
        #expect(!FirstStart(of: url).isUnderWay(withKey: nil))

        for rest in ["", "-wal", "-shm", ".lock"] { try? FileManager.default.removeItem(atPath: file + rest) }
        let lost = try Program(start)
        #expect(try await lost.end() == 1)
        let traces = "\(data)/\(name).kek, \(data)/\(name).kek.database"
        #expect(lost.complaints.contains("is missing or empty, and a server has run with it (\(traces))"), "\(lost.complaints)")
    }

    @Test("Who removes what the refusal of an empty database names gets a new server at once", arguments: ["serve", "second-factor"])
    func advice(_ command: String) async throws {
        let (data, name) = (folder.file(command), command == "serve" ? "ostiary" : "second-factor")
        let (file, start) = ("\(data)/\(name).sqlite", [command, "--data", data, "--print-identity"])
        try await openDatabase(.sqlite(path: file)).close()
        let key = "\(data)/\(name).kek"
        _ = try KeyEncryptionKey.load(orMakeAt: key)
        for trace in ["\(file)-wal", "\(file).lock"] { try Data([0]).write(to: URL(fileURLWithPath: trace)) }
        let refused = try Program(start)
        #expect(try await refused.end() == 1)
        let left = [key, "\(file)-wal", "\(file).lock"].filter(FileManager.default.fileExists(atPath:))
        #expect(refused.complaints.contains("to whom nobody is enrolled, remove \(file), \(key)"), "\(refused.complaints)")
        for trace in left { #expect(refused.complaints.contains(trace), "\(refused.complaints)") }
        for named in [file] + left { try FileManager.default.removeItem(atPath: named) }
        let new = try Program(start)
        #expect(try await new.end() == 0, "\(new.complaints)")
    }

    @Test(
        "A server makes nothing in the folder of the other one, which it names",
        arguments: [("serve", "second-factor"), ("second-factor", "serve")])
    func otherFolder(_ command: String, of other: String) async throws {
        let data = folder.file("data")
        _ = try await ProcessesFixture.identity([other, "--data", data])
        let files = try FileManager.default.contentsOfDirectory(atPath: data).sorted()
        let database = "\(data)/\(other == "serve" ? "ostiary" : "second-factor").sqlite"
        let ports = ["OSTIARY_LISTEN": "127.0.0.1:0", "OSTIARY_ADMIN_LISTEN": "127.0.0.1:0", "OSTIARY_SF_LISTEN": "127.0.0.1:0"]
        let identity = String(repeating: "A", count: 43)
        let settings = ports.merging([
            "OSTIARY_PUBLIC_URL": "http://localhost:1", "OSTIARY_SECOND_FACTOR_URL": "http://127.0.0.1:1",
            "OSTIARY_SECOND_FACTOR_IDENTITY": identity, "OSTIARY_SF_TRUSTED_SERVERS": identity,
        ]) { $1 }
        for options in [[], ["--print-identity"]] {
            let program = try Program([command, "--data", data] + options, environment: settings)
            #expect(try await program.end() == 1)
            let words = "the folder is that of the other server (\(database)): name a folder of its own"
            #expect(program.complaints.contains(words), "\(program.complaints)")
            #expect(program.complaintLines.count == 1)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: data).sorted() == files)
    }

    @Test("A start whose settings are refused makes nothing, no key of the REST API either")
    func nothingMade() async throws {
        let data = folder.file("data")
        let program = try Program(["serve", "--data", data])
        #expect(try await program.end() == 1)
        #expect(program.complaints.contains("OSTIARY_PUBLIC_URL"), "\(program.complaints)")
        #expect(!FileManager.default.fileExists(atPath: data))
    }
}
