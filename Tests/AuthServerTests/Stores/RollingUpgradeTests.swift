import Authentication
import Database
import Dispatch
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Synchronization
import Testing

@testable import AuthServer
@testable import SecondFactorServer

@Suite("An upgrade while nodes of the version before run", .timeLimit(.minutes(5)))
struct RollingUpgradeTests {
    /// The last step of the version before, and of the schema of the second-factor server when the first rolling upgrade was promised.
    private static let before = 41
    private static let secondFactorBefore = 5
    /// Graves: a row is written when an account is deleted, and nobody else writes or locks one. With a million of them the index is built within a second or
    /// two, for which a deletion waits.
    private static let calm: Set = ["grave"]
    /// Steps with which programs of before don't go on, each with its reason. They wait until none of those runs.
    private static let waiting = [AuthenticationSchema.shortReceipts: "receipts are written in a form that those do not read"]
    /// The last step that is taken beside a node of before.
    private static let lastBeside = AuthenticationSchema.migrations.last { waiting[$0.number] == nil }?.number

    @Test("Each step since only adds, on both engines and in both schemas: programs of the step before it go on, or it waits for them")
    func additive() {
        let steps =
            AuthenticationSchema.migrations.filter { $0.number > Self.before } + secondFactorMigrations.filter { $0.number > Self.secondFactorBefore }
        #expect(!steps.isEmpty)
        for step in steps {
            let waits = Self.waiting[step.number] != nil
            #expect(step.mayWait == waits && (step.readableFrom < step.number) != waits, "\(step.number), \(step.name)")
            guard !waits else { continue }
            for dialect in [SQLDialect.sqlite, .postgresql] {
                #expect(AdditiveStep(step, in: dialect, calm: Self.calm).objections.isEmpty, "\(step.number), \(step.name)")
            }
        }
        // Most of those before did more, and would have been found.
        let former = AuthenticationSchema.migrations.filter { $0.number <= Self.before }
        #expect(former.count { !AdditiveStep($0, in: .sqlite).objections.isEmpty } > 5)
    }

    /// A node of one version over its own connections.
    private struct Node: Sendable {
        let database: any Database
        let provider: ProviderAtWork
        let people: SQLAuthenticationStore
        /// What a node of before knows nothing of.
        let shortReceipts: StepWatch

        init(_ database: any Database, _ key: KeyEncryptionKey) throws {
            self.database = database
            shortReceipts = StepWatch(AuthenticationSchema.shortReceipts, of: database)
            people = SQLAuthenticationStore(database: database, key: key, views: nil, shortReceipts: shortReceipts, audited: { _ in })
            provider = try ProviderAtWork(ProviderStoreFixture(store: SQLOAuthStore(database: database, key: key), people: .database(people)))
        }

        func begin() async throws -> DeviceService.Begun {
            let call = TokenCall(
                server: Sample.server, method: "POST", contentType: "application/x-www-form-urlencoded",
                parameters: [Parameter("client_id", Sample.client.text), Parameter("scope", "openid")],
                target: try #require(HTTPTarget("https://login.example/oauth/device/code")))
            return try await provider.services.devices.begin(call, at: ProviderAtWork.moment)
        }

        func device(_ begun: DeviceService.Begun) async throws -> PolledAuthorization? {
            try await provider.fixture.read { rows in try rows.polled(hash: SHA(begun.deviceCode.utf8), of: Sample.server) }
        }
    }

    /// Two programs on one PostgreSQL, the older of which has made its own steps.
    private func run(_ body: @Sendable (_ older: Node, _ newer: Node) async throws -> Void) async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        var settings = PostgreSQLSettings.forTests
        // As a program of before calls itself.
        settings.program = "ostiary"
        let (older, newer) = (try await cluster.open(name, settings: settings), try await cluster.open(name))
        let key = KeyEncryptionKey.random()
        do {
            try await older.migrate(Self.olderSteps)
            var application = Application(id: Sample.client, server: Sample.server, kind: .native, name: "App", authentication: .none)
            application.grantTypes = [.deviceCode]
            let (made, node) = (application, try Node(older, key))
            try await node.provider.fixture.write { rows in try rows.save(made) }
            try await body(node, try Node(newer, key))
        } catch {
            await older.close()
            await newer.close()
            throw error
        }
        await older.close()
        await newer.close()
    }

    private static var olderSteps: [Migration] { AuthenticationSchema.migrations.filter { $0.number <= before } }

