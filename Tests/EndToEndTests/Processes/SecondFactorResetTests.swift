import Database
import Foundation
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// The operator's command at the second-factor machine.
@Suite("ostiary second-factor reset", .serialized)
struct SecondFactorResetTests {
    private static let someID = "-YaRZXWkPS3R6TDgELjPKA"

    @Test("Where there is no database none is made, and the command says what to name")
    func noDatabase() async throws {
        let folder = try TemporaryFolder()
        let (missing, serve) = (folder.file("nothere"), folder.file("serve"))
        _ = try await ProcessesFixture.identity(["serve", "--data", serve])
        let files = try FileManager.default.contentsOfDirectory(atPath: serve).sorted()
        for data in [missing, serve] {
            let reset = try Program(["second-factor", "reset", "--data", data, Self.someID])
            #expect(try await reset.end() == 1)
            let sentence = "there is no database sqlite:\(data)/second-factor.sqlite: name the --data or --config that the server runs with"
            #expect(reset.complaintLines == ["ostiary second-factor reset: \(sentence)"])
        }
        #expect(!FileManager.default.fileExists(atPath: missing))
        let empty = folder.file("empty")
        try await SQLiteDatabase.open(path: "\(empty)/second-factor.sqlite").close()
        let reset = try Program(["second-factor", "reset", "--data", empty, Self.someID])
        #expect(try await reset.end() == 1)
        #expect(reset.complaints.contains("there is no database sqlite:\(empty)/second-factor.sqlite"), "\(reset.complaints)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: serve).sorted() == files)
        _ = try await ProcessesFixture.identity(["second-factor", "--data", missing])
    }

    @Test("An instance that nobody has is refused in words, also when its id begins like an option; no id at all is a mistake in the command")
    func unknownInstance() async throws {
        let folder = try TemporaryFolder()
        _ = try await ProcessesFixture.identity(["second-factor", "--data", folder.file("data")])
        let reset = try Program(["second-factor", "reset", Self.someID, "--data", folder.file("data"), "--server", Self.someID])
        #expect(try await reset.end() == 1)
        #expect(reset.complaintLines.last?.contains("refused: no phone has that instance here") == true, "\(reset.complaints)")
        #expect(try await Program(["second-factor", "reset", "--data", folder.file("data"), "-Ya"]).end() == 64)
    }

    @Test("Of tables that are gone a command says to run it again, a start to start again, and neither speaks of a server that runs")
    func goneTables() async throws {
        let folder = try TemporaryFolder()
        let data = folder.file("data")
        let trusted = try await ProcessesFixture.identity(["serve", "--data", folder.file("serve")])
        _ = try await ProcessesFixture.identity(["second-factor", "--data", data])
        let database = try SQLiteDatabase.open(path: "\(data)/second-factor.sqlite")
        for table in ["own_root", "reset_log"] { try await database.transaction { try $0.execute("DROP TABLE \(table)") } }
        try await database.close()
        let start = ["second-factor", "--data", data]
        let command = "then mend that alone): stop every server on it, restore a backup, then run this again"
        let starting = "then mend that alone): restore a backup, then start again"
        for (arguments, advice) in [
            (["second-factor", "reset", "--data", data, Self.someID], command), (start + ["--print-identity"], command), (start, starting),
        ] {
            let program = try Program(arguments, environment: ["OSTIARY_SF_TRUSTED_SERVERS": trusted])
            #expect(try await program.end() == 1)
            #expect(program.complaints.contains(advice), "\(program.complaints)")
            #expect(program.complaints.contains("(own_root, reset_log), which"), "\(program.complaints)")
        }
    }

    @Test(
        "A reset beside the running server lifts the block of the instance that the log names, and is told on standard error",
        arguments: DatabaseEngine.allCases)
    func granted(on engine: DatabaseEngine) async throws {
        let pair = try await ProcessesFixture.running(secondFactor: ["OSTIARY_SF_PENALTIES": "0,0,0,0"], on: engine)
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        #expect(try await person.logIn(pins: Person.wrongPINs + ["618203"], in: pair.folder).outcome.code == 4)

        try await eventually("it says its instance: \(pair.secondFactor.complaints)") { pair.secondFactor.complaints.contains("instance=") }
        let instance = try #require(pair.secondFactor.complaints.firstMatch(of: /instance=([A-Za-z0-9_-]{22})/)?.1)
        let reset = try Program(
            ["second-factor", "reset", String(instance), "--data", pair.layout.secondFactorData.path], environment: pair.databaseSettings)
        #expect(try await reset.end() == 0)
        #expect(reset.lines == ["granted"])
        let told = reset.complaintLines
        #expect(told.count == 1 && told.first?.contains("reset by command") == true && told.first?.contains(instance) == true, "\(told)")
        #expect(try await person.logIn(in: pair.folder).outcome.code == 0)
        try await pair.stop()
    }

    @Test("Beside a server of an older program the reset and --print-identity of a newer one are refused in a line, and change no table")
    func olderServer() async throws {
        let pair = try await ProcessesFixture.running()
        let (first, second) = (pair.layout.authenticationData.path, pair.layout.secondFactorData.path)
        // The last step of `serve` has taken an index away.
        let commands: [(file: String, index: String?, arguments: [String])] = [
            (file: "\(first)/ostiary.sqlite", index: "nonce_session ON nonce (session)", arguments: ["serve", "--print-identity", "--data", first]),
            (file: "\(second)/second-factor.sqlite", index: nil, arguments: ["second-factor", "--print-identity", "--data", second]),
            (file: "\(second)/second-factor.sqlite", index: nil, arguments: ["second-factor", "reset", Self.someID, "--data", second]),
        ]
        for (file, index, arguments) in commands {
            // As the program before the last step left it.
            let database = try SQLiteDatabase.open(path: file, ownership: .shared)
            let before = try await database.schemaVersion()
            if let index { try await database.transaction { try $0.execute("CREATE INDEX \(index)") } }
            try await database.transaction { try $0.execute("DELETE FROM schema_version WHERE number = $1", [SQLValue(before)]) }
            let command = try Program(arguments)
            #expect(try await command.end() == 1)
            #expect(command.complaintLines.count == 1, "\(command.complaints)")
            #expect(command.complaints.contains("schema version \(before - 1), older than this program, and a server has it open"))
            #expect(try await database.schemaVersion() == before - 1)
            try await database.close()
        }
        try await pair.waitUntilReady()
        try await pair.stop()
    }

    #if !canImport(Darwin)
    @Test("A reset by a hard link of the running server's file is refused by name, changes nothing and says nothing of the instance")
    func otherName() async throws {
        let pair = try await ProcessesFixture.running()
        let (data, other) = (pair.layout.secondFactorData.path, pair.folder.file("other"))
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        try FileManager.default.linkItem(atPath: "\(data)/second-factor.sqlite", toPath: "\(other)/second-factor.sqlite")
        let reset = try Program(["second-factor", "reset", Self.someID, "--data", other])
        #expect(try await reset.end() == 1)
        let sentence = "the database \(other)/second-factor.sqlite is in use under another name: give the path that the server was started with"
        #expect(reset.complaintLines.count == 1 && reset.complaints.contains(sentence), "\(reset.complaints)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: other) == ["second-factor.sqlite"])
        let right = try Program(["second-factor", "reset", Self.someID, "--data", data])
        #expect(try await right.end() == 1)
        #expect(right.complaints.contains("no phone has that instance here"))
        try await pair.waitUntilReady()
        try await pair.stop()
    }
    #endif
}
