import Foundation
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import OstiaryPhone

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The reference token service behind a running server, as an operator puts it there, and a phone that fetches what it gives.
@Suite("Examples/TokenBehind", .serialized)
struct TokenBehindTests {
    private static let api = "https://api.example/things"

    private func admin(_ pair: ProcessesFixture, _ line: [String]) async throws -> (code: Int32, program: Program) {
        let program = try Program(
            ["admin"] + line + ["--url", pair.layout.adminURL], environment: ["OSTIARY_ROOT_API_KEY": pair.layout.rootAPIKey])
        return (try await program.end(), program)
    }

    /// Puts a service behind the server, and starts it with the secret that was printed.
    private func put(
        _ pair: ProcessesFixture, at port: ReservedPort, _ variables: [String: String] = [:]
    ) async throws -> (program: Program, secret: String) {
        let file = try pair.folder.write(Array("url: http://127.0.0.1:\(port.number)/token\n".utf8), to: "token-service.yaml")
        let tried = try await admin(pair, ["token-service", "put", file, "--dry-run"])
        #expect(tried.program.lines.last == "nothing was changed: this was a dry run" && !tried.program.output.contains("secret"))
        let put = try await admin(pair, ["token-service", "put", file])
        let secret = try #require(put.program.lines.last?.split(separator: " ").last.map(String.init), "\(put.program.complaints)")
        #expect(put.program.lines.first == "token service saved" && secret.utf8.count == 43)
        let url = try #require(URL(string: "http://127.0.0.1:\(port.number)/token"))
        let program = try Program(
            [], environment: variables.merging(["PORT": "\(port.number)", "SECRET": secret]) { $1 },
            executable: Binary.url.deletingLastPathComponent().appendingPathComponent("TokenBehindExample").path)
        try await eventually("the token service answers: \(program.complaints)") { await HTTPProbe.status(of: url) != nil }
        return (program, secret)
    }

