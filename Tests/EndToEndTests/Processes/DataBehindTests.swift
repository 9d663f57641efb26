import Foundation
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import OstiaryPhone

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The reference Data Service behind a running server, as an operator puts it there, and a phone that asks it.
@Suite("Examples/DataBehind", .serialized)
struct DataBehindTests {
    private func admin(_ pair: ProcessesFixture, _ line: [String]) async throws -> (code: Int32, program: Program) {
        let program = try Program(
            ["admin"] + line + ["--url", pair.layout.adminURL], environment: ["OSTIARY_ROOT_API_KEY": pair.layout.rootAPIKey])
        return (try await program.end(), program)
    }

    /// Puts a service behind the server, and starts it with the secret that was printed.
    private func put(_ pair: ProcessesFixture, at port: ReservedPort) async throws -> (program: Program, secret: String) {
        let file = try pair.folder.write(Array("url: http://127.0.0.1:\(port.number)/data\n".utf8), to: "data-service.yaml")
        let put = try await admin(pair, ["data-service", "put", file])
        let secret = try #require(put.program.lines.last?.split(separator: " ").last.map(String.init), "\(put.program.complaints)")
        #expect(put.program.lines.first == "Data Service saved" && secret.utf8.count == 43)
        return (try await started(at: port, secret), secret)
    }

    private func started(at port: ReservedPort, _ secret: String) async throws -> Program {
        let url = try #require(URL(string: "http://127.0.0.1:\(port.number)/data"))
        let program = try Program(
            [], environment: ["PORT": "\(port.number)", "SECRET": secret],
            executable: Binary.url.deletingLastPathComponent().appendingPathComponent("DataBehindExample").path)
        try await eventually("the Data Service answers: \(program.complaints)") { await HTTPProbe.status(of: url) != nil }
        return program
    }

    /// What it answers to a question that a test asks in the server's place.
    private func asked(_ port: ReservedPort, _ secret: String, _ body: String) async throws -> (status: Int, body: String) {
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port.number)/data")), timeoutInterval: 300)
        request.httpMethod = "POST"
        request.setValue("Bearer \(secret)", forHTTPHeaderField: "Authorization")
        request.httpBody = Data(body.utf8)
        let (data, response) = try await URLSession.shared.data(for: request)
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
    }

    private func question(_ requestID: String, level: String = "device", adding note: String = "x") -> String {
        let payload = Base64URL.encode(Array(#"{"add":"\#(note)"}"#.utf8))
        return #"{"requestid":"\#(requestID)","serverid":"v","accountid":"a","level":"\#(level)","payload":"\#(payload)","more":{}}"#
    }

    @Test("Without a secret, or with an empty one, it says in a line what to set, and does not start", arguments: [[:], ["SECRET": ""]])
    func secretIsMissing(_ variables: [String: String]) async throws {
        let port = try ReservedPort()
        let program = try Program(
            [], environment: variables.merging(["PORT": "\(port.number)"]) { $1 },
            executable: Binary.url.deletingLastPathComponent().appendingPathComponent("DataBehindExample").path)
        #expect(try await program.end() == 1)
        #expect(program.complaints == "DataBehind: SECRET is not set, or is none: README.md says what it is\n")
    }

    @Test("A note that would make the answer longer than one may be is refused and not kept, and the others can still be read")
    func full() async throws {
        let port = try ReservedPort()
        let service = try await started(at: port, "a secret")
        // JSON of Foundation has a backslash before each of these, so the answer would have 80,004 bytes.
        let slashes = String(repeating: "/", count: 40_000)
        #expect(try await asked(port, "a secret", question("one", adding: slashes)).status == 403)
        #expect(try await asked(port, "a secret", question("two")).body == #"["x"]"#)
        let long = String(repeating: "y", count: 64_989)
        #expect(try await asked(port, "a secret", question("three", adding: long)).body.utf8.count == 64_997)
        #expect(try await asked(port, "a secret", question("four")).status == 403)
        #expect(try await asked(port, "a secret", question("two")).body == #"["x"]"#, "as it was answered then")
        service.signal(SIGTERM)
        try await service.end()
    }

    @Test(
        "S0-03 an operator puts it behind the server, and a phone asks it without a PIN; a call that comes again has one effect",
        arguments: DatabaseEngine.allCases)
    func notes(on engine: DatabaseEngine) async throws {
        let pair = try await ProcessesFixture.running(on: engine)
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let none = try await person.phone.run(["data", "{}"], pins: [])
        #expect(none.code == 1 && none.last?["name"] == .string("notOffered"), "\(none.events)")

        let port = try ReservedPort()
        let (service, secret) = try await put(pair, at: port)
        let call = UUID().uuidString
        for _ in 0..<2 {
            let added = try await person.phone.run(["data", #"{"add":"milk"}"#, "--call", call], pins: [])
            #expect(added.event("serviceData")?["data"]?["text"]?.string == #"["milk"]"#, "\(added.events) \(added.complaints)")
        }
        let more = try await person.phone.run(["data", #"{"add":"tea"}"#], pins: [])
        #expect(more.event("serviceData")?["data"]?["text"]?.string == #"["milk","tea"]"#, "\(more.events)")
        let file = pair.folder.file("notes.json")
        #expect(try await person.phone.run(["data", "{}", "--output", file], pins: []).code == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data(#"["milk","tea"]"#.utf8))
        #if os(Linux)
        let full = try Program(["phone", "--home", person.phone.home, "data", "{}"], shell: "exec \"$0\" \"$@\" >/dev/full")
        #expect(try await full.end() == 1 && full.complaints.contains("standard output takes nothing"), "\(full.complaints)")
        #endif

        // However often and however closely it is asked.
        let answers = try await withThrowingTaskGroup(of: (status: Int, body: String).self) { group in
            for _ in 0..<8 { group.addTask { try await asked(port, secret, question("one")) } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1.body) }
        }
        #expect(answers == [#"["x"]"#])
        #expect(try await asked(port, secret, question("two")).body == #"["x","x"]"#)
        #expect(try await asked(port, "somebody else's secret", question("three")).status == 401)
        #expect(try await asked(port, secret, question("three", level: "mfa")).status == 400)

        #expect(try await admin(pair, ["data-service", "delete"]).code == 0)
        let gone = try await person.phone.run(["data", "{}"], pins: [])
        #expect(gone.last?["name"] == .string("notOffered"), "\(gone.events)")
        #expect(!pair.authentication.everythingWritten.contains("milk"))
        service.signal(SIGTERM)
        try await service.end()
        try await pair.stop()
    }
}
