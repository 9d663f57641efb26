import AuthServer
import Authentication
import Database
import Foundation
import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Start of the authentication server")
struct AuthNodeTests {
    private static func service(
        secondFactor: any SecondFactorTransport, pinned: [UInt8], database: any Database = try! SQLiteDatabase.inMemory(),
        clock: TestClock = TestClock(), log: LogRecorder = LogRecorder()
    ) async throws -> AuthNode {
        try await AuthNode(
            .ofTests(pinning: pinned, name: "Shop"), over: database, secondFactor: secondFactor, by: clock, logger: log.logger())
    }

    private struct Answering: SecondFactorTransport {
        let bytes: [UInt8]

        func identity() async throws -> [UInt8] { bytes }
        func call(_ bytes: [UInt8]) async throws -> [UInt8] { throw SecondFactorUnreachable() }
    }

    private struct Absent: SecondFactorTransport {
        func identity() async throws -> [UInt8] { throw SecondFactorUnreachable() }
        func call(_ bytes: [UInt8]) async throws -> [UInt8] { throw SecondFactorUnreachable() }
    }

    @Test("Another second-factor server than the configured one ends the start, and the message names both")
    func otherIdentity() async throws {
        let clock = TestClock()
        let other = try SomeIdentity(at: clock.now)
        let error = await #expect(throws: SecondFactorIdentityError.self) {
            _ = try await Self.service(secondFactor: Answering(bytes: other.bytes), pinned: Sample.bytes(1), clock: clock)
        }
        #expect(error == SecondFactorIdentityError(expected: Sample.bytes(1), found: other.hash))
        #expect(error?.description.contains(Base64URL.encode(other.hash)) == true)
    }

    /// A server whose root key is in a file of its own.
    private struct KeptApart {
        let clock = TestClock()
        let log = LogRecorder()
        let database = try! SQLiteDatabase.inMemory()
        let file = KeyEncryptionKey.random()
        private let key = KeyEncryptionKey.random()
        private let pinned = try! SomeIdentity(at: TestClock().now)

        /// - Parameter rootKey: nil where it is withheld.
        func node(_ rootKey: KeyEncryptionKey?) async throws -> AuthNode {
            try await AuthNode(
                .ofTests(pinning: pinned.hash, name: "Shop"), over: database, key: key, rootKey: rootKey,
                secondFactor: Answering(bytes: pinned.bytes), by: clock, logger: log.logger())
        }
    }

    @Test("A ticket that a server without its root key cannot begin with stays good for when it can, and no other is given out meanwhile")
    func withheldRootKeyAndTicket() async throws {
        let apart = KeptApart()
        let logger = apart.log.logger()
        _ = try await apart.node(apart.file)
        let without = try await apart.node(nil)
        // The operational key ends in twenty seconds, a ticket in sixty.
        apart.clock.advance(90 * 86_400 - 20)
        let nonce = Base64URL.encode(SystemRandomSource().bytes(16))
        let headers: HTTPFields = [.apiKey: ServersFixture.apiKey, .nonce: nonce, .contentType: "application/json"]
        @Sendable func open(_ client: some TestClientProtocol) async throws -> TestResponse {
            try await client.execute(
                uri: "/servers/\(without.defaultServer.text)/sessions/page", method: .post, headers: headers,
                body: ByteBuffer(string: #"{"kind":"login","returnurl":"/l"}"#))
        }
        func redeem(_ ticket: Substring, at node: AuthNode) async throws -> HTTPResponse.Status {
            try await Application(router: node.publicRouter, logger: logger).test(.router) { client in
                try await client.execute(
                    uri: "/pages/ticket", method: .post, headers: [.origin: ServersFixture.origin, .contentType: "application/json"],
                    body: ByteBuffer(string: #"{"ticket":"\#(ticket)"}"#)
                ).status
            }
        }
        let ticket = try await Application(router: without.adminRouter, logger: logger).test(.router) { client in
            let opened = try await open(client)
            #expect(opened.status == .ok)
            let answer = String(buffer: opened.body)
            apart.clock.advance(40)
            #expect(try await open(client).status == .serviceUnavailable)
            return try #require(answer.split(separator: "#").last?.prefix { $0 != "\"" })
        }
        #expect(try await redeem(ticket, at: without) == .serviceUnavailable)
        #expect(try await redeem(ticket, at: without) == .serviceUnavailable)
        #expect(try await redeem(ticket, at: try await apart.node(apart.file)) == .ok)
    }

    @Test("A root key withheld beyond the end of the operational key is 503 to backends and phones, and the log says what to do")
    func withheldRootKey() async throws {
        let apart = KeptApart()
        let (clock, log) = (apart.clock, apart.log)
        _ = try await apart.node(apart.file)
        let without = try await apart.node(nil)
        clock.advance(91 * 86_400)
        let sessions = "/servers/\(without.defaultServer.text)/sessions/"
        let headers: HTTPFields = [.apiKey: ServersFixture.apiKey, .nonce: Base64URL.encode(SystemRandomSource().bytes(16))]
        try await Application(router: without.adminRouter, logger: log.logger()).test(.router) { client in
            for uri in [sessions + "link/login", sessions + "qr/login", "/servers/\(without.defaultServer.text)/vash"] {
                let answer = try await client.execute(uri: uri, method: .get, headers: headers)
                #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] == "30", "\(uri) \(answer.status)")
                #expect(String(buffer: answer.body).contains("storage_unavailable"))
            }
            #expect(try await client.execute(uri: sessions, method: .get, headers: headers).status == .ok)
        }
        try await Application(router: without.publicRouter, logger: log.logger()).test(.router) { client in
            let bundle = try await client.execute(uri: "/ap1/bundle/\(Base64URL.encode(without.identityHash))", method: .get)
            #expect(bundle.status == .serviceUnavailable && bundle.headers[.retryAfter] == "30")
        }
        let told = log.lines("requests fail until this is mended")
        #expect(told.count == 2, "one for each listener")
        #expect(told.allSatisfy { $0.facts["error"]?.contains("start again with --root-key FILE") == true })
        #expect(log.lines("request failed").isEmpty)
        let with = try await apart.node(apart.file)
        try await Application(router: with.adminRouter, logger: log.logger()).test(.router) { client in
            let link = try await client.execute(uri: sessions + "link/login", method: .get, headers: headers)
            #expect(link.status == .ok)
        }
    }

    @Test(
        "A root key that is withheld is told by the full report, in the last month of its operational key in the log, and is no reason not to be ready before its end"
    )
    func forgottenRootKey() async throws {
        let apart = KeptApart()
        _ = try await apart.node(apart.file)
        let (with, without) = (try await apart.node(apart.file), try await apart.node(nil))
        func report(_ node: AuthNode, _ path: String) async throws -> (status: HTTPResponse.Status, said: String) {
            try await Application(router: node.adminRouter, logger: apart.log.logger()).test(.router) { client in
                let answer = try await client.execute(uri: path, method: .get)
                return (answer.status, String(buffer: answer.body))
            }
        }
        let words = #""root-key":"the root key is kept apart and was not given: "#
        let stages: [(UInt64, String, Bool)] = [
            (59, "nothing is due; start once with --root-key FILE after ", true), (2, "start again with --root-key FILE, or ", true),
            (30, "start again with --root-key FILE; the server has not been able to sign since ", false),
        ]
        for (days, rest, hasKeys) in stages {
            apart.clock.advance(days * 86_400)
            #expect(try await report(without, "/ready") == (.ok, #"{"ready":true}"#))
            let full = try await report(without, "/ready?full=1")
            #expect(full.status == .ok && full.said.contains(words + rest) && full.said.contains(#""keys":"ok""#) == hasKeys, "\(full.said)")
            // Here the second-factor server is missing, too.
            let logins = try await report(without, "/ready?for=logins").said
            #expect(!logins.contains(#""root-key":"#) && logins.contains(#""keys":"#) == !hasKeys, "\(logins)")
            #expect(apart.log.lines("a readiness check failed").contains { $0.facts["work"] == "root-key" } == (days != 59))
        }
        let given = try await report(with, "/ready?full=1").said
        #expect(given.contains(#""root-key":"ok""#) && given.contains(#""keys":"ok""#))
    }

    @Test("A start whose clock is ten days behind its database is told by the full report, and is no reason not to be ready")
    func clockBehind() async throws {
        let apart = KeptApart()
        func said(_ node: AuthNode) async throws -> String {
            try await Application(router: node.adminRouter, logger: apart.log.logger()).test(.router) { client in
                let answer = try await client.execute(uri: "/ready?full=1", method: .get)
                #expect(answer.status == .ok)
                return String(buffer: answer.body)
            }
        }
        #expect(try await said(try await apart.node(apart.file)).contains(#""clock":"ok""#))
        apart.clock.setBack(864_000)
        let behind = try await apart.node(apart.file)
        #expect(try await said(behind).contains(#""clock":"the clock is behind 2027-01-15T08:00:00Z, "#))
        apart.clock.advance(864_000)
        #expect(try await said(behind).contains(#""clock":"ok""#))
    }

    /// One whose answer trickled stayed for over ten minutes, and neither readiness nor log knew.
    @Test("A key that the second-factor server does not confirm to have erased for ten minutes is told by the full report and in the log")
    func unconfirmed() async throws {
        let (clock, log, database) = (TestClock(), LogRecorder(), try SQLiteDatabase.inMemory())
        let node = try await Self.service(secondFactor: Absent(), pinned: Sample.bytes(1), database: database, clock: clock, log: log)
        let store = SQLAuthenticationStore(database: database, key: .random(), audited: { _ in })
        let close = PendingClose(instance: Sample.instanceID, server: node.defaultServer, retry: RetrySchedule(from: clock.now))
        try await store.write { rows in try rows.queue(close) }
        let watch = try #require(node.background.compactMap { $0 as? PeriodicTask }.first { $0.name == "readiness" })
        func report() async throws -> String {
            await watch.round()
            return try await Application(router: node.adminRouter, logger: log.logger()).test(.router) { client in
                let answer = try await client.execute(uri: "/ready?full=1", method: .get)
                #expect(answer.status == .ok)
                return String(buffer: answer.body)
            }
        }
        #expect(try await report().contains(#""unconfirmed":"ok""#))
        clock.advance(600)
        #expect(try await report().contains(#""unconfirmed":"the second-factor server has not confirmed since 2027-01-15T08:00:00Z "#))
        clock.advance(600)
        _ = try await report()
        #expect(log.lines("a readiness check failed").filter { $0.facts["work"] == "unconfirmed" }.count == 1)
        try await store.write { rows in try rows.removeClose(of: Sample.instanceID) }
        #expect(try await report().contains(#""unconfirmed":"ok""#))
        #expect(log.lines("a readiness check passes again").map { $0.facts["work"] } == ["unconfirmed"])
    }

    @Test("A name and a logo of the settings are applied when they are new; what the REST API says later stays over restarts with the same settings")
    func appliedOnce() async throws {
        let (database, clock) = (try SQLiteDatabase.inMemory(), TestClock())
        let key = KeyEncryptionKey.random()
        let (first, second) = (logo(side: 1), logo(side: 2))
        func logo(side: Int) -> [UInt8] {
            Array(#"<svg xmlns="http://www.w3.org/2000/svg"><rect width="\#(side)" height="\#(side)"/></svg>"#.utf8)
        }
        func started(_ name: String?, _ logo: [UInt8]?, fails: Bool = false) async throws -> (node: AuthNode, parameters: ServerParameters) {
            let node = try await AuthNode(
                .ofTests(pinning: Sample.bytes(1), name: name, logo: logo), over: database, key: key, secondFactor: Absent(), by: clock,
                logger: LogRecorder().logger())
            // One that fails comes so far and no further.
            if !fails { try await node.applySettings() }
            let parameters = try await node.services.servers.virtualServer(node.defaultServer).parameters
            return (node, parameters)
        }
        func change(_ node: AuthNode, to name: String, _ logo: [UInt8]) async throws {
            var update = ServerUpdate()
            (update.name, update.logo) = (name, logo)
            clock.advance(1)
            _ = try await node.services.servers.update(node.defaultServer, with: update, by: .api(key: "root"), at: clock.now)
        }
        let made = try await started("Shop", first)
        #expect(made.parameters.name == "Shop" && made.parameters.logo?.bytes == first)
        try await change(made.node, to: "Timesheets", second)
        for _ in 0..<2 {
            let same = try await started("Shop", first)
            #expect(same.parameters.name == "Timesheets" && same.parameters.logo?.bytes == second)
        }
        let failed = try await started("Mistake", second, fails: true)
        #expect(failed.parameters.name == "Timesheets" && failed.parameters.logo?.bytes == second)
        // And the start after it finds the settings as they were.
        #expect(try await started("Shop", first).parameters.name == "Timesheets")
        let renamed = try await started("Store", first)
        #expect(renamed.parameters.name == "Store" && renamed.parameters.logo?.bytes == second)
        // Left out at one start it is new at the next.
        #expect(try await started(nil, nil).parameters.name == "Store")
        try await change(renamed.node, to: "Timesheets", second)
        let again = try await started("Store", first)
        #expect(again.parameters.name == "Store" && again.parameters.logo?.bytes == first)
    }

    @Test("What a node does beside its answers, in the order in which it begins")
    func background() async throws {
        let service = try await Self.service(secondFactor: Absent(), pinned: Sample.bytes(1))
        #expect(service.background.first is LeaseKeeper)
        let names = service.background.compactMap { ($0 as? PeriodicTask)?.name }
        let upkeep = ["keys", "token-keys", "housekeeping", "closes", "second-factor", "schema", "receipts"]
        #expect(names == upkeep + ["logouts", "pings", "decisions", "readiness"])
    }

    /// Where two nodes can have one database.
    enum Shared: String, CaseIterable {
        case file
        /// Where one is installed; `scripts/test` sees to it.
        case postgresql

        static var allCases: [Shared] { PostgreSQLCluster.isInstalled ? [.file, .postgresql] : [.file] }

        func withDatabase(_ body: (any Database) async throws -> Void) async throws {
            switch self {
            case .file:
                let folder = try TemporaryFolder()
                let database = try SQLiteDatabase.open(path: folder.file("as.sqlite"), ownership: .shared)
                try await body(database)
                try await database.close()
            case .postgresql: try await SchemaTemplate.authentication.withPostgreSQL { try await body($0) }
            }
        }
    }

    @Test("Of two nodes on one database one works in the background, and the other as soon as that one has stopped", arguments: Shared.allCases)
    func oneWorks(on engine: Shared) async throws { try await engine.withDatabase(oneWorks) }

    private func oneWorks(over database: any Database) async throws {
        try await ServersFixture.run(database: database) { servers in
            let second = try await servers.start()
            let holder = { @Sendable () async throws -> [UInt8]? in
                try await database.read { try $0.one("SELECT holder FROM lease WHERE name = 'background'")?.blob("holder") }
            }
            let states = { @Sendable () async throws -> [Int64] in
                try await database.read { try $0.query("SELECT state FROM session").map { try $0.integer("state") } }
            }
            await servers.runBackground()
            let first = try #require(try await holder())
            _ = try await servers.link(try servers.nonce())
            let before = try await states()
            servers.clock.advance(1_000)
            await second.runBackground()
            #expect(try await states() == before)
            await servers.runBackground()
            #expect(try await states() != before)
            #expect(try await holder() == first)
            let keeper = try #require(servers.service.background.first as? LeaseKeeper)
            let stopping = Task { try await keeper.run() }
            stopping.cancel()
            try await stopping.value
            #expect(try await holder() == nil)
            await second.runBackground()
            let next = try #require(try await holder())
            #expect(next != first)
            await servers.runBackground()
            #expect(try await holder() == next)
        }
    }

    @Test(
        "What a node left that died another does, once, when it has seen its turn for a whole life; one that was only halted finds another's turn",
        arguments: Shared.allCases)
    func diesAtWork(on engine: Shared) async throws { try await engine.withDatabase(diesAtWork) }

    private func diesAtWork(over database: any Database) async throws {
        try await ServersFixture.run(database: database) { servers in
            let (second, work) = (try await servers.start(), BackgroundWork(database: database))
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            servers.clock.advance(61)
            // The first has both leases, and the other has seen that. After it comes nothing of the first any more.
            for node in [servers.service, second] { await node.runBackground() }
            let dead = try await work.holders()
            #expect(dead.count == 2)
            try await abandon(phone, at: servers)
            servers.clock.advance(1_000)
            // Each look counts for a quarter of a life at most.
            for _ in 0..<3 {
                await second.runBackground()
                #expect(try await work.ends() == 0)
                #expect(try await work.holders() == dead)
                servers.clock.advance(15)
            }
            for _ in 0..<2 { await second.runBackground() }
            #expect(try await work.ends() == 1)
            let alive = try await work.holders()
            #expect(alive.count == 2 && Set(alive).isDisjoint(with: dead))
            // It was halted and goes on, when there is something to do again.
            try await abandon(phone, at: servers)
            servers.clock.advance(1_000)
            await servers.runBackground()
            #expect(try await work.ends() == 1)
            for _ in 0..<2 { await second.runBackground() }
            #expect(try await work.ends() == 2)
            #expect(try await work.holders() == alive)
        }
    }

    /// A phone enters a PIN for a login and says nothing more.
    private func abandon(_ phone: EnrolledPhone, at servers: ServersFixture) async throws {
        let shown = try await phone.scan(try await servers.link(try servers.nonce()))
        #expect(try await phone.phone.evaluate(try shown.attempt()).status == .ok)
    }

    /// Whose it is by the rows, and what came of it.
    private struct BackgroundWork: Sendable {
        let database: any Database

        func holders() async throws -> [[UInt8]] {
            try await database.read { try $0.query("SELECT holder FROM lease ORDER BY name").map { try $0.blob("holder") } }
        }

        /// Abandoned logins that were ended: each is a line of the trail.
        func ends() async throws -> Int {
            try await database.read { try $0.query("SELECT kind FROM audit WHERE kind = 'loginAbandoned'").count }
        }
    }

    @Test(
        "A node whose clock the second-factor server contradicts renews its turn at other work and not at housekeeping, and does when they agree",
        arguments: Shared.allCases)
    func leavesHousekeeping(on engine: Shared) async throws { try await engine.withDatabase(leavesHousekeeping) }

    private func leavesHousekeeping(over database: any Database) async throws {
        try await ServersFixture.run(database: database) { servers in
            let turn = { @Sendable (name: String) async throws -> Int64 in
                let row = try await database.read { try $0.one("SELECT turn FROM lease WHERE name = $1", [.text(name)]) }
                return try #require(row).integer("turn")
            }
            let rounds = { @Sendable () async -> Void in
                for _ in 0..<3 {
                    await servers.runBackground()
                    servers.clock.advance(60)
                }
            }
            await rounds()
            #expect(try await turn("housekeeping") > 1)
            servers.clock.jump(3_600)
            servers.skew.value = -3_600
            // The first meets it.
            await servers.runBackground()
            let (kept, left) = (try await turn("background"), try await turn("housekeeping"))
            servers.clock.advance(60)
            await rounds()
            #expect(try await turn("background") > kept)
            #expect(try await turn("housekeeping") == left)
            servers.clock.jump(-3_600)
            servers.skew.value = 0
            await rounds()
            #expect(try await turn("housekeeping") > left)
        }
    }

    @Test(
        "A step that waits is taken by the node that works in the background, when it has looked for an hour; by no other, and by no start",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func waitingStep() async throws {
        try await SchemaTemplate.authentication.withPostgreSQL { database in
            try await database.loseWaitingStep()
            try await ServersFixture.run(database: database) { servers in
                let second = try await servers.start()
                let look = { @Sendable (node: AuthNode, rounds: Int) async throws -> Bool in
                    for case let work as PeriodicTask in node.background where work.name == "schema" {
                        for _ in 0..<rounds { await work.round() }
                    }
                    let watch = StepWatch(AuthenticationSchema.shortReceipts, of: database)
                    try await watch.look()
                    return watch.isTaken
                }
                // It has the lease from here on, and has looked once.
                await servers.runBackground()
                #expect(try await !look(second, 2 * WaitingStep.quietLooks))
                #expect(try await !look(servers.service, WaitingStep.quietLooks - 2))
                #expect(try await look(servers.service, 1))
            }
        }
    }

    @Test("The first start says that a virtual server was made, and no later one; so does asking for the identity, when that is first")
    func serverCreated() async throws {
        let (started, asked) = (LogRecorder(), LogRecorder())
        let database = try SQLiteDatabase.inMemory()
        let service = try await Self.service(secondFactor: Absent(), pinned: Sample.bytes(1), database: database, log: started)
        #expect(started.lines("serverCreated").map(\.facts["server"]) == [service.defaultServer.text])
        #expect(started.lines("serverCreated").first?.level == .info)
        try await ServersFixture.run(log: asked) { servers in
            _ = try await servers.start()
            #expect(asked.lines("serverCreated").map(\.facts["server"]) == [servers.server.text])
        }
    }

    @Test("Without a second-factor server it starts, is ready for getSession but not for logins and says why; phones are asked to come back")
    func absent() async throws {
        let service = try await Self.service(secondFactor: Absent(), pinned: Sample.bytes(1))
        try await Application(router: service.adminRouter).test(.router) { client in
            try await client.execute(uri: "/ready?for=logins", method: .get) { response in
                #expect(response.status == .serviceUnavailable)
                let said = #""second-factor":"in this process: no answer: check OSTIARY_SECOND_FACTOR_URL, and that it runs; since "#
                #expect(String(buffer: response.body).contains(said))
                #expect(!String(buffer: response.body).contains("SecondFactorUnreachable"))
            }
            try await client.execute(uri: "/ready", method: .get) { #expect($0.status == .ok && String(buffer: $0.body) == #"{"ready":true}"#) }
            try await client.execute(uri: "/live", method: .get) { #expect($0.status == .ok) }
            try await client.execute(uri: "/servers/", method: .get) { #expect($0.status == .unauthorized) }
            let key = HTTPFields([HTTPField(name: HTTPField.Name("X-apikey")!, value: ServersFixture.apiKey)])
            try await client.execute(uri: "/servers/", method: .get, headers: key) { response in
                #expect(response.status == .ok)
                #expect(String(buffer: response.body).contains(service.defaultServer.text))
            }
        }
        try await Application(router: service.publicRouter).test(.router) { client in
            try await client.execute(uri: "/ap1/bundle/\(Base64URL.encode(service.identityHash))", method: .get) { response in
                #expect(response.status == .serviceUnavailable && response.headers[.retryAfter] != nil)
            }
        }
    }

    @Test("A second-factor server that was seen once is remembered for bundles while it is down")
    func remembered() async throws {
        let (clock, database) = (TestClock(), try SQLiteDatabase.inMemory())
        let right = try SomeIdentity(at: clock.now)
        let (root, bytes) = (right.hash, right.bytes)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        try await database.migrate(AuthenticationSchema.migrations)
        let keyring = try OneServerKeyring()
        let prober = SecondFactorProber(keyring: keyring, server: keyring.keys.root.serverID, random: SystemRandomSource())
        let seeing = PinnedSecondFactor(
            transport: Answering(bytes: bytes), prober: prober, rootHash: root, database: database, logger: logger,
            checkLimit: .seconds(3_600), clock: { clock.now })
        _ = try await seeing.identity()
        let later = PinnedSecondFactor(
            transport: Absent(), prober: prober, rootHash: root, database: database, logger: logger,
            checkLimit: .seconds(3_600), clock: { clock.now })
        #expect(try await later.identity().identity.bytes == bytes)
        let foreign = PinnedSecondFactor(
            transport: Absent(), prober: prober, rootHash: Sample.bytes(9), database: database, logger: logger,
            checkLimit: .seconds(3_600), clock: { clock.now })
        await #expect(throws: SecondFactorUnreachable.self) { try await foreign.identity() }
    }

    @Test("Started with a clock ten days behind, it still gives phones the bundle by which they see that a clock is wrong, and checks no PIN")
    func behindSecondFactor() async throws {
        let (clock, database) = (TestClock(), try SQLiteDatabase.inMemory())
        let (right, truth) = (try SomeIdentity(at: clock.now), clock.now)
        let rootHash = right.hash
        try await database.migrate(AuthenticationSchema.migrations)
        let keyring = try OneServerKeyring()
        let prober = SecondFactorProber(keyring: keyring, server: keyring.keys.root.serverID, random: SystemRandomSource())
        let before = PinnedSecondFactor(
            transport: Answering(bytes: right.bytes), prober: prober, rootHash: rootHash, database: database, logger: LogRecorder().logger(),
            checkLimit: .seconds(3_600), clock: { clock.now })
        _ = try await before.identity()
        clock.setBack(864_000)
        let service = try await Self.service(
            secondFactor: Answering(bytes: right.bytes), pinned: rootHash, database: database, clock: clock)
        let (identityHash, known) = (service.identityHash, right.bytes)
        try await Application(router: service.publicRouter).test(.router) { client in
            try await client.execute(uri: "/ap1/bundle/\(Base64URL.encode(identityHash))", method: .get) { response in
                #expect(response.status == .ok)
                let bundle = try Encoded<OstiaryProtocol.Bundle>(decoding: Array(buffer: response.body))
                #expect(bundle.value.secondFactor.bytes == known)
                let lowest = BundleAge.lowest(after: truth, clocks: [truth])
                #expect(throws: BundleRefusal.older) {
                    try VerifiedBundle.verify(bundle, rootHash: identityHash, lowest: lowest, at: truth)
                }
            }
        }
        let behind = PinnedSecondFactor(
            transport: Answering(bytes: right.bytes), prober: prober, rootHash: rootHash, database: database, logger: LogRecorder().logger(),
            checkLimit: .seconds(3_600), clock: { clock.now })
        await #expect(throws: SecondFactorUnreachable.self) { try await behind.identity() }
        #expect(try await behind.publishedIdentity().bytes == known)
        // Another pinned root has never been seen.
        let foreign = PinnedSecondFactor(
            transport: Answering(bytes: right.bytes), prober: prober, rootHash: Sample.bytes(9), database: database,
            logger: LogRecorder().logger(), checkLimit: .seconds(3_600), clock: { clock.now })
        await #expect(throws: SecondFactorUnreachable.self) { try await foreign.publishedIdentity() }
    }

    @Test("The identity can be printed before anything else runs, and is the same afterwards")
    func printed() async throws {
        let (clock, database, key) = (TestClock(), try SQLiteDatabase.inMemory(), KeyEncryptionKey.random())
        let logger = LogRecorder().logger()
        let first = try await AuthNode.identityHash(database: database, keyEncryptionKey: key, logger: logger) { clock.now }
        let second = try await AuthNode.identityHash(database: database, keyEncryptionKey: key, logger: logger) { clock.now }
        #expect(first == second && first.count == 32)
    }

    @Test("The identity is printed also after the end of the operational key, without the root key that certifies the next")
    func printedWithoutRootKey() async throws {
        let (clock, database, key, file) = (TestClock(), try SQLiteDatabase.inMemory(), KeyEncryptionKey.random(), KeyEncryptionKey.random())
        func hash(_ rootKey: KeyEncryptionKey?) async throws -> [UInt8] {
            try await AuthNode.identityHash(database: database, keyEncryptionKey: key, rootKey: rootKey, logger: LogRecorder().logger()) { clock.now }
        }
        let made = try await hash(file)
        clock.advance(200 * 86_400)
        #expect(try await hash(nil) == made)
        #expect(try await hash(file) == made)
    }

    @Test("Name and logo of a server reach the phones")
    func nameAndLogo() async throws {
        try await ServersFixture.run { servers async throws in
            let logo = TestPicture.png()
            try await servers.update {
                $0.logo = logo
                $0.name = "Shop"
            }
            #expect(try await servers.bundle().bundle.name == "Shop")
            let shown = try await servers.phones.execute(uri: "/ap1/logo/\(Base64URL.encode(SHA(logo)))", method: .get)
            #expect(shown.status == .ok && Array(buffer: shown.body) == logo)
            // It is on the origin of the pages, and may be an SVG: opened by itself it runs nothing there, and nobody guesses that it is a page.
            #expect(shown.headers[.contentType] == "image/png" && shown.headers[.xContentTypeOptions] == "nosniff")
            let policy = shown.headers[.contentSecurityPolicy]?.components(separatedBy: "; ") ?? []
            #expect(policy.contains("default-src 'none'") && policy.contains("sandbox") && !policy.contains { $0.hasPrefix("script-src") })
        }
    }
}
