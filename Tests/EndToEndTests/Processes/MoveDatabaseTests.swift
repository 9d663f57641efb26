import Database
import Foundation
import OstiaryTesting
import Testing

@testable import OstiaryPhone

@Suite("ostiary admin move-database", .serialized)
struct MoveDatabaseTests {
    private func move(_ from: String, _ to: String) async throws -> Program {
        let program = try Program(["admin", "move-database", "--from", from, "--to", to])
        try await program.end()
        return program
    }

    /// Moves, is killed in the middle, moves again, and looks at what is told.
    private func expectMoved(_ move: KilledMove, setting: String) async throws {
        try await move.kill()
        let program = try await move.again()
        #expect(program.exitCode == 0, "\(program.complaints)")
        #expect(program.output.contains("counts and hashes are the same on both sides"), "\(program.output)")
        #expect(program.lines.dropLast().last?.hasPrefix("next: set \(setting)='\(move.to)'") == true, "\(program.output)")
        #expect(program.lines.last?.hasPrefix("the old database (\(move.from)) is as it was") == true, "\(program.output)")
        #expect(program.complaints.contains("comparing") && program.complaints.contains("100 %"), "\(program.complaints)")
    }

    private func expectRefused(_ from: String, _ to: String, saying words: String) async throws {
        let program = try await move(from, to)
        #expect(program.exitCode == 1)
        #expect(program.complaintLines.count == 1 && program.complaints.hasPrefix("ostiary admin move-database: "), "\(program.complaints)")
        #expect(program.complaints.contains(words), "\(program.complaints)")
    }