    @Test(
        "Nodes of the version before write while another migrates, and go on with it on the same rows; one that is started again in the middle does",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func rolling() async throws {
        try await run { older, newer in
            let begun = try await withThrowingTaskGroup(of: DeviceService.Begun?.self) { group in
                for number in 0..<24 {
                    group.addTask {
                        if number == 7 {
                            try await newer.database.migrate(AuthenticationSchema.migrations)
                            return nil
                        }
                        return try await older.begin()
                    }
                }
                return try await group.reduce(into: [DeviceService.Begun]()) { if let begun = $1 { $0.append(begun) } }
            }
            #expect(begun.count == 23)
            // An old node whose machine was restarted.
            try await older.database.migrate(Self.olderSteps)
            #expect(try await older.database.schemaVersion() == Self.lastBeside)
            // What one begins the other finds, shows and decides; the first hears of it.
            for device in begun {
                let found = try await newer.provider.services.devices.waiting(
                    forTyped: device.userCode.shown, from: CallPlace("192.0.2.1"), at: Sample.server, now: ProviderAtWork.moment)
                #expect(try await older.device(device) == found && found != nil)
            }
            let denied = try #require(begun.first)
            let hash = SHA(denied.deviceCode.utf8)
            _ = try await newer.provider.services.approval.deny(hash, at: Sample.server, account: Sample.accountID(1), now: ProviderAtWork.moment)
            #expect(try await older.device(denied)?.state == .denied)
            // And the other way round, people and their sessions too.
            let later = try await newer.begin()
            #expect(try await older.device(later) != nil)
            try await newer.provider.fixture.enrol(1, userID: "alice")
            try await older.provider.fixture.logIn(3, as: 1)
            #expect(try await older.people.read { rows in try rows.account(Sample.accountID(1))?.userID } == "alice")
            let login = try await newer.provider.fixture.read { rows in
                try rows.login(of: Sample.sessionID(3), at: Sample.server, now: Sample.now)
            }
            #expect(login?.account == Sample.accountID(1))
        }
    }

    @Test(
        "Nodes of the new version that start at once: one makes the steps, and the older ones are not in their way",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func atOnce() async throws {
        try await run { older, newer in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { try await newer.database.migrate(AuthenticationSchema.migrations) } }
                for _ in 0..<4 { group.addTask { _ = try await older.begin() } }
                try await group.waitForAll()
            }
            #expect(try await newer.database.schemaVersion() == Self.lastBeside)
        }
    }

