import AuthServer
import Authentication
import HTTPTypes
import Logging
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("Fuzz: AP1", .timeLimit(.minutes(10)))
struct AP1FuzzTests {
    /// Runs hostile messages, and then looks whether an honest phone still gets in, and whether an error was logged.
    private func withServers(_ body: @Sendable @escaping (ServersFixture) async throws -> Void) async throws {
        let log = LogRecorder()
        try await ServersFixture.run(log: log) { servers async throws in
            let honest = try await TestPhone(servers).enrol(try servers.nonce(), userID: "honest")
            try await body(servers)
            servers.clock.advance(600)
            let nonce = try servers.nonce()
            #expect(try await honest.logIn(nonce).result == .loggedIn)
            #expect(try await servers.status(of: nonce).state == .loggedIn)
            #expect(try await honest.logInApp().webNonce != nil)
        }
        #expect(log.lines.filter { $0.level >= .error }.map(\.message) == [], "seed \(FuzzSeed.text)")
    }

    @Test("Whatever bytes come to the door are 400, 409, 413 or a sealed answer; nothing breaks, and an honest login works after it")
    func outside() async throws {
        try await withServers { servers async throws in
            let seed = FuzzSeed("AP1 outside")
            let fuzzed = FuzzedPhone(phone: try await TestPhone(servers).enrol(try servers.nonce(), userID: "fuzz"), seed: seed)
            for _ in 0..<(2 * FuzzSeed.rounds) {
                let requests = try await fuzzed.messages().map { try fuzzed.phone.phone.seal($0.message, $0.ephemeral).bytes }
                for _ in 0..<100 {
                    let bytes = seed.chance(5) ? seed.bytes(seed.below(700)) : seed.mutate(requests[seed.below(requests.count)], with: requests)
                    let status = try await servers.post(bytes).status.code
                    #expect([200, 400, 409, 413].contains(status), "seed \(FuzzSeed.text): \(bytes)")
                }
            }
        }
    }

    @Test("Whatever a phone with true keys says inside the seal is answered, sealed and signed; nothing breaks, and an honest login works after it")
    func inside() async throws {
        try await withServers { servers async throws in
            let seed = FuzzSeed("AP1 inside")
            let fuzzed = FuzzedPhone(phone: try await TestPhone(servers).enrol(try servers.nonce(), userID: "fuzz"), seed: seed)
            var heard: Set<Status> = []
            for _ in 0..<(6 * FuzzSeed.rounds) {
                let messages = try await fuzzed.messages()
                for _ in 0..<150 {
                    guard let ready = seed.pick(messages) else { return }
                    let message = try fuzzed.mutated(ready, with: messages.map(\.message))
                    do {
                        heard.insert(try await fuzzed.send(message, ready.ephemeral))
                    } catch {
                        Issue.record("seed \(FuzzSeed.text): \(ready.name) \(message): \(error)")
                    }
                }
                // The next of each is made anew; tries that were used up must not end the run.
                servers.clock.advance(310)
            }
            #expect(heard.isSuperset(of: [.ok, .refused]) && heard.count >= 4, "the fuzz reaches more than the first check: \(heard)")
        }
    }

    @Test("Whatever an authentication server with true keys sends to the second-factor server is 400, 403 or a signed answer")
    func betweenServers() async throws {
        try await withServers { servers async throws in
            let seed = FuzzSeed("between servers")
            let recorded = RecordedCalls()
            servers.secondFactor.listen { recorded.keep($0) }
            let phone = try await TestPhone(servers).enrol(try servers.nonce(), userID: "fuzz")
            try await phone.logIn(try servers.nonce())
            servers.secondFactor.listen(nil)
            let calls = recorded.all
            try #require(calls.count >= 4)
            for _ in 0..<(500 * FuzzSeed.rounds) {
                let bytes = seed.mutate(calls[seed.below(calls.count)], with: calls)
                let status = try await servers.secondFactor.status(of: bytes)
                #expect([200, 400, 403, 413].contains(status), "seed \(FuzzSeed.text): \(bytes)")
            }
        }
    }
}
