import Authentication
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Synchronization
import Testing

@Suite("Many notices to one host", .timeLimit(.minutes(10)))
struct CrowdedHostTests {
    /// Two hosts, of which the first says nothing until it is told to: then that it is there from now on, or that it is not.
    private final class Hosts: LogoutGateway {
        private struct State {
            var isThere = false
            var waiting: [CheckedContinuation<Int?, Never>] = []
            var calls: [String: Int] = [:]
            var atOnce = 0
            var mostAtOnce = 0
        }

        private let state = Mutex(State())
        private let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)

        func calls(of address: String) -> Int { state.withLock { $0.calls[address, default: 0] } }
        var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }

        /// Returns when so many calls hang.
        func hang(_ count: Int) async {
            var left = count
            for await _ in arrivals {
                left -= 1
                if left == 0 { return }
            }
        }

        /// Ends the calls that hang, as their time is over.
        func giveUp() {
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                return state.waiting
            }
            for call in waiting { call.resume(returning: nil) }
        }

        func comeBack() { state.withLock { $0.isThere = true } }

        func send(_ logoutToken: String, to address: String) async -> Int? {
            state.withLock { state in
                state.calls[address, default: 0] += 1
                state.atOnce += address == CrowdedHostTests.crowded ? 1 : 0
                state.mostAtOnce = max(state.mostAtOnce, state.atOnce)
            }
            guard address == CrowdedHostTests.crowded else { return 200 }
            defer { state.withLock { $0.atOnce -= 1 } }
            // Others come to it meanwhile.
            await Task.yield()
            return await withCheckedContinuation { call in
                let isThere = state.withLock { state in
                    if !state.isThere { state.waiting.append(call) }
                    return state.isThere
                }
                if isThere { call.resume(returning: 200) } else { arrival.yield() }
            }
        }
    }

    private static let (crowded, other) = ("https://reports.example/logout", "https://app.example/logout")

    /// - Parameter count: sessions that are over, each with a grant of the website.
    private func fixture(_ count: Int) async throws -> ProviderFixture {
        let fixture = try await ProviderFixture()
        try await fixture.change("web") { $0.backchannelLogoutURI = Self.crowded }
        try await fixture.change("mobile") { $0.backchannelLogoutURI = Self.other }
        let web = try fixture.client("web")
        try await grant(Array(1...count), to: web, fixture)
        return fixture
    }

    private func grant(_ numbers: [Int], to client: ClientID, _ fixture: ProviderFixture) async throws {
        let now = fixture.now
        let grants = try numbers.map { number in
            let bytes = [UInt8](repeating: 0xA5, count: 14) + [UInt8(number / 256), UInt8(number % 256)]
            let (id, session) = (try #require(GrantID(bytes)), try #require(SessionID(bytes)))
            return Grant(
                id: id, server: ProviderFixture.server, client: client, holder: .session(session, ProviderFixture.alice),
                scopes: ProviderFixture.scope("openid"), api: nil, authentication: AuthenticationClaims(time: now, acr: "mfa", amr: ["mfa"]),
                nonce: nil, session: session, createdAt: now)
        }
        try await fixture.memory.write { rows in for grant in grants { try rows.save(grant) } }
    }

    @Test("Six hundred that are due at a host that hangs keep nobody else waiting: the next round tells another client while eight calls hang")
    func hanging() async throws {
        let (fixture, hosts) = (try await fixture(600), Hosts())
        let service = fixture.services.logouts(through: hosts)
        let first = Task { try await service.run(at: fixture.now) }
        await hosts.hang(8)
        // One that the first round could not have seen.
        try await grant([1_000], to: try fixture.client("mobile"), fixture)
        #expect(try await service.run(at: fixture.now) == 1)
        #expect(try await service.run(at: fixture.now) == 0)
        #expect(hosts.calls(of: Self.crowded) == 8 && hosts.calls(of: Self.other) == 1)
        hosts.giveUp()
        #expect(try await first.value == 0)
        // And it got no further in that round, so that the others were not said in vain.
        #expect(hosts.calls(of: Self.crowded) == 8)
    }

    @Test("A host that is back hears each once, eight at a time and dozens in a round; of those that hung it hears when they are due again")
    func back() async throws {
        let (fixture, hosts) = (try await fixture(200), Hosts())
        let service = fixture.services.logouts(through: hosts)
        let first = Task { try await service.run(at: fixture.now) }
        await hosts.hang(8)
        hosts.comeBack()
        hosts.giveUp()
        #expect(try await first.value == 0)
        var heard: [Int] = []
        for _ in 0..<4 { heard.append(try await service.run(at: fixture.now)) }
        #expect(heard == [64, 64, 64, 0])
        fixture.clock.advance(2)
        #expect(try await service.run(at: fixture.now) == 8)
        fixture.clock.advance(9_999)
        #expect(try await service.run(at: fixture.now) == 0)
        #expect(hosts.calls(of: Self.crowded) == 208 && hosts.mostAtOnce == 8)
    }

    /// A store that can't be read for a while.
    private struct AwayStore: OAuthStore {
        struct Away: Error {}

        let memory: MemoryOAuthStore
        let isAway: @Sendable () -> Bool

        func read<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows) throws -> Value) async throws -> Value {
            let value = try await memory.read(body)
            guard !isAway() else { throw Away() }
            return value
        }

        func write<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows, _ former: Value?) throws -> Value) async throws -> Value {
            try await memory.write(body)
        }
    }

    @Test("A look that fails leaves nothing behind it: the next one goes on from the same place")
    func failedLook() async throws {
        let fixture = try await fixture(6)
        let isAway = Mutex(false)
        let store = AwayStore(memory: fixture.memory) { isAway.withLock { $0 } }
        let look = LogoutLook(part: 2)
        var found: [SessionID] = []
        for number in 0..<5 {
            isAway.withLock { $0 = number % 2 == 1 }
            if number % 2 == 1 {
                await #expect(throws: AwayStore.Away.self) { try await look.due(in: store, at: fixture.now, limit: 9) }
            } else {
                found += try await look.due(in: store, at: fixture.now, limit: 9).map(\.session)
            }
        }
        #expect(found.count == 6 && Set(found).count == 6)
    }

    @Test("More grants than one look goes over: each of them is told once, in as many rounds as that takes")
    func manyRounds() async throws {
        let (fixture, hosts) = (try await fixture(LogoutLook.part + 40), Hosts())
        hosts.comeBack()
        // All but the last dozen go on.
        let going = try await fixture.memory.read { rows in try rows.logouts(among: LogoutLook.part + 28, after: nil, at: fixture.now).notices }
        fixture.memory.change { people in for notice in going { people.sessions[notice.session] = ProviderFixture.login() } }
        let service = fixture.services.logouts(through: hosts)
        let heard = [try await service.run(at: fixture.now), try await service.run(at: fixture.now), try await service.run(at: fixture.now)]
        #expect(heard == [0, 12, 0])
        #expect(hosts.calls(of: Self.crowded) == 12)
    }
}