    @Test(
        "A live system moves there and back, each move killed in the middle: who is logged in stays so, people log in, running servers are found out",
        .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(10)))
    func thereAndBack() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        // No phone stays behind to ping.
        try await person.backend.updateServer(#"{"pingTime":3600}"#)
        var nonces = [try await person.enrol(in: pair.folder).nonce]
        let cluster = try await PostgreSQLCluster.shared
        let names = [try await cluster.makeDatabase(), try await cluster.makeDatabase()]
        defer { names.forEach(cluster.leave) }
        let settings = ["OSTIARY_DATABASE_URL", "OSTIARY_SF_DATABASE_URL"]
        let files = ["\(pair.layout.authenticationData.path)/ostiary", "\(pair.layout.secondFactorData.path)/second-factor"]
        let urls = names.map { "postgresql://ostiary@/\($0)?host=\(cluster.folder)" }

        try await expectRefused("sqlite:\(files[0]).sqlite", urls[0], saying: "is used by another process: stop that server first")
        try await pair.stop()
        for place in 0..<2 {
            let move = try KilledMove(.toPostgreSQL, file: "\(files[place]).sqlite", database: names[place], of: cluster)
            try await expectMoved(move, setting: settings[place])
        }
        try await pair.start([settings[0]: urls[0]], secondFactor: [settings[1]: urls[1]])
        nonces.append(try await expectAlive(person, nonces, in: pair.folder))
        for place in 0..<2 {
            try await expectRefused(urls[place], "sqlite:\(files[place])-back.sqlite", saying: "a server has the database")
            #expect(!FileManager.default.fileExists(atPath: "\(files[place])-back.sqlite"))
        }
        try await pair.stop()

        for place in 0..<2 {
            let move = try KilledMove(.toSQLite, file: "\(files[place])-back.sqlite", database: names[place], of: cluster)
            try await expectMoved(move, setting: settings[place])
        }
        try await pair.start(
            [settings[0]: "sqlite:\(files[0])-back.sqlite"], secondFactor: [settings[1]: "sqlite:\(files[1])-back.sqlite"])
        nonces.append(try await expectAlive(person, nonces, in: pair.folder))
        // What was left behind is as it was, and is not written over.
        try await pair.stop()
        try await expectRefused("sqlite:\(files[0])-back.sqlite", urls[0], saying: "is not empty, and what it holds is no unfinished move")
    }

    /// Who was logged in is so, and logs in once more.
    /// - Returns: the nonce of that.
    private func expectAlive(_ person: Person, _ nonces: [String], in folder: TemporaryFolder) async throws -> String {
        for nonce in nonces { #expect(try await person.backend.session(nonce).loggedin) }
        let (outcome, nonce) = try await person.logIn(in: folder)
        #expect(outcome.code == 0, "\(outcome.events)")
        #expect(try await person.backend.session(nonce).loggedin)
        return nonce
    }

    @Test("Neither server starts on the target of an unfinished move; the line says how to finish it", arguments: ["serve", "second-factor"])
    func unfinished(_ command: String) async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("\(command)/\(command == "serve" ? "ostiary" : "second-factor").sqlite")
        let database = try openDatabase(.sqlite(path: file))
        try await database.transaction { connection -> Void in
            try connection.execute("CREATE TABLE unfinished_move (id INTEGER NOT NULL PRIMARY KEY, source TEXT NOT NULL)")
            try connection.execute("INSERT INTO unfinished_move (id, source) VALUES (1, 'sqlite:/srv/old')")
        }
        try await database.close()
        for hasKey in [false, true] {
            if hasKey { _ = try KeyEncryptionKey.load(orMakeAt: file.replacingOccurrences(of: ".sqlite", with: ".kek")) }
            let program = try Program([command, "--data", folder.file(command), "--print-identity"])
            #expect(try await program.end() == 1)
            #expect(program.complaintLines.count == 1, "\(program.complaints)")
            let way = "finish it with ostiary admin move-database --from sqlite:/srv/old --to sqlite:\(file), or "
            #expect(program.complaints.contains(way), "\(program.complaints)")
        }
    }

    @Test(
        "Neither server takes for lost, or for new, what a move has left that was killed before its first table: the line says to give it again",
        arguments: ["serve", "second-factor"])
    func unbegun(_ command: String) async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("\(command)/\(command == "serve" ? "ostiary" : "second-factor").sqlite")
        let target = try MoveEnd.target(.sqlite(path: folder.file("target")), "new")
        try FileManager.default.createDirectory(atPath: folder.file(command), withIntermediateDirectories: true)
        for end in ["", ".lock"] { try FileManager.default.copyItem(atPath: folder.file("target") + end, toPath: file + end) }
        try await target.close()
        for hasKey in [false, true] {
            if hasKey { _ = try KeyEncryptionKey.load(orMakeAt: file.replacingOccurrences(of: ".sqlite", with: ".kek")) }
            for isOfNoBytes in [false, true] {
                let content = try Data(contentsOf: URL(fileURLWithPath: file))
                if isOfNoBytes { try Data().write(to: URL(fileURLWithPath: file)) }
                let program = try Program([command, "--data", folder.file(command), "--print-identity"])
                #expect(try await program.end() == 1)
                #expect(program.complaintLines.count == 1)
                let words = "a move to the database \(file) was ended before its first table: run the same ostiary admin move-database again"
                #expect(program.complaints.contains(words), "\(program.complaints)")
                try content.write(to: URL(fileURLWithPath: file))
            }
        }
        // Given up as the line says it is a place like any other.
        for end in ["", ".lock"] { try FileManager.default.removeItem(atPath: file + end) }
        try FileManager.default.removeItem(atPath: file.replacingOccurrences(of: ".sqlite", with: ".kek"))
        let new = try Program([command, "--data", folder.file(command), "--print-identity"])
        #expect(try await new.end() == 0, "\(new.complaints)")
    }

    @Test("What is no move is refused in a line, and nothing is made: one engine, no such file, no server's database, a folder of the other server")
    func refusals() async throws {
        let folder = try TemporaryFolder()
        let (old, new) = ("sqlite:\(folder.file("old.sqlite"))", "postgresql:///none?host=\(folder.path)")
        try await expectRefused(old, "sqlite:\(folder.file("new.sqlite"))", saying: "both are of one engine")
        try await expectRefused(new, new, saying: "both are of one engine")
        try await expectRefused(old, new, saying: "there is no such file")
        try await expectRefused("old.sqlite", new, saying: "a database URL starts with its engine")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        let database = try openDatabase(.sqlite(path: folder.file("old.sqlite")))
        try await database.beginSchema()
        try await database.close()
        try await expectRefused(old, new, saying: "no server has run on the database \(folder.file("old.sqlite")): there is nothing to move")
        // The target is looked at last, so that nothing is made for a source that is refused.
        _ = try await ProcessesFixture.identity(["serve", "--data", folder.file("serve")])
        try await expectRefused("sqlite:\(folder.file("serve/ostiary.sqlite"))", new, saying: "cannot open the database none at \(folder.path):5432")
    }
}