    @Test(
        "Receipts are written as a node of before reads them until the last such node is gone, then in their short form, also those that were there",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func receipts() async throws {
        try await run { older, newer in
            try await newer.database.migrate(AuthenticationSchema.migrations)
            try await newer.shortReceipts.look()
            try await newer.people.write { rows, _ in try rows.save(Sample.instance) }
            // All that a node of before takes for a receipt.
            let column = { @Sendable in
                try await newer.database.read { try $0.one("SELECT receipt FROM instance")?.blob("receipt") }
            }
            #expect(try await column() == Sample.instance.receipt?.bytes)
            #expect(try await older.people.read { rows in try rows.instance(Sample.instanceID) } == Sample.instance)
            try await older.database.close()
            // The server sees the end of a connection a moment later than its program.
            while !newer.shortReceipts.isTaken {
                try await newer.database.migrate(AuthenticationSchema.migrations, takesWaiting: true)
                try await newer.shortReceipts.look()
            }
            #expect(try await column() == Sample.instance.receipt?.bytes)
            #expect(try await !ReceiptRepacking(store: newer.people).run { true })
            #expect(try await column()?.first == ShortReceipt.version)
            #expect(try await newer.people.read { rows in try rows.instance(Sample.instanceID) } == Sample.instance)
        }
    }

    @Test(
        "The step that waits is taken when no node of before was seen in an hour of looks, by the node that works in the background: one that restarts goes on",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func hour() async throws {
        try await run { older, newer in
            try await newer.database.migrate(AuthenticationSchema.migrations)
            let step = WaitingStep(newer.shortReceipts, of: newer.database)
            for _ in 0..<2 * WaitingStep.quietLooks { try await step.run { true } }
            #expect(!newer.shortReceipts.isTaken)
            try await older.database.close()
            try await Self.untilGone(newer)
            try await Self.look(step, WaitingStep.quietLooks - 1)
            // Back for one look, before it has said anything.
            let back = try await Self.openedAgain(newer.database, as: "ostiary")
            try await Self.look(step, 1)
            await back.close()
            try await Self.untilGone(newer)
            try await Self.look(step, WaitingStep.quietLooks - 1)
            #expect(!newer.shortReceipts.isTaken)
            // A look that could not be made counts none of those before it.
            try await newer.database.transaction { try $0.execute("ALTER TABLE schema_version RENAME TO away") }
            await #expect(throws: SQLError.self) { try await step.run { true } }
            try await newer.database.transaction { try $0.execute("ALTER TABLE away RENAME TO schema_version") }
            try await Self.look(step, WaitingStep.quietLooks - 1)
            #expect(!newer.shortReceipts.isTaken)
            try await step.run { false }
            #expect(!newer.shortReceipts.isTaken)
            #expect(try await newer.database.schemaVersion() == Self.lastBeside)
            try await step.run { true }
            #expect(newer.shortReceipts.isTaken)
            // A failover that loses it has it taken once more, by as many looks.
            try await newer.database.loseWaitingStep()
            try await Self.look(step, WaitingStep.quietLooks - 1)
            #expect(!newer.shortReceipts.isTaken)
            try await step.run { true }
            #expect(newer.shortReceipts.isTaken)
        }
    }

    @Test(
        "Where something holds a table the step is tried once in ten looks, nothing fails, and it is taken when that ends",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func blocked() async throws {
        try await run { older, newer in
            try await newer.database.migrate(AuthenticationSchema.migrations)
            try await older.database.close()
            try await Self.untilGone(newer)
            let step = WaitingStep(newer.shortReceipts, of: newer.database)
            let tries = Mutex(0)
            let again = { @Sendable in
                try await step.run {
                    tries.withLock { $0 += 1 }
                    return true
                }
            }
            let (holds, ends) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let holder = Task {
                try await newer.database.read { connection in
                    _ = try connection.one("SELECT 1 AS found FROM nonce")
                    holds.signal()
                    ends.wait()
                }
            }
            await onOwnThread { holds.wait() }
            for _ in 0..<WaitingStep.quietLooks + WaitingStep.looksBetweenTries { try await again() }
            #expect(tries.withLock { $0 } == 2)
            #expect(!newer.shortReceipts.isTaken)
            ends.signal()
            try await holder.value
            for _ in 0..<WaitingStep.looksBetweenTries { try await again() }
            #expect(tries.withLock { $0 } == 3)
            #expect(newer.shortReceipts.isTaken)
        }
    }

    @Test(
        "Each look says which steps this node knows: one that has lost the connection by which it said so keeps no other waiting",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func saysAgain() async throws {
        try await run { older, newer in
            try await newer.database.migrate(AuthenticationSchema.migrations)
            try await older.database.close()
            try await Self.untilGone(newer)
            let another = try await Self.openedAgain(newer.database, as: "ostiary another")
            #expect(try await newer.database.isOpenedByOlder(than: AuthenticationSchema.shortReceipts))
            try await WaitingStep(StepWatch(AuthenticationSchema.shortReceipts, of: another), of: another).run { false }
            #expect(try await !newer.database.isOpenedByOlder(than: AuthenticationSchema.shortReceipts))
            await another.close()
        }
    }

    private static func look(_ step: WaitingStep, _ rounds: Int) async throws {
        for round in 0..<rounds { try await step.run { round.isMultiple(of: 2) } }
    }

    /// The server sees the end of a connection a moment later than its program.
    private static func untilGone(_ node: Node) async throws {
        while try await node.database.isOpenedByOlder(than: AuthenticationSchema.shortReceipts) { await Task.yield() }
    }

    /// The same database, by connections of a program that has not said what it knows.
    private static func openedAgain(_ database: any Database, as program: String) async throws -> PostgreSQLDatabase {
        let name = try await database.read { try $0.one("SELECT CAST(current_database() AS TEXT) AS name")?.text("name") }
        var settings = PostgreSQLSettings.forTests
        settings.program = program
        let opened = try await PostgreSQLCluster.shared.open(try #require(name), settings: settings)
        _ = try await opened.schemaVersion()
        return opened
    }

    @Test("An earlier program than those that may is refused at its start, and changes nothing", .enabled(if: PostgreSQLCluster.isInstalled))
    func tooOld() async throws {
        try await run { older, newer in
            try await newer.database.migrate(AuthenticationSchema.migrations)
            let newest = try #require(Self.lastBeside)
            await #expect(throws: DatabaseOpenError.newerThanProgram(version: newest)) {
                try await older.database.migrate(AuthenticationSchema.migrations.filter { $0.number < Self.before })
            }
        }
    }
}
