import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("What waits for a person is bounded by rows")
struct WaitingLimitTests {
    typealias Backend = ProviderStoreBackend
    private static let limit = WaitingLimit(fromPlace: 3, ofClient: 5, atServer: 7)

    private static func request(
        _ byte: UInt8, from place: String?, at server: ServerID = Sample.server, isSpent: Bool = false, refusedBy: RefusalID? = nil
    ) -> PushedRequest {
        PushedRequest(
            hash: Sample.bytes(byte), server: server, client: Sample.client, parameters: [], expiresAt: Sample.now + UInt64(byte), place: place,
            isSpent: isSpent, refusedBy: refusedBy)
    }

    private static func device(
        _ byte: UInt8, from place: String?, of client: ClientID = Sample.client, state: PolledAuthorization.State = .pending
    ) -> PolledAuthorization {
        PolledAuthorization(
            hash: Sample.bytes(byte), server: Sample.server, client: client, way: .device(userCodeHash: Sample.bytes(byte)), scopes: [], api: nil,
            createdAt: Sample.now, life: UInt64(byte), state: state, place: place)
    }

    @Test(
        "Requests count for their place until they are spent or too old, refused ones too; others' and those of known clients don't",
        arguments: Backend.allCases)
    func requests(on backend: Backend) async throws {
        let other = ServerID(Sample.bytes(2, 16))!
        try await backend.run { fixture in
            let spent = Self.request(4, from: "here", isSpent: true)
            try await fixture.write { rows in
                for byte in [UInt8(1), 2] { try rows.save(Self.request(byte, from: "here")) }
                // Begun and refused in a loop they would fill the table.
                try rows.save(Self.request(3, from: "here", refusedBy: RefusalID(Sample.bytes(7, 16))))
                try rows.save(spent)
                try rows.save(Self.request(5, from: "elsewhere"))
                try rows.save(Self.request(6, from: "here", at: other))
                try rows.save(Self.request(7, from: nil))
            }
            let count = { @Sendable (part: WaitingPart, since: Instant, most: Int) in
                try await fixture.read { rows in try rows.count(.visits, part, at: Sample.server, since: since, upTo: most) }
            }
            #expect(try await count(.place("here"), Sample.now, 9) == WaitingCount(3, firstEnd: Sample.now + 1))
            #expect(try await count(.place("here"), Sample.now + 2, 9) == WaitingCount(2, firstEnd: Sample.now + 2))
            #expect(try await count(.place("here"), Sample.now + 4, 9) == WaitingCount(0, firstEnd: nil))
            #expect(try await count(.place("here"), Sample.now, 2) == WaitingCount(2, firstEnd: Sample.now + 1))
            #expect(try await count(.place(""), Sample.now, 9).count == 0)
            #expect(try await count(.server, Sample.now, 9) == WaitingCount(4, firstEnd: Sample.now + 1))
            #expect(try await fixture.read { rows in try rows.pushedRequest(hash: spent.hash, of: Sample.server) } == spent)
        }
    }

    @Test("Device codes count for place, client and server until they are decided or over", arguments: Backend.allCases)
    func devices(on backend: Backend) async throws {
        let other = try #require(ClientID("other"))
        try await backend.run { fixture in
            let first = Self.device(1, from: "here")
            try await fixture.write { rows in
                try rows.save(first)
                try rows.save(Self.device(2, from: "here", of: other))
                try rows.save(Self.device(3, from: "here", state: .denied))
                try rows.save(Self.device(4, from: "elsewhere"))
                try rows.save(Self.device(5, from: nil))
            }
            let count = { @Sendable (part: WaitingPart, since: Instant) in
                try await fixture.read { rows in try rows.count(.devices, part, at: Sample.server, since: since, upTo: 9) }
            }
            #expect(try await count(.place("here"), Sample.now) == WaitingCount(2, firstEnd: Sample.now + 1))
            #expect(try await count(.place("here"), Sample.now + 2) == WaitingCount(1, firstEnd: Sample.now + 2))
            #expect(try await count(.client(Sample.client), Sample.now) == WaitingCount(2, firstEnd: Sample.now + 1))
            #expect(try await count(.server, Sample.now) == WaitingCount(3, firstEnd: Sample.now + 1))
            #expect(try await fixture.read { rows in try rows.polled(hash: first.hash, of: Sample.server) } == first)
        }
    }

