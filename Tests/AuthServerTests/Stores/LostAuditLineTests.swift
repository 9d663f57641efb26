import Authentication
import Database
import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import AuthServer

@Suite("Lines of the audit trail, when a commit was lost")
struct LostAuditLineTests {
    private static let later = Sample.now + 100_000

    /// A store whose lines are read, with sessions that have run out.
    private final class Premises: Sendable {
        let database: LosingDatabase
        let store: SQLAuthenticationStore
        private let lines: Lines

        private final class Lines: Sendable {
            let told = Mutex<[AuditEntry]>([])
        }

        init(sessions: UInt8) async throws {
            let lines = Lines()
            self.lines = lines
            database = misbehavingDatabase(over: try await SchemaTemplate.authentication.database())
            store = SQLAuthenticationStore(database: database, key: .random()) { entries in lines.told.withLock { $0 += entries } }
            try await store.write { rows in
                for byte in 0..<sessions { try rows.save(Sample.session(100 + byte, state: .loggedIn(Sample.login))) }
            }
        }

        /// What was told, each session by its hash.
        var told: [AccountID?] { lines.told.withLock { $0.map(\.account) } }

        /// What stands in the trail, the oldest first.
        func trail() async throws -> [AccountID?] {
            try await store.read { rows in try rows.auditEntries(of: Sample.server, limit: 99) }.reversed().map(\.account)
        }

        /// Of housekeeping: ends two that nobody has ended, whichever they are when it looks.
        func batch() async throws {
            try await store.write { rows, former -> Int in
                let due = try rows.overdueSessions(at: LostAuditLineTests.later, limit: 2)
                for session in due {
                    try rows.save(session.settled(at: LostAuditLineTests.later))
                    let account = AccountID(Array(session.id.bytes))
                    try rows.record(AuditEntry(.loginNotReturned, server: Sample.server, account: account, by: .server, at: LostAuditLineTests.later))
                }
                return (former ?? 0) + due.count
            }
        }
    }

    @Test(
        "What stands in the trail is told, once, in its order: also what a lost batch ended before another looked again",
        arguments: LosingDatabase.Loss.allCases)
    func batches(_ loss: LosingDatabase.Loss) async throws {
        let premises = try await Premises(sessions: 5)
        premises.database.lose(.each(loss))
        for _ in 0..<3 { try await premises.batch() }
        let trail = try await premises.trail()
        #expect(Set(trail).count == 5 && trail.count == 5)
        #expect(premises.told == trail)
    }

    @Test(
        "What was lost twice is a fault for who asked, and what stands in the trail by then is told all the same",
        arguments: LosingDatabase.Loss.allCases)
    func lostTwice(_ loss: LosingDatabase.Loss) async throws {
        let premises = try await Premises(sessions: 5)
        premises.database.lose(.all(loss))
        await #expect(throws: SQLError.outcomeUnknown) { try await premises.batch() }
        #expect(premises.told.count == (loss == .kept ? 4 : 0))
        #expect(try await premises.told == premises.trail())
        premises.database.lose(.none)
        for _ in 0..<3 { try await premises.batch() }
        let trail = try await premises.trail()
        #expect(trail.count == 5 && premises.told == trail)
    }

    @Test(
        "Where the second look is refused before it begins nobody knows, and what the first has kept is told",
        arguments: LosingDatabase.Loss.allCases, [SQLError.busy, .commitsUnanswered(standbys: "absent")])
    func lookRefused(_ loss: LosingDatabase.Loss, _ refusal: SQLError) async throws {
        let premises = try await Premises(sessions: 3)
        premises.database.lose(.refusing(loss, refusal))
        let told = refusal == .busy ? SQLError.outcomeUnknown : refusal
        await #expect(throws: told) { try await premises.batch() }
        #expect(premises.told.count == (loss == .kept ? 2 : 0))
        #expect(try await premises.told == premises.trail())
    }

    @Test("A body that refuses when it looks again has what it did told", arguments: LosingDatabase.Loss.allCases)
    func refusesAgain(_ loss: LosingDatabase.Loss) async throws {
        let premises = try await Premises(sessions: 0)
        premises.database.lose(.only(1, loss))
        let entry = AuditEntry(.accountBlocked, server: Sample.server, account: Sample.accountID(7), by: .server, at: Sample.now)
        await #expect(throws: Refusal.accountUnknown) {
            try await premises.store.write { rows, former -> Void in
                guard former == nil else { throw Refusal.accountUnknown }
                try rows.record(entry)
            }
        }
        #expect(premises.told == (loss == .kept ? [Sample.accountID(7)] : []))
        #expect(try await premises.told == premises.trail())
    }

    @Test("A transaction that nobody lost tells what it wrote, and one that failed nothing")
    func undisturbed() async throws {
        let premises = try await Premises(sessions: 3)
        premises.database.lose(.none)
        try await premises.batch()
        #expect(premises.told.count == 2)
        await #expect(throws: Refusal.accountUnknown) {
            try await premises.store.write { rows -> Void in
                try rows.record(AuditEntry(.accountBlocked, server: Sample.server, by: .server, at: Sample.now))
                throw Refusal.accountUnknown
            }
        }
        #expect(premises.told.count == 2)
    }
}
