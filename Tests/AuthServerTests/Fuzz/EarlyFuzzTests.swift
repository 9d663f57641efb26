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
    }

    @Test(
        "A94 Whatever is sent, both ways answer the same to the byte, nobody is told of a login without the key, and both go on",
        arguments: [true, false])
    func heads(keepsViews: Bool) async throws {
        let seed = FuzzSeed("early")
        try await ServersFixture.run(keepsViews: keepsViews) { servers in
            let (loggedIn, other) = (Base64URL.encode(SystemRandomSource().bytes(16)), Base64URL.encode(SystemRandomSource().bytes(16)))
            try await TestPhone(servers).enrol(try servers.nonce()).logIn(try SessionNonce(loggedIn))
            try await SessionsBothWays.run(at: servers) { both in
                let words = Words(seed: seed, both: both, nonces: [loggedIn, loggedIn, loggedIn, loggedIn, loggedIn, other, "short"])
                for _ in 0..<(300 * FuzzSeed.rounds) {
                    let question = words.question()
                    let answers = try await both.answers(to: question)
                    #expect(answers.early == answers.routes, "seed \(FuzzSeed.text): \(String(decoding: question, as: UTF8.self))")
                    let hasKey = String(decoding: question, as: UTF8.self).contains(ServersFixture.apiKey)
                    #expect(hasKey || !answers.early.contains("loggedin"), "seed \(FuzzSeed.text)")
                }
                #expect(both.count > 20, "seed \(FuzzSeed.text): hardly anything was early")
                let last = try await both.answers(to: Array(both.question(loggedIn).utf8))
                #expect(last.early == last.routes && last.early.contains(#""loggedin":true"#))
            }
        }
    }
}
