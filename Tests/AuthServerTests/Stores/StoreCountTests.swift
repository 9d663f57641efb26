import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

/// Whoever looks again does these a second time, which does no harm; the numbers are those of transactions of which each was heard.
@Suite("Store: what changes at each call, and how much")
struct StoreCountTests {
    @Test("What the sessions of a server ask becomes another question where a phone is awaited, and only there", arguments: StoreBackend.allCases)
    func askAnew(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let states = Sample.states
            try await store.write { rows in
                for (index, state) in states.enumerated() {
                    var session = Sample.session(UInt8(index) + 10, state: state)
                    session.asked = .max
                    try rows.save(session)
                }
                try rows.askAnew(at: ServerID(Sample.bytes(200, 16))!)
            }
            func asked() async throws -> [UInt32?] {
                try await store.read { rows in try states.indices.map { try rows.session(Sample.sessionID(UInt8($0) + 10))?.asked } }
            }
            #expect(try await asked() == states.map { _ in .max })
            try await store.write { rows in try rows.askAnew(at: Sample.server) }
            #expect(try await asked() == states.map { $0 == .open ? 0 : .max })
        }
    }

    @Test("Of the audit trail what is old goes, so many at a time; what is not stays, in its order", arguments: StoreBackend.allCases)
    func oldAudit(on backend: StoreBackend) async throws {
        try await backend.run { store in
            // The third was written by a clock that ran ahead.
            let times: [UInt64] = [1, 2, 900, 3, 4]
            let entries = times.map { time in
                AuditEntry(.loginAccepted, server: Sample.server, account: Sample.accountID(1), by: .phone, at: Sample.now + time)
            }
            try await store.write { rows in for entry in entries { try rows.record(entry) } }
            func removed(before seconds: UInt64, limit: Int) async throws -> Int {
                try await store.write { rows in try rows.removeAudit(before: Sample.now + seconds, limit: limit) }
            }
            #expect(try await removed(before: 1, limit: 9) == 0)
            #expect(try await removed(before: 9, limit: 1) == 1)
            #expect(try await removed(before: 4, limit: 4) == 2)
            #expect(try await store.read { rows in try rows.auditEntries(of: Sample.server, limit: 9) } == [entries[4], entries[2]])
        }
    }

    @Test(
        "Of deleted accounts those are forgotten first that were deleted first, so many at a time, and later ones not",
        arguments: StoreBackend.allCases)
    func deletedAccounts(on backend: StoreBackend) async throws {
        try await backend.run { store in
            // The ids are in another order, and two were deleted in one second.
            let moments: [UInt8: UInt64] = [1: 5, 2: 3, 3: 3, 4: 2, 5: 9]
            try await store.write { rows in
                for (account, moment) in moments { try rows.markDeleted(Sample.accountID(account), of: Sample.server, at: Sample.now + moment) }
            }
            func removed(before seconds: UInt64, limit: Int) async throws -> Int {
                try await store.write { rows in try rows.removeDeleted(before: Sample.now + seconds, limit: limit) }
            }
            func known() async throws -> [UInt8] {
                try await store.read { rows in try (UInt8(1)...5).filter { try rows.deletedAccount(Sample.accountID($0)) != nil } }
            }
            #expect(try await removed(before: 2, limit: 9) == 0)
            #expect(try await removed(before: 9, limit: 1) == 1)
            #expect(try await known() == [1, 2, 3, 5])
            #expect(try await removed(before: 5, limit: 9) == 2)
            #expect(try await known() == [1, 5])
            #expect(try await removed(before: 99, limit: 9) == 2)
            #expect(try await known().isEmpty)
        }
    }

    @Test("What is old is forgotten, what is not stays", arguments: StoreBackend.allCases)
    func expiry(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let (over, running) = (Sample.session(20, state: .expired), Sample.session(21, state: .loggedIn(Sample.login)))
            try await store.write { rows in
                for session in [over, running] {
                    try rows.save(session)
                    try rows.save(NoncePointer(server: Sample.server, hash: session.nonceHash ?? [], kind: .chosen, session: session.id, run: 0))
                }
                #expect(try rows.spend([1], until: Sample.now))
            }
            let early = try await store.write { rows in try rows.removeExpired(at: Sample.now, limit: 9) }
            #expect(early == 0)
            let late = try await store.write { rows in try rows.removeExpired(at: Sample.now + Retention.unusedSession + 481, limit: 9) }
            #expect(late == 1)
            #expect(try await store.read { rows in try rows.session(over.id) } == nil)
            #expect(try await store.read { rows in try rows.session(running.id) } == running)
            #expect(try await store.write { rows in try rows.spend([1], until: Sample.now) })
        }
    }

    @Test(
        "With a login that is forgotten goes what leads to it, and not what leads to a later one of the same nonce", arguments: StoreBackend.allCases)
    func pointers(on backend: StoreBackend) async throws {
        try await backend.run { store in
            // Two logins by one nonce, of which the first is over; one by another, and one of a nonce of another server.
            let hash = Sample.bytes(20)
            let elsewhere = ServerID(Sample.bytes(2, 16))!
            var later = Sample.session(21, state: .loggedIn(Sample.login))
            later.nonceHash = hash
            let (first, next, alone) = (Sample.session(20, state: .expired), later, Sample.session(22, state: .expired))
            try await store.write { rows in
                for session in [first, next, alone] {
                    try rows.save(session)
                    try rows.save(
                        NoncePointer(server: Sample.server, hash: session.nonceHash ?? [], kind: .chosen, session: session.id, run: 0))
                }
                let other = Session(
                    id: Sample.sessionID(23), server: elsewhere, nonceHash: alone.nonceHash, stream: nil, purpose: .login, startedAt: Sample.now,
                    state: .loggedIn(Sample.login))
                try rows.save(other)
                try rows.save(NoncePointer(server: elsewhere, hash: other.nonceHash ?? [], kind: .chosen, session: other.id, run: 0))
            }
            let gone = try await store.write { rows in try rows.removeExpired(at: Sample.now + Retention.unusedSession + 481, limit: 9) }
            #expect(gone == 2)
            let left = try await store.read { rows in
                try [(hash, Sample.server), (Sample.bytes(22), Sample.server), (Sample.bytes(22), elsewhere)].map { hash, server in
                    try rows.pointer(nonceHash: hash, of: server)?.session
                }
            }
            let expected: [SessionID?] = [next.id, nil, Sample.sessionID(23)]
            #expect(left == expected)
        }
    }

    @Test("Many logins that nobody used go in batches of what was allowed", arguments: StoreBackend.allCases)
    func batches(on backend: StoreBackend) async throws {
        try await backend.run { store in
            try await store.write { rows in
                for byte in UInt8(1)...25 { try rows.save(Sample.session(byte, state: .expired)) }
            }
            var removed: [Int] = []
            for _ in 0..<4 { removed.append(try await store.write { rows in try rows.removeExpired(at: Sample.now + 1_000, limit: 10) }) }
            #expect(removed == [10, 10, 5, 0])
        }
    }
}
