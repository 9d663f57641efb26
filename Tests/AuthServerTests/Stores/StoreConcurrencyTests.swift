import Authentication
import OstiaryProtocol
import Testing

/// Runs `count` callers at once and answers how many of them won.
func winners(of count: Int, _ call: @Sendable @escaping (Int) async -> Bool) async -> Int {
    await withTaskGroup { group in
        for index in 0..<count { group.addTask { await call(index) } }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
}

@Suite("Store: many callers at once, exactly one winner")
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
                let claimed = try? await store.write { rows in
                    let claimed = try #require(try rows.session(session.id)).after(.claim(account, .qrDynamic), at: Sample.now)
                    try rows.save(claimed)
                    return claimed
                }
                return claimed != nil
            }
            #expect(count == 1)
        }
    }

    @Test("A request is spent once", arguments: StoreBackend.allCases)
    func spend(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let count = await winners(of: Self.callers) { _ in
                (try? await store.write { rows in try rows.spend(Sample.bytes(1, 16), until: Sample.now) }) == true
            }
            #expect(count == 1)
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
            try await store.write { rows in
                for notice in [first, second] { try rows.add(StoredNotice(account: mine, notice: notice)) }
                try rows.add(StoredNotice(account: other, notice: first))
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
            let isUnspent = try await store.write { rows in try rows.spend([1], until: Sample.now) }
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