    /// What it answers to a question that a test asks in the server's place.
    private func asked(_ port: ReservedPort, _ secret: String, _ body: String) async throws -> (status: Int, body: String) {
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port.number)/token")), timeoutInterval: 300)
        request.httpMethod = "POST"
        request.setValue("Bearer \(secret)", forHTTPHeaderField: "Authorization")
        request.httpBody = Data(body.utf8)
        let (data, response) = try await URLSession.shared.data(for: request)
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
    }

    private func question(_ requestID: String, sid: String = "s", user: String? = "alice") -> String {
        let user = user.map { #","userid":"\#($0)""# } ?? ""
        return
            #"{"requestid":"\#(requestID)","serverid":"v","sid":"\#(sid)","accountid":"a"\#(user),"logintime":1,"acr":"mfa","amr":["pin"],"more":{}}"#
    }

    @Test("Without a secret, or with an empty one, it says in a line what to set, and does not start", arguments: [[:], ["SECRET": ""]])
    func secretIsMissing(_ variables: [String: String]) async throws {
        let port = try ReservedPort()
        let program = try Program(
            [], environment: variables.merging(["PORT": "\(port.number)"]) { $1 },
            executable: Binary.url.deletingLastPathComponent().appendingPathComponent("TokenBehindExample").path)
        #expect(try await program.end() == 1)
        #expect(program.complaints == "TokenBehind: SECRET is not set, or is none: README.md says what it is\n")
    }

    @Test(
        "S0-25 S0-27 S0-30 S0-32 an operator puts it behind the server, and a phone fetches its token; without it a phone is told why there is none",
        arguments: DatabaseEngine.allCases)
    func own(on engine: DatabaseEngine) async throws {
        let pair = try await ProcessesFixture.running(on: engine)
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let none = try await person.phone.run(["token", "fetch"], pins: [Person.pin])
        #expect(none.code == 1 && none.last?["name"] == .string("notOffered"), "\(none.events)")

        let port = try ReservedPort()
        let (service, secret) = try await put(pair, at: port)
        let fetched = try await person.phone.run(["token", "fetch"], pins: [Person.pin])
        let text = try #require(fetched.event("serviceToken")?["token"]?["text"]?.string, "\(fetched.events) \(fetched.complaints)")
        let token = try JSONReader.object(Array(text.utf8))
        #expect(token["token_type"]?.string == "Bearer" && token["access_token"]?.string?.utf8.count == 43)
        let file = pair.folder.file("token.json")
        let written = try await person.phone.run(["token", "fetch", "--output", file], pins: [Person.pin])
        #expect(written.code == 0, "\(written.events)")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        #expect(try JSONReader.object(Array(bytes))["access_token"]?.string?.utf8.count == 43)

        // One call has one token, however often and however closely it is asked; another call, and the same of another login, have another.
        let same = question("one")
        let answers = try await withThrowingTaskGroup(of: (status: Int, body: String).self) { group in
            for _ in 0..<8 { group.addTask { try await asked(port, secret, same) } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1.body) }
        }
        #expect(answers.count == 1)
        let others = [try await asked(port, secret, question("two")).body, try await asked(port, secret, question("one", sid: "t")).body]
        #expect(Set(others).union(answers).count == 3)
        #expect(try await asked(port, "somebody else's secret", same).status == 401)
        #expect(try await asked(port, secret, "{}").status == 400)
        #expect(try await asked(port, secret, question("three", user: nil)).status == 403)

        // Another secret is drawn, which the service does not have yet.
        #expect(try await admin(pair, ["token-service", "secret"]).program.lines.first?.utf8.count == 43)
        let refused = try await person.phone.run(["token", "fetch"], pins: [Person.pin])
        #expect(refused.code == 1 && refused.last?["name"] == .string("serviceUnavailable"), "\(refused.events)")
        try await eventually("the log says why") { pair.authentication.complaints.contains("a token service gave no token") }
        #expect(try await admin(pair, ["token-service", "delete"]).code == 0)
        let gone = try await person.phone.run(["token", "fetch"], pins: [Person.pin])
        #expect(gone.last?["name"] == .string("notOffered"), "\(gone.events)")
        #expect(!pair.authentication.everythingWritten.contains(token["access_token"]?.string ?? "-"))
        service.signal(SIGTERM)
        try await service.end()
        try await pair.stop()
    }

    @Test("An empty secret is none: it does not start with one, which would be anybody's")
    func emptySecret() async throws {
        let program = try Program(
            [], environment: ["PORT": "\(try ReservedPort().number)", "SECRET": "", "FORMER_SECRET": ""],
            executable: Binary.url.deletingLastPathComponent().appendingPathComponent("TokenBehindExample").path)
        defer { program.signal(SIGKILL) }
        #expect(try await program.end() != 0)
        #expect(program.complaints.contains("SECRET"))
    }

    @Test("What a provider answers that is no answer is no token, and the service goes on: a status that is none, a redirect, nothing")
    func lyingProvider() async throws {
        let elsewhere = try RawServer { $0.send("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx") }
        let answers = [
            "HTTP/1.1 099 x\r\ncontent-length: 4\r\n\r\nbody", "HTTP/1.1 000 x\r\n\r\nbody", "",
            "HTTP/1.1 307 x\r\nlocation: http://127.0.0.1:\(elsewhere.port)/\r\ncontent-length: 0\r\n\r\n",
        ]
        let provider = try RawServer { connection in
            // The scope says which.
            let turn = connection.request.components(separatedBy: "scope=").last.flatMap { Int($0) }
            connection.send(turn.map { answers[$0] } ?? "")
        }
        for turn in answers.indices {
            let port = try ReservedPort()
            let program = try Program(
                [],
                environment: [
                    "PORT": "\(port.number)", "SECRET": "a-secret", "TOKEN_ENDPOINT": "http://127.0.0.1:\(provider.port)/token", "CLIENT_ID": "a",
                    "CLIENT_SECRET": "b", "SCOPE": "\(turn)",
                ], executable: Binary.url.deletingLastPathComponent().appendingPathComponent("TokenBehindExample").path)
            let url = try #require(URL(string: "http://127.0.0.1:\(port.number)/token"))
            try await eventually("the token service answers: \(program.complaints)") { await HTTPProbe.status(of: url) != nil }
            for name in ["one", "two"] { #expect(try await asked(port, "a-secret", question(name)).status == 503, "\(answers[turn])") }
            program.signal(SIGTERM)
            try await program.end()
        }
        #expect(elsewhere.requests.isEmpty)
    }

    @Test("It answers with a token of our own provider, as that gave it", arguments: DatabaseEngine.allCases)
    func provider(on engine: DatabaseEngine) async throws {
        let pair = try await ProcessesFixture.running(on: engine)
        let registry = """
            apis:
              \(Self.api):
                name: Things
                scopes:
                  read: read what you have
            applications:
              behind:
                kind: machine
                client_name: Token service
                apis:
                  \(Self.api): [read]
            """
        let applied = try await admin(pair, ["apply", try pair.folder.write(Array(registry.utf8), to: "provider.yaml")])
        let secret = try #require(applied.program.lines.last?.split(separator: " ").last.map(String.init), "\(applied.program.complaints)")
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let discovery = pair.layout.publicURL + "/.well-known/openid-configuration"
        try await eventually("it is a provider") { try await pair.answer(discovery).status == 200 }
        let port = try ReservedPort()
        let (service, _) = try await put(
            pair, at: port,
            [
                "TOKEN_ENDPOINT": pair.layout.publicURL + "/oauth/token", "CLIENT_ID": "behind", "CLIENT_SECRET": secret, "SCOPE": "read",
                "AUDIENCE": Self.api,
            ])
        let fetched = try await person.phone.run(["token", "fetch"], pins: [Person.pin])
        let text = try #require(fetched.event("serviceToken")?["token"]?["text"]?.string, "\(fetched.events) \(fetched.complaints)")
        let answer = try JSONReader.object(Array(text.utf8))
        let token = try UnverifiedJWS(compact: try #require(answer["access_token"]?.string))
        #expect(token.claimed["iss"]?.string == pair.layout.publicURL && token.claimed["client_id"]?.string == "behind")
        #expect(answer["scope"]?.string == "read" && answer["token_type"]?.string == "Bearer")
        service.signal(SIGTERM)
        try await service.end()
        try await pair.stop()
    }
}