    private func begin(
        _ provider: OAuthServices, from place: String, client: ClientID = Sample.client, at now: Instant = ProviderAtWork.moment
    ) async throws -> DeviceService.Begun {
        let call = TokenCall(
            server: Sample.server, method: "POST", contentType: "application/x-www-form-urlencoded",
            parameters: [Parameter("client_id", client.text), Parameter("scope", "openid")],
            target: try #require(HTTPTarget("https://login.example/oauth/device/code")))
        return try await provider.devices.begin(call, from: CallPlace(place), at: now)
    }

    /// Two public clients that may use device codes.
    private func run(on backend: Backend, _ body: @Sendable (ProviderAtWork) async throws -> Void) async throws {
        try await backend.runWithAlice { fixture in
            let made = [Sample.client, try #require(ClientID("other"))].map { id in
                var application = Application(id: id, server: Sample.server, kind: .native, name: "App", authentication: .none)
                application.grantTypes = [.deviceCode]
                return application
            }
            try await fixture.write { rows in for application in made { try rows.save(application) } }
            try await body(try ProviderAtWork(fixture, devices: Self.limit))
        }
    }

    @Test(
        "dev_pending_flood_bounded: a place has so many codes, then a client, then all; others go on until then, what is decided makes room",
        arguments: Backend.allCases)
    func flood(on backend: Backend) async throws {
        try await run(on: backend) { provider in
            let (services, now) = (provider.services, ProviderAtWork.moment)
            let other = try #require(ClientID("other"))
            let first = try await begin(services, from: "a")
            for _ in 0..<2 { _ = try await begin(services, from: "a") }
            await #expect(throws: TooManyWaiting(.devices, .place("a"), seconds: 601)) { try await begin(services, from: "a") }
            await #expect(throws: TooManyWaiting(.devices, .place("a"), seconds: 601)) { try await begin(services, from: "a", client: other) }
            for _ in 0..<2 { _ = try await begin(services, from: "b") }
            await #expect(throws: TooManyWaiting(.devices, .client(Sample.client), seconds: 601)) { try await begin(services, from: "c") }
            for _ in 0..<2 { _ = try await begin(services, from: "c", client: other) }
            await #expect(throws: TooManyWaiting(.devices, .server, seconds: 601)) { try await begin(services, from: "d", client: other) }
            let hash = SHA(first.deviceCode.utf8)
            #expect(try await services.approval.deny(hash, at: Sample.server, account: Sample.accountID(1), now: now) != nil)
            _ = try await begin(services, from: "a")
            // When the first of them are over.
            await #expect(throws: TooManyWaiting(.devices, .place("a"), seconds: 1)) { try await begin(services, from: "a", at: now + 600) }
            _ = try await begin(services, from: "a", at: now + 601)
        }
    }

    @Test("Of 64 at once from one place no more begin than may, by several nodes over one database; in 20 rounds")
    func parallel() async throws {
        try await run(on: .sqliteFile) { provider in
            let fixture = provider.fixture
            for round in 0..<20 {
                let moment = ProviderAtWork.moment + UInt64(round) * 1_000
                let nodes = try (0..<4).map { _ in try ProviderAtWork(fixture, devices: Self.limit).services }
                let begun = await withTaskGroup(of: Bool.self) { group in
                    for caller in 0..<64 {
                        group.addTask { (try? await begin(nodes[caller % 4], from: "a", at: moment)) != nil }
                    }
                    return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }
                #expect(begun == 3, "round \(round)")
            }
        }
    }

    @Test("Whoever began the last one that may, and never heard of its commit, has it", .againWithLostCommits)
    func lost() async throws {
        try await run(on: .sqliteInMemory) { provider in
            for _ in 0..<3 {
                let begun = try await begin(provider.services, from: "a")
                let found = try await provider.services.devices.waiting(for: begun.userCode, at: Sample.server, now: ProviderAtWork.moment)
                #expect(found?.place == "a")
            }
            await #expect(throws: TooManyWaiting(.devices, .place("a"), seconds: 601)) { try await begin(provider.services, from: "a") }
        }
    }

    @Test(
        "A code that nobody decided goes ten minutes after its end, so that a flood leaves nothing; one that was decided is known for a day",
        arguments: Backend.databases)
    func forgotten(on backend: Backend) async throws {
        try await backend.run { fixture in
            let (left, denied, known) = (Self.device(1, from: "a"), Self.device(2, from: "a", state: .denied), Self.device(3, from: nil))
            try await fixture.write { rows in for device in [left, denied, known] { try rows.save(device) } }
            func there() async throws -> [Bool] {
                try await fixture.read { rows in
                    try [left, denied, known].map { try rows.polled(hash: $0.hash, of: Sample.server) != nil }
                }
            }
            try await fixture.removeExpired(at: left.expiresAt + 600)
            #expect(try await there() == [true, true, true])
            try await fixture.removeExpired(at: left.expiresAt + 601)
            #expect(try await there() == [false, true, true])
        }
    }

    @Test("What a clock wrote that ran ten days ahead keeps nobody out for longer than what is written now", arguments: Backend.databases)
    func clock(on backend: Backend) async throws {
        try await run(on: backend) { provider in
            let (services, now) = (provider.services, ProviderAtWork.moment)
            for _ in 0..<3 { _ = try await begin(services, from: "a", at: now + 864_000) }
            await #expect(throws: TooManyWaiting(.devices, .place("a"), seconds: 601)) { try await begin(services, from: "a", at: now) }
            try await (provider.fixture.store as? any MomentKeeper)?.bringBack(from: now + 120, to: now)
            _ = try await begin(services, from: "a", at: now + 1)
        }
    }

    @Test("Each question is answered by the index that is for it, and by nothing else")
    func plans() async throws {
        let database = CountingDatabase(try SQLiteDatabase.inMemory())
        try await database.migrate(AuthenticationSchema.migrations)
        let store = SQLOAuthStore(database: database, key: KeyEncryptionKey.random())
        _ = database.take()
        let parts = [WaitingPart.place("a"), .client(Sample.client), .server]
        let questions = [(WaitingKind.visits, parts[0]), (.visits, parts[2])] + parts.map { (WaitingKind.devices, $0) }
        let indexes = ["oauth_pushed_place", "oauth_pushed_waiting", "oauth_polled_place", "oauth_polled_client", "oauth_polled_waiting"]
        for ((waiting, part), index) in zip(questions, indexes) {
            _ = try await store.read { rows in try rows.count(waiting, part, at: Sample.server, since: Sample.now, upTo: 3) }
            let statement = try #require(database.take().statements.last)
            let plan = try await database.plan(of: statement)
            #expect(plan.contains { $0.contains("USING COVERING INDEX \(index) ") && $0.contains("expires_at>?") }, "\(plan)")
            #expect(!plan.contains { $0.hasPrefix("SCAN oauth") || $0.contains("B-TREE") }, "\(plan)")
        }
    }

    @Test("What an operator's change ends on phones is found by what still waits there, however many a server had in the last day")
    func askedPlans() async throws {
        let database = CountingDatabase(try SQLiteDatabase.inMemory())
        try await database.migrate(AuthenticationSchema.migrations)
        let store = SQLOAuthStore(database: database, key: KeyEncryptionKey.random())
        for asksOfAll in [true, false] {
            _ = database.take()
            _ = try await store.read { rows in
                try asksOfAll
                    ? rows.askedOnPhones(at: Sample.server, since: Sample.now)
                    : rows.openQuestions(of: Sample.client, at: Sample.server, since: Sample.now)
            }
            let statement = try #require(database.take().statements.last)
            let plan = try await database.plan(of: statement)
            #expect(plan == ["SEARCH oauth_polled USING INDEX oauth_polled_asked (server=? AND expires_at>?)"])
        }
    }
}
