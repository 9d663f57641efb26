import Authentication
import Database
import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import AuthServer

/// Runs `count` callers at once and answers how many of them won.
func winners(of count: Int, _ call: @Sendable @escaping (Int) async -> Bool) async -> Int {
    await withTaskGroup { group in
        for index in 0..<count { group.addTask { await call(index) } }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
}

@Suite("Store: many callers at once, exactly one winner", .againWithLostCommits)
struct StoreConcurrencyTests {
    private static let callers = 32

    @Test("A session is claimed by one account of many", arguments: StoreBackend.allCases)
    func claim(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let session = Session(
                id: Sample.sessionID(3), server: Sample.server, nonceHash: nil, stream: nil, purpose: .login, startedAt: Sample.now)
            try await store.write { rows in try rows.save(session) }
            let count = await winners(of: Self.callers) { index in
                let account = Sample.accountID(UInt8(index))
                let claimed = try? await store.write { rows, former -> Session in
                    let row = try #require(try rows.session(session.id))
                    // By the account in it the row says whose it is.
                    if let former, row == former { return former }
                    let claimed = try row.after(.claim(account, .qrDynamic), at: Sample.now)
                    try rows.save(claimed)
                    return claimed
                }
                return claimed != nil
            }
            #expect(count == 1)
        }
    }

    @Test("A body that cannot look again is caught: a request was spent, and nobody hears that it was theirs")
    func mutant() async throws {
        let database = LosingDatabase(try await SchemaTemplate.authentication.database(), .each(.kept))
        let store = SQLAuthenticationStore(database: database, key: .random())
        let count = await winners(of: Self.callers) { _ in
            (try? await store.write { rows in try rows.spend(Sample.bytes(1, 16), until: Sample.now) }) == true
        }
        #expect(count == 0)
        let isUnspent = try await store.write { rows in try rows.spend(Sample.bytes(1, 16), until: Sample.now) }
        #expect(!isUnspent)
    }

    @Test("A request is spent once, by the one who had its effect", arguments: StoreBackend.allCases)
    func spend(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let hash = Sample.bytes(2)
            let effects = (0..<Self.callers).map { index in
                NoncePointer(server: Sample.server, hash: hash, kind: .web, session: Sample.sessionID(UInt8(index)), run: 0)
            }
            let told = Mutex<[NoncePointer]>([])
            let count = await winners(of: Self.callers) { index in
                let mine = effects[index]
                let won = try? await store.write { rows, former -> Bool in
                    // What is spent does not say by whom; its effect does.
                    if former == true, try rows.pointer(nonceHash: hash, of: Sample.server) == mine { return true }
                    guard try rows.spend(Sample.bytes(1, 16), until: Sample.now) else { return false }
                    try rows.save(mine)
                    return true
                }
                if won == true { told.withLock { $0.append(mine) } }
                return won == true
            }
            #expect(count == 1)
            let kept = try #require(try await store.read { rows in try rows.pointer(nonceHash: hash, of: Sample.server) })
            #expect(told.withLock { $0 } == [kept])
        }
    }

    @Test("The next number goes to one attempt of many", arguments: StoreBackend.allCases)
    func reserve(on backend: StoreBackend) async throws {
        try await backend.run { store in
            try await store.write { rows in
                try rows.save(Instance(id: Sample.instanceID, server: Sample.server, epochs: Sample.instance.epochs))
            }
            let count = await winners(of: Self.callers) { index in
                let number = try? await store.write { rows in
                    var instance = try #require(try rows.instance(Sample.instanceID))
                    let number = try instance.sequence.reserve(AttemptID(Sample.bytes(UInt8(index), 16))!, blindedHash: [1], at: Sample.now)
                    try rows.save(instance)
                    return number
                }
                return number != nil
            }
            #expect(count == 1)
        }
    }

    @Test("A notice stays for as many as ask, until its own account acknowledges it", arguments: StoreBackend.allCases)
    func notices(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let (mine, other) = (Sample.accountID(1), Sample.accountID(2))
            let (first, second) = (Sample.notice(1), Sample.notice(2))
            _ = try await store.write { rows, former -> Bool in
                if former == true, try rows.notices(for: mine) == [first, second] { return true }
                for notice in [first, second] { try rows.add(StoredNotice(account: mine, notice: notice)) }
                try rows.add(StoredNotice(account: other, notice: first))
                return true
            }
            let seen = await winners(of: Self.callers) { _ in
                (try? await store.write { rows in try rows.notices(for: mine) }) == [first, second]
            }
            #expect(seen == Self.callers)
            let acknowledged = await winners(of: Self.callers) { _ in
                let left = try? await store.write { rows in
                    try rows.removeNotices([first.id], for: mine)
                    return try rows.notices(for: mine)
                }
                return left == [second]
            }
            #expect(acknowledged == Self.callers)
            #expect(try await store.read { rows in try rows.notices(for: other) } == [first], "another account's notice of the same name stays")
            try await store.write { rows in try rows.removeNotices([NoticeID(Sample.bytes(99, 16))!, first.id], for: other) }
            #expect(try await store.read { rows in try rows.notices(for: other) }.isEmpty)
        }
    }

    @Test("A body that throws leaves nothing behind", arguments: StoreBackend.allCases)
    func rollback(on backend: StoreBackend) async throws {
        try await backend.run { store in
            #expect(await Self.reasonOfFailedWrite(to: store) == .replayed)
            let (session, account) = try await store.read { rows in
                (try rows.session(Sample.sessionID(3)), try rows.account(Sample.accountID(1)))
            }
            #expect(session == nil && account == nil)
            let isUnspent = try await store.write { rows, former in try rows.spend([1], until: Sample.now) || former == true }
            #expect(isUnspent)
        }
    }

    /// Writes a session, an account and a request, and then throws.
    private static func reasonOfFailedWrite(to store: any AuthenticationStore) async -> Refusal? {
        do {
            try await store.write { rows in
                try rows.save(Sample.session())
                try rows.save(Sample.account(1))
                _ = try rows.spend([1], until: Sample.now)
                throw Refusal.replayed
            }
            return nil
        } catch {
            return error as? Refusal
        }
    }
}
