import AuthServer
import Authentication
import Database
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Synchronization
import Testing

@Suite("Attack 13 on one node: lost revocation", .onBothEngines)
struct LostRevocationTests {
    private static var rounds: Int { DatabaseEngine.current == .sqlite ? 5 : 2 }

    private static func run(_ body: @Sendable @escaping (ServersFixture) async throws -> Void) async throws {
        try await withSeparateConnections { try await ServersFixture.run(database: $0, body) }
    }

    @Test(
        "No getSession that begins after a stop was acknowledged is true, while pings and repeats of the login go on",
        arguments: ["logout", "stop", "block", "delete"])
    func stopped(how: String) async throws {
        try await Self.run { servers async throws in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            for _ in 0..<(how == "delete" ? 1 : Self.rounds) {
                let shown = try await phone.openApp()
                let attempt = try shown.attempt()
                _ = try await phone.phone.evaluate(attempt)
                let decision = try shown.decision(attempt: attempt.id, method: .pin, proof: try phone.phone.prove(attempt))
                let nonce = try SessionNonce(try #require(try await shown.send(decision).webNonce))
                let lies = try await Self.lies(servers, nonce, disturbed: { Self.disturb(phone, shown, until: $0) }) {
                    try await Self.end(how, servers, phone, shown.screen.sessionID, nonce)
                }
                #expect(lies == 0)
                if how == "block" {
                    _ = try await servers.services.accounts.setBlocked(false, phone.account, at: servers.server, by: .backend, now: servers.now)
                }
            }
        }
    }

    private static func end(_ how: String, _ servers: ServersFixture, _ phone: EnrolledPhone, _ session: SessionID, _ nonce: SessionNonce)
        async throws
    {
        switch how {
        case "logout": try await servers.services.sessions.logOut(nonce, at: servers.server, by: .backend, now: servers.now)
        case "stop": try await phone.stop(session)
        case "block": _ = try await servers.services.accounts.setBlocked(true, phone.account, at: servers.server, by: .backend, now: servers.now)
        default: try await servers.services.accounts.delete(phone.account, at: servers.server, by: .backend, now: servers.now)
        }
    }

    /// Pings that try to keep the session alive. They end by a signal, because a request that is cancelled in process is no answer.
    private static func disturb(_ phone: EnrolledPhone, _ shown: ShownLogin, until end: Acknowledgement) -> Task<Void, Never> {
        Task {
            while !end.isThere { _ = try? await phone.ping(shown.screen.sessionID) }
        }
    }

    /// How many readers that began after `end` had returned still saw somebody.
    private static func lies(
        _ servers: ServersFixture, _ nonce: SessionNonce, disturbed: (Acknowledgement) -> Task<Void, Never>,
        end: @Sendable @escaping () async throws -> Void
    ) async throws -> Int {
        let acknowledgement = Acknowledgement()
        let readersAreDone = Acknowledgement()
        let disturbance = disturbed(readersAreDone)
        defer { readersAreDone.came() }
        let lies = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var lies = 0
                    var after = 0
                    while after < 20 {
                        let begunAfter = acknowledgement.isThere
                        let status = try await servers.status(of: nonce)
                        if begunAfter {
                            after += 1
                            lies += status.loggedIn ? 1 : 0
                        }
                        await Task.yield()
                    }
                    return lies
                }
            }
            try await end()
            acknowledgement.came()
            return try await group.reduce(0, +)
        }
        readersAreDone.came()
        await disturbance.value
        return lies
    }

    @Test("A logout that is acknowledged while the PIN is being proved leaves nobody logged in")
    func logoutDuringLogin() async throws {
        try await Self.run { servers async throws in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            for _ in 0..<(Self.rounds + 3) {
                let nonce = try servers.nonce()
                let shown = try await phone.scan(try await servers.link(nonce))
                async let login = shown.logInByPIN()
                try await servers.services.sessions.logOut(nonce, at: servers.server, by: .backend, now: servers.now)
                let sawNobody = try await servers.status(of: nonce) == .nobody
                _ = try? await login
                #expect(sawNobody)
                #expect(try await servers.status(of: nonce) == .nobody)
            }
        }
    }
}

/// Whether the end of a session was acknowledged.
private final class Acknowledgement: Sendable {
    private let state = Mutex(false)

    var isThere: Bool { state.withLock { $0 } }

    func came() { state.withLock { $0 = true } }
}
