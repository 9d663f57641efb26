import Authentication
import Database
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

/// What is counted of offline codes, on every store: each body twice, and each commit lost once.
@Suite("Store: offline codes", .againWithLostCommits)
struct OfflineCodeStoreTests {
    /// A virtual server that takes codes, an account, and a session that waits.
    private struct World: Sendable {
        static let reference: UInt32 = 0x2AAA_AAAA
        static let key = SecretBytes(Sample.bytes(0x61))

        let store: any AuthenticationStore
        let keyring: OneServerKeyring
        let services: AuthenticationServices
        let nonce: SessionNonce

        var server: ServerID { keyring.keys.root.serverID }

        init(on store: any AuthenticationStore) async throws {
            self.store = store
            keyring = try OneServerKeyring()
            services = AuthenticationServices(
                store: store, keyring: keyring, gateway: AbsentSecondFactor(), events: SessionEventHub(), random: SystemRandomSource())
            nonce = try SessionNonce("n0nce-of-the-business-backend")
            var update = ServerUpdate()
            update.flags = ["ENABLE_OTP"]
            let server = VirtualServer(
                id: keyring.keys.root.serverID, publicKey: keyring.keys.root.ed25519, createdAt: Sample.now,
                parameters: try update.applied(to: ServerParameters(name: "Shop")))
            let account = Account(
                id: Sample.accountID(1), server: server.id, userID: "alice", displayName: "Alice", device: "Pixel", app: "Test 1.0",
                deviceKey: Sample.bytes(1, 65), instance: Sample.instanceID, createdAt: Sample.now, otpReference: Self.reference,
                otpKey: StoredSecret(Self.key.exposed), state: .active)
            try await store.write { rows in
                try rows.save(server)
                try rows.save(account)
            }
            try await begin()
        }

        func begin() async throws {
            _ = try await services.sessions.loginLink(for: nonce, at: server, style: .still, by: .backend, now: Sample.now)
        }

        func session() async throws -> Session {
            try #require(try await services.sessions.progress(of: nonce, at: server, now: Sample.now))
        }

        func code() async throws -> String {
            OfflineCode(
                reference: Self.reference, key: Self.key,
                session: OfflineSession(serverTag: keyring.keys.root.tag, id: try await session().id),
                interval: OfflineCode.interval(at: Sample.now), length: .six
            ).exposed
        }

        /// What became of it; nil when it logged in.
        func type(_ text: String) async throws -> OfflineCodeRefusal? {
            do {
                _ = try await services.offlineCodes.logIn(text, for: nonce, at: server, by: .backend, now: Sample.now)
                return nil
            } catch let refusal as OfflineCodeRefusal {
                return refusal
            }
        }

        /// Tries of the session and of the reference, and failures of the server.
        func counted() async throws -> [Int] {
            let server = server
            let (tries, failures) = try await store.read { rows in
                (try rows.offlineTries(of: Self.reference, at: server)?.moments.count, try rows.offlineFailures(at: server)?.count)
            }
            return [Int(try await session().codesTried), tries ?? 0, Int(failures ?? 0)]
        }
    }

    private static func wrong(_ code: String) -> String { code.dropLast() + (code.hasSuffix("0") ? "1" : "0") }

