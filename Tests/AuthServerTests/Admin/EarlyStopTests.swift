import Authentication
import Database
import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import AuthServer

@Suite("getSession before its route, while sessions end", .timeLimit(.minutes(10)))
struct EarlyStopTests {
    private static let readers = 8
    /// Answers of each reader after a stop was acknowledged.
    private static let looks = 40

    /// Whether an end was acknowledged.
    private final class Watched: Sendable {
        private let state = Mutex(false)

        var isOver: Bool { state.withLock { $0 } }
        func end() { state.withLock { $0 = true } }
    }

    private enum End: CaseIterable { case logOut, failedCommit, block, delete, time }

    @Test(
        "A94 After a stop was acknowledged nobody of many who ask all the time hears of a login, however it was stopped", arguments: [true, false])
    func stops(keepsViews: Bool) async throws {
        let folder = try TemporaryFolder()
        let database = try SQLiteDatabase.open(path: folder.file("as.sqlite"), readers: 2)
        try await ServersFixture.run(database: database, keepsViews: keepsViews) { servers in
            let log = try RefusingFile(database.place + "-wal")
            try await SessionsBothWays.run(at: servers) { both in
                for end in End.allCases {
                    let nonce = Base64URL.encode(SystemRandomSource().bytes(16))
                    let phone = try await TestPhone(servers).enrol(try servers.nonce(), userID: "\(end)")
                    try await phone.logIn(try SessionNonce(nonce))
                    let before = both.count
                    try await Self.watch(both, nonce) { try await Self.stop(end, phone.account, nonce, at: both, log) }
                    #expect(both.count > before, "\(end)")
                }
            }
        }
        try await database.close()
    }

    private static func stop(_ end: End, _ account: AccountID, _ nonce: String, at both: SessionsBothWays, _ log: RefusingFile) async throws {
        let servers = both.servers
        let (accounts, server, now) = (servers.services.accounts, servers.server, servers.now)
        let logOut = { @Sendable () async throws in
            try await servers.services.sessions.logOut(try SessionNonce(nonce), at: server, by: .backend, now: now)
        }
        switch end {
        case .logOut: try await logOut()
        case .failedCommit:
            try log.refuse()
            await #expect(throws: SQLError.self) { try await logOut() }
            try log.allow()
            // Whoever was told that it failed finds the login as it was, and stops it once more.
            let still = try await both.answers(to: Array(both.question(nonce).utf8))
            #expect(still.early == still.routes && still.early.contains(#""loggedin":true"#))
            try await logOut()
        case .block: _ = try await accounts.setBlocked(true, account, at: server, by: .backend, now: now)
        case .delete: try await accounts.delete(account, at: server, by: .backend, now: now)
        case .time: servers.clock.advance(400)
        }
    }

    /// Has many ask without end, ends the login meanwhile, and looks whether anybody heard of it who asked afterwards.
    private static func watch(_ both: SessionsBothWays, _ nonce: String, _ stop: @Sendable @escaping () async throws -> Void) async throws {
        let (watched, question, port) = (Watched(), both.question(nonce), both.early)
        let (seen, see) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<readers {
                group.addTask(executorPreference: OwnThread()) {
                    let client = try RawClient(port: port)
                    var (late, left) = (0, looks)
                    while left > 0 {
                        let wasOver = watched.isOver
                        let isLogin = client.ask(question).contains(#""loggedin":true"#)
                        if isLogin { see.yield() }
                        guard wasOver else { continue }
                        left -= 1
                        if isLogin { late += 1 }
                    }
                    return late
                }
            }
            // Whatever happens, they come to their end.
            defer { watched.end() }
            for await _ in seen { break }
            try await stop()
            watched.end()
            #expect(try await group.reduce(0, +) == 0)
        }
    }
}
