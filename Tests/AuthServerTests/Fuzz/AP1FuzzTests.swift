import AuthServer
import Authentication
import HTTPTypes
import Logging
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

@Suite("Fuzz: AP1", .onBothEngines, .timeLimit(.minutes(10)))
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
            for _ in 0..<FuzzSeed.rounds {
                let fuzzed = try await FuzzedPhone(at: servers, seed)
                let requests = try await fuzzed.messages().map { try fuzzed.phone.phone.seal($0.message, $0.ephemeral).bytes }
                for _ in 0..<FuzzSeed.times(200) {
                    let bytes = seed.chance(5) ? seed.bytes(seed.below(700)) : seed.mutate(requests[seed.below(requests.count)], with: requests)
                    let status = try await servers.post(bytes).status.code
                    #expect([200, 400, 409, 413].contains(status), "seed \(FuzzSeed.text): \(bytes)")
                }
            }
        }
    }

    /// What a phone may say inside the seal.
    private static let served: Set<MessageType> = [
        .e1, .e3, .w1, .l1, .l5, .l7, .m1, .m3, .ping, .fetch, .verification, .getToken, .getData, .stop, .delete,
    ]

    @Test("The messages that the fuzz begins with are of every type that is served, and accepted as they stand: a change is all that is wrong")
    func beginnings() async throws {
        try await withServers { servers async throws in
            let fuzzed = try await FuzzedPhone(at: servers, FuzzSeed("AP1 beginnings"))
            let messages = try await fuzzed.messages()
            #expect(Set(try messages.map { try MessageType(of: $0.message) }) == Self.served)
            for ready in messages { #expect(try await fuzzed.send(ready.message, ready.ephemeral) == .ok, "\(ready.name)") }
        }
    }

    @Test("Whatever a phone with true keys says inside the seal is answered, sealed and signed; nothing breaks, and an honest login works after it")
    func inside() async throws {
        try await withServers { servers async throws in
            let seed = FuzzSeed("AP1 inside")
            var heard: Set<Status> = []
            for _ in 0..<(FuzzSeed.times(4) * FuzzSeed.rounds) {
                // Tries that were used up, and accounts that are gone, must not end the run.
                let fuzzed = try await FuzzedPhone(at: servers, seed)
                let messages = try await fuzzed.messages()
                for _ in 0..<200 {
                    guard let ready = seed.pick(messages) else { return }
                    let message = try fuzzed.mutated(ready, with: messages.map(\.message))
                    do {
                        heard.insert(try await fuzzed.send(message, ready.ephemeral))
                    } catch {
                        Issue.record("seed \(FuzzSeed.text): \(ready.name) \(message): \(error)")
                    }
                }
                servers.clock.advance(310)
            }
            guard FuzzSeed.reachesAll else { return }
            #expect(
                heard.isSuperset(of: [.ok, .refused, .clock, .accountUnknown, .sessionUnknown]) && heard.count >= 7,
                "the fuzz reaches more than the first check: \(heard)")
        }
    }

    @Test("Whatever an authentication server with true keys sends to the second-factor server is 400, 403 or a signed answer")
    func betweenServers() async throws {
        try await withServers { servers async throws in
            let fuzzed = try await FuzzedServer(at: servers, FuzzSeed("between servers"))
            #expect(Set(try fuzzed.calls.map { try MessageType(of: $0.message) }) == FuzzedServer.kinds)
            var heard: Set<Status> = []
            for _ in 0..<(FuzzSeed.times(400) * FuzzSeed.rounds) {
                let bytes = try fuzzed.call()
                let (code, body) = try await servers.secondFactor.answer(to: bytes)
                #expect([200, 400, 403, 413].contains(code), "seed \(FuzzSeed.text): \(bytes)")
                guard code == 200 else { continue }
                let answer = try Encoded<SecondFactorAnswer>(decoding: body)
                try answer.verify(with: fuzzed.phone.phone.bundle.secondFactorKeys, at: servers.now)
                heard.insert(answer.value.status)
            }
            guard FuzzSeed.reachesAll else { return }
            #expect(
                heard.isSuperset(of: [.ok, .refused, .clock, .sequence, .secondFactorUnknown]) && heard.count >= 6,
                "the fuzz reaches what is counted: \(heard)")
        }
    }
}