    @Test(
        "Whatever commit is lost, a code that was wrong has counted once, and one that was right has logged in once", arguments: StoreBackend.allCases
    )
    func once(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let world = try await World(on: store)
            let code = try await world.code()
            #expect(try await world.type(Self.wrong(code)) == .wrong(left: 2))
            #expect(try await world.counted() == [1, 1, 1])
            #expect(try await world.type(code) == nil)
            #expect(try await world.counted() == [2, 2, 1])
            #expect(try await world.type(code) == .noSession)
            let login = try #require(try await world.session().login)
            #expect(login.isOffline && login.account == Sample.accountID(1) && login.binding == nil && login.decision.count == 32)
            let server = world.server
            let trail = try await store.read { rows in try rows.auditEntries(of: server, limit: 9) }
            #expect(trail.map(\.kind) == [.loginByOfflineCode])
        }
    }

    @Test("The third wrong one is told as that, also by a second look, and the right one is not looked at after it", arguments: StoreBackend.allCases)
    func spent(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let world = try await World(on: store)
            let code = try await world.code()
            for left in [2, 1, 0] { #expect(try await world.type(Self.wrong(code)) == .wrong(left: left)) }
            #expect(try await world.type(code) == .sessionSpent)
            #expect(try await world.counted() == [3, 3, 3])
        }
    }

    @Test("64 at once with the one right code: exactly one wins, in each round", arguments: StoreBackend.allCases)
    func atOnce(on backend: StoreBackend) async throws {
        try await backend.run { store in
            for _ in 0..<3 {
                let world = try await World(on: store)
                let code = try await world.code()
                let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for _ in 0..<64 { group.addTask { try await world.type(code) == nil } }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(winners == 1)
                #expect(try await world.counted() == [1, 1, 0])
            }
        }
    }

    @Test("64 wrong ones at once are three that counted, and a right one among them wins or does not, once", arguments: StoreBackend.allCases)
    func wrongAtOnce(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let world = try await World(on: store)
            let code = try await world.code()
            let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<64 { group.addTask { try await world.type(index == 40 ? code : Self.wrong(code)) == nil } }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            let counted = try await world.counted()
            #expect(winners <= 1 && counted[0] <= 3 && counted[0] == counted[1] && counted[2] == counted[0] - winners)
        }
    }

    @Test(
        "Tries and failures are found as they were saved, at their own server; a reserved reference is taken until it is forgotten",
        arguments: StoreBackend.allCases)
    func rows(on backend: StoreBackend) async throws {
        try await backend.run { store in
            let (server, other) = (Sample.server, ServerID(Sample.bytes(2, 16))!)
            let tries = OfflineTries(server: server, reference: 7, moments: [Sample.now, Sample.now + 3])
            let reserved = OfflineTries(server: server, reference: 8, reservedUntil: Sample.now + 9)
            let failures = OfflineFailures(server: server, since: Sample.now, count: 999)
            try await store.write { rows in
                for each in [tries, OfflineTries(server: server, reference: 7), tries, reserved] { try rows.save(each) }
                try rows.save(OfflineFailures(server: server, since: Sample.now, count: 1))
                try rows.save(failures)
            }
            func read<Value: Sendable>(_ body: @Sendable @escaping (any AuthenticationRows) throws -> Value) async throws -> Value {
                try await store.read(body)
            }
            #expect(try await read { try $0.offlineTries(of: 7, at: server) } == tries)
            #expect(try await read { try $0.offlineTries(of: 7, at: other) } == nil)
            #expect(try await read { try $0.offlineTries(of: 8, at: server) } == reserved)
            #expect(try await read { try $0.offlineFailures(at: server) } == failures)
            #expect(try await read { try $0.offlineFailures(at: other) } == nil)
            #expect(try await read { [try $0.isTaken(otpReference: 7, at: server), try $0.isTaken(otpReference: 8, at: server)] } == [false, true])
            #expect(try await read { try $0.isTaken(otpReference: 8, at: other) } == false)
            _ = try await store.write { rows in try rows.removeExpired(at: Sample.now + 9, limit: 9) }
            #expect(try await read { try $0.isTaken(otpReference: 8, at: server) })
            _ = try await store.write { rows in try rows.removeExpired(at: Sample.now + 10, limit: 9) }
            #expect(try await read { try $0.isTaken(otpReference: 8, at: server) } == false)
            #expect(try await read { try $0.offlineTries(of: 7, at: server) } == tries)
            _ = try await store.write { rows in try rows.removeExpired(at: Sample.now + 3 + OfflineTries.span + 1, limit: 9) }
            #expect(try await read { try $0.offlineTries(of: 7, at: server) } == nil)
        }
    }

    @Test("An account is found by its reference, at its own server", arguments: StoreBackend.allCases)
    func byReference(on backend: StoreBackend) async throws {
        try await backend.run { store in
            try await store.write { rows in for byte in [UInt8(1), 2] { try rows.save(Sample.account(byte)) } }
            let other = ServerID(Sample.bytes(2, 16))!
            let found = try await store.read { rows in
                [
                    try rows.account(otpReference: 2, at: Sample.server), try rows.account(otpReference: 3, at: Sample.server),
                    try rows.account(otpReference: 2, at: other),
                ]
            }
            #expect(found == [Sample.account(2), nil, nil])
        }
    }
}
