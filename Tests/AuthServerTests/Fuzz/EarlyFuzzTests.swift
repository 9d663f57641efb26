import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Fuzz: getSession before its route", .timeLimit(.minutes(10)))
struct EarlyFuzzTests {
    /// What a head is made of, right and wrong.
    private struct Words {
        let seed: FuzzSeed
        let both: SessionsBothWays
        let nonces: [String]

        private static let fields = [
            "Connection: keep-alive", "connection: KEEP-ALIVE", "Connection: close", "Accept: */*", "Content-Length: 0", "Content-Length: 2",
            "Transfer-Encoding: chunked", "Expect: 100-continue", "Upgrade: h2c", "Host: y", "X-nonce: x", "X-apikey: ", "Cookie: a=b", "A:",
            "A: \t b ",
        ]

        /// A question in which one in four is bent.
        func question() -> [UInt8] {
            let server = both.servers.server.text
            let right = "/servers/\(server)/sessions/"
            let wrong = [right + "?", right + "qr/", "/servers//sessions/", right + right, "/live", "*"]
            let address = seed.chance(4) ? seed.pick(wrong) ?? right : right
            let fields = (0..<seed.below(3)).compactMap { _ in seed.pick(Self.fields) }
            let first = seed.chance(12) ? seed.pick(["HEAD", "POST", "GET ", "get", "OPTIONS"]) ?? "GET" : "GET"
            let key = seed.chance(8) ? "another key" : ServersFixture.apiKey
            let question = Array(both.question(seed.pick(nonces) ?? "", first: first, address: address, key: key, fields: fields).utf8)
            return seed.chance(4) ? seed.mutate(question) : question
        }

        /// Fields with which nobody refuses a request before the routes.
        private static let plain = [
            "Connection: keep-alive", "connection: KEEP-ALIVE", "Accept: */*", "Upgrade: h2c", "Cookie: a=b", "A:", "A: \t b ", "X-nonce: x",
            "X-apikey: ",
        ]
        /// Fields that say what comes behind the head, and that.
        private static let framing = [
            ("Content-Length: 0", ""), ("Content-Length: 2", "{}"), ("Transfer-Encoding: chunked", "2\r\n{}\r\n0\r\n\r\n"),
            ("Expect: 100-continue", ""),
        ]

        /// A question that comes to the routes where it is not answered early, right or wrong, with its body: the next one begins where it ends.
        private func whole() -> (text: String, isLast: Bool) {
            let right = "/servers/\(both.servers.server.text)/sessions/"
            // None of them changes anything: what is asked here first is asked there afterwards.
            let wrong = [right + "?", "/servers//sessions/", right + right, "/live"]
            let address = seed.chance(6) ? seed.pick(wrong) ?? right : right
            let first = seed.chance(12) ? seed.pick(["HEAD", "POST", "OPTIONS"]) ?? "GET" : "GET"
            var fields = (0..<seed.below(2)).compactMap { _ in seed.pick(Self.plain) }
            var body = ""
            if seed.chance(6), let (field, content) = seed.pick(Self.framing) {
                fields.append(field)
                body = content
            }
            let isLast = seed.chance(12)
            if isLast { fields.append("Connection: close") }
            let key = seed.chance(10) ? "another key" : ServersFixture.apiKey
            return (both.question(seed.pick(nonces) ?? "", first: first, address: address, key: key, fields: fields) + body, isLast)
        }

        /// One to four of them, in the pieces in which they are written on one connection, and how many have an answer there.
        func connection() -> (pieces: [[UInt8]], answers: Int) {
            let questions = (0...seed.below(4)).map { _ in whole() }
            let bytes = questions.flatMap { Array($0.text.utf8) }
            let cuts = Set((0..<seed.below(4)).map { _ in 1 + seed.below(bytes.count - 1) }).sorted()
            let pieces = zip([0] + cuts, cuts + [bytes.count]).map { start, end in Array(bytes[start..<end]) }
            return (pieces, (questions.firstIndex { $0.isLast } ?? questions.count - 1) + 1)
        }
    }

    /// Lends what is asked of a server at which one person is logged in.
    private static func withWords(
        _ part: String, keepsViews: Bool, _ body: @Sendable @escaping (Words) async throws -> Void
    ) async throws {
        let seed = FuzzSeed(part)
        try await ServersFixture.run(keepsViews: keepsViews) { servers in
            let (loggedIn, other) = (Base64URL.encode(SystemRandomSource().bytes(16)), Base64URL.encode(SystemRandomSource().bytes(16)))
            try await TestPhone(servers).enrol(try servers.nonce()).logIn(try SessionNonce(loggedIn))
            try await SessionsBothWays.run(at: servers) { both in
                try await body(Words(seed: seed, both: both, nonces: [loggedIn, loggedIn, loggedIn, loggedIn, loggedIn, other, "short"]))
                let last = try await both.answers(to: Array(both.question(loggedIn).utf8))
                #expect(last.early == last.routes && last.early.contains(#""loggedin":true"#))
            }
        }
    }

    @Test(
        "A94 Whatever is sent, both ways answer the same to the byte, nobody is told of a login without the key, and both go on",
        arguments: [true, false])
    func heads(keepsViews: Bool) async throws {
        try await Self.withWords("early", keepsViews: keepsViews) { words in
            let both = words.both
            for _ in 0..<(300 * FuzzSeed.rounds) {
                let question = words.question()
                let answers = try await both.answers(to: question)
                #expect(answers.early == answers.routes, "seed \(FuzzSeed.text): \(String(decoding: question, as: UTF8.self))")
                let hasKey = String(decoding: question, as: UTF8.self).contains(ServersFixture.apiKey)
                #expect(hasKey || !answers.early.contains("loggedin"), "seed \(FuzzSeed.text)")
            }
            #expect(both.count > 20, "seed \(FuzzSeed.text): hardly anything was early")
        }
    }

    /// Nothing is in it that is refused before the routes: what that is told behind another question is a matter of whether the answer to that is written by then
    /// (docs/decisions/0057), at both listeners.
    @Test(
        "A94 Several questions on one connection, cut anywhere, have the same answers both ways, in their order and to the byte, and none is left out",
        arguments: [true, false])
    func connections(keepsViews: Bool) async throws {
        try await Self.withWords("early, several", keepsViews: keepsViews) { words in
            for _ in 0..<(200 * FuzzSeed.rounds) {
                let (pieces, count) = words.connection()
                let answers = try await words.both.answers(to: pieces)
                let what = "seed \(FuzzSeed.text): \(pieces.map { String(decoding: $0, as: UTF8.self) })"
                #expect(answers.early == answers.routes, "\(what)")
                #expect(answers.early.split(separator: "HTTP/1.1 ").count == count, "\(what)")
            }
            #expect(words.both.count > 10, "seed \(FuzzSeed.text): hardly anything was early")
        }
    }
}
