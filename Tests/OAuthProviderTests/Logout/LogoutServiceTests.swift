import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Synchronization
import Testing

@Suite("Back-channel logout")
struct LogoutServiceTests {
    private typealias Fixture = ProviderFixture

    /// A backend that answers as it is told, and keeps what it was sent.
    private final class Backend: LogoutGateway {
        private let state: Mutex<(statuses: [Int?], sent: [(token: String, address: String)])>

        /// - Parameter statuses: of its answers, one after the other; after the last 200.
        init(_ statuses: [Int?] = []) { state = Mutex((statuses, [])) }

        var sent: [(token: String, address: String)] { state.withLock { $0.sent } }

        func send(_ logoutToken: String, to address: String) async -> Int? {
            state.withLock { state in
                state.sent.append((logoutToken, address))
                return state.statuses.isEmpty ? 200 : state.statuses.removeFirst()
            }
        }
    }

    /// A website with a grant of a session.
    private func fixture() async throws -> ProviderFixture {
        let fixture = try await ProviderFixture()
        try await fixture.change("web") { $0.backchannelLogoutURI = "https://reports.example/logout" }
        for _ in 0..<2 { _ = try await fixture.code(for: fixture.webAuthorization(), consented: Fixture.scope("openid read:timesheets")) }
        _ = try await fixture.code()
        return fixture
    }

    private func run(_ fixture: ProviderFixture, _ backend: Backend) async throws -> Int {
        try await fixture.services.logouts(through: backend).run(at: fixture.now)
    }

    @Test("A session that ends is told to each client that listens, once, whatever it has of it")
    func told() async throws {
        let (fixture, backend) = (try await fixture(), Backend())
        #expect(try await run(fixture, backend) == 0)
        fixture.memory.change { $0.sessions = [:] }
        #expect(try await run(fixture, backend) == 1)
        fixture.clock.advance(100_000)
        #expect(try await run(fixture, backend) == 0)
        let sent = try #require(backend.sent.first)
        #expect(backend.sent.count == 1 && sent.address == "https://reports.example/logout")
        let claims = try UnverifiedJWS(compact: sent.token).verified(by: fixture.keyring.tokenKeys.published, as: .logoutToken).claims
        #expect(claims["aud"] == .string("web") && claims["sub"] == .string("alice") && claims["sid"] == .string(Fixture.session.text))
    }

    private struct Unasked: Error {}

    @Test("While nobody knows whether the clock is right none is told, and all are when it is; where nothing is due nobody is asked")
    func held() async throws {
        let (fixture, backend) = (try await fixture(), Backend())
        let service = fixture.services.logouts(through: backend)
        #expect(try await service.run(at: fixture.now, while: { throw Unasked() }) == 0)
        fixture.memory.change { $0.sessions = [:] }
        for _ in 0..<2 { #expect(try await service.run(at: fixture.now, while: { false }) == 0) }
        await #expect(throws: Unasked.self) { _ = try await service.run(at: fixture.now, while: { throw Unasked() }) }
        #expect(backend.sent.isEmpty)
        #expect(try await service.run(at: fixture.now, while: { true }) == 1)
        #expect(backend.sent.count == 1)
    }

    @Test("bcl_rp_500_retried_bounded: later and later for a day, then no more; each time with a token of its own")
    func retried() async throws {
        let (fixture, backend) = (try await fixture(), Backend(Array(repeating: 500, count: 1_000)))
        fixture.memory.change { $0.sessions = [:] }
        for _ in 0..<2_000 {
            _ = try await run(fixture, backend)
            fixture.clock.advance(60)
        }
        // Of some dozen tries in the first hour and one in each hour after it.
        #expect((20...60).contains(backend.sent.count))
        #expect(Set(backend.sent.map(\.token)).count == backend.sent.count)
    }

    @Test("An account that is deleted is a session that ended, and its client is told whose it was")
    func deleted() async throws {
        let (fixture, backend) = (try await fixture(), Backend())
        fixture.memory.change {
            $0.sessions = [:]
            $0.accounts = [:]
        }
        #expect(try await run(fixture, backend) == 1)
        let token = try #require(backend.sent.first).token
        let claims = try UnverifiedJWS(compact: token).verified(by: fixture.keyring.tokenKeys.published, as: .logoutToken).claims
        #expect(claims["sub"] == .string("alice") && claims["sid"] == .string(Fixture.session.text))
    }

    @Test("A client whose logout tokens can't be signed holds up no other's, and an operator hears of it")
    func fault() async throws {
        let (fixture, backend) = (try await fixture(), Backend())
        // No key of that algorithm is there.
        try await fixture.change("mobile") {
            $0.backchannelLogoutURI = "https://app.example/logout"
            $0.idTokenAlgorithm = .rs256
        }
        fixture.memory.change { $0.sessions = [:] }
        for _ in 0..<3 {
            await #expect(throws: NoSigner.self) { try await run(fixture, backend) }
            fixture.clock.advance(10)
        }
        #expect(backend.sent.map(\.address) == ["https://reports.example/logout"])
        try await fixture.change("mobile") { $0.idTokenAlgorithm = .es256 }
        fixture.clock.advance(100)
        #expect(try await run(fixture, backend) == 1)
    }

    /// Two backends, of which the first that is called answers when the other was called.
    private final class Waiting: LogoutGateway {
        private let calls = Mutex(0)
        private let (second, arrival) = AsyncStream.makeStream(of: Void.self)

        func send(_ logoutToken: String, to address: String) async -> Int? {
            let number = calls.withLock { calls in
                calls += 1
                return calls
            }
            if number == 1 { for await _ in second {} } else { arrival.finish() }
            return 200
        }
    }

    @Test("A backend that is slow holds up no other", .timeLimit(.minutes(10)))
    func slow() async throws {
        let fixture = try await fixture()
        try await fixture.change("mobile") { $0.backchannelLogoutURI = "https://app.example/logout" }
        fixture.memory.change { $0.sessions = [:] }
        #expect(try await fixture.services.logouts(through: Waiting()).run(at: fixture.now) == 2)
    }

    @Test("A backend that was away hears it when it is back; one that says no is told no more")
    func statuses() async throws {
        let (fixture, backend) = (try await fixture(), Backend([nil, 503]))
        fixture.memory.change { $0.sessions = [:] }
        for expected in [0, 0, 1, 0] {
            #expect(try await run(fixture, backend) == expected)
            fixture.clock.advance(10)
        }
        for status in [302, 400, 404] {
            let (other, refusing) = (try await self.fixture(), Backend([status]))
            other.memory.change { $0.sessions = [:] }
            for _ in 0..<3 {
                _ = try await run(other, refusing)
                other.clock.advance(4_000)
            }
            #expect(refusing.sent.count == 1)
        }
    }

    @Test("A backend that is called too often hears it later")
    func tooOften() async throws {
        let (fixture, backend) = (try await fixture(), Backend([429]))
        fixture.memory.change { $0.sessions = [:] }
        #expect(try await run(fixture, backend) == 0)
        fixture.clock.advance(10)
        #expect(try await run(fixture, backend) == 1)
        fixture.clock.advance(4_000)
        #expect(try await run(fixture, backend) == 0)
    }
}
