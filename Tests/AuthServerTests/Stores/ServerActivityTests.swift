import Authentication
import Database
import OstiaryProtocol
import Testing

@testable import AuthServer

@Suite("How many accounts a server has, and its newest login", .againWithLostCommits)
struct ServerActivityTests {
    private static func server(_ number: Int) -> ServerID { ServerID(Sample.bytes(UInt8(number + 1), 16))! }

    /// Seeded, so that a walk that fails can be walked again.
    private struct Draws {
        var state: UInt64

        mutating func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
    }

    @Test("What is kept is what counting finds, after whatever was made, logged in, saved again and deleted", arguments: 1...6 as ClosedRange<UInt64>)
    func walk(_ seed: UInt64) async throws {
        let database = try await misbehavingDatabase()
        try await database.migrate(AuthenticationSchema.migrations)
        let store = SQLAuthenticationStore(database: database, key: .random())
        var draws = Draws(state: seed)
        var living: [UInt8] = []
        for step in 0..<80 as Range<UInt64> {
            let server = Self.server(draws.next(2))
            if living.isEmpty || draws.next(3) == 0 {
                let byte = UInt8(step + 1)
                living.append(byte)
                try await store.write { rows in try rows.save(Sample.account(byte, server: server)) }
            } else {
                let (place, kind) = (draws.next(living.count), draws.next(4))
                // A clock may run back: the newest login is not the last one that was written.
                let (byte, moment) = (living[place], Sample.now + UInt64(draws.next(1_000)))
                try await store.write { rows in
                    // Gone by the first look.
                    guard var account = try rows.account(Sample.accountID(byte)) else { return }
                    account.lastLogin = moment
                    account.isBlocked = kind == 1
                    if kind != 0 { try rows.save(account) } else { try rows.markDeleted(account.id, of: account.server, at: moment) }
                    return
                }
                if kind == 0 { living.remove(at: place) }
            }
            try await check(store, database)
        }
    }

    @Test("A deletion of what is not there counts nothing, and each account is counted where it was")
    func nothing() async throws {
        let database = try await misbehavingDatabase()
        try await database.migrate(AuthenticationSchema.migrations)
        let store = SQLAuthenticationStore(database: database, key: .random())
        for byte in [1, 2] as [UInt8] { try await store.write { rows in try rows.save(Sample.account(byte, server: Self.server(0))) } }
        try await store.write { rows in try rows.markDeleted(Sample.accountID(3), of: Self.server(0), at: Sample.now) }
        try await store.write { rows in try rows.markDeleted(Sample.accountID(2), of: Self.server(1), at: Sample.now) }
        try await check(store, database)
        #expect(try await store.read { rows in try rows.activity(of: Self.server(0)) }.accountCount == 1)
    }

    @Test("A database of before knows how many there were")
    func migrated() async throws {
        let database = try SQLiteDatabase.inMemory()
        try await database.migrate(AuthenticationSchema.migrations.filter { $0.number < 21 })
        try await database.transaction { connection in
            for (byte, server) in [(1, 0), (2, 0), (3, 1)] as [(UInt8, Int)] {
                try connection.execute(
                    """
                    INSERT INTO account (id, server, display_name, device, app, device_key, instance, created_at, otp_reference, otp_key, state, blocked,
                    last_login, activation_cache) VALUES ($1, $2, '', '', '', $1, $1, 0, $3, $1, 1, 0, $3, 0)
                    """, [SQLValue(Sample.accountID(byte)), SQLValue(Self.server(server)), SQLValue(Int(byte))])
            }
        }
        try await database.migrate(AuthenticationSchema.migrations)
        try await check(SQLAuthenticationStore(database: database, key: .random()), database)
    }

    private func check(_ store: SQLAuthenticationStore, _ database: any Database) async throws {
        for server in [Self.server(0), Self.server(1)] {
            let kept = try await store.read { rows in try rows.activity(of: server) }
            let counted = try await database.read { connection in
                let sql = "SELECT COUNT(*) AS accounts, MAX(last_login) AS newest FROM account WHERE server = $1"
                let row = try #require(try connection.one(sql, [SQLValue(server)]))
                return ServerActivity(accountCount: try row.int("accounts"), lastLogin: try row.optionalInstant("newest"))
            }
            #expect(kept == counted)
        }
    }
}
