import Authentication
import Database
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import AuthServer

/// Both real servers with clocks that leap by minutes, an hour and ten days, both ways, one or both of them, and are put right. What a leap does to a try is
/// decided by rules, from rows that both engines give back alike; where moments are compared and put right by statements, both engines do it here.
@Suite("Clocks that leap and are put right")
struct ClockTests {
    static let jumps: [Int64] = [600, 3_600, 864_000, -600, -3_600, -864_000]

    /// A right PIN; whether it logged in.
    private func logsIn(_ phone: EnrolledPhone) async throws -> Bool {
        let servers = phone.servers
        let nonce = try servers.nonce()
        _ = await servers.refusal { try await phone.refreshed().logIn(nonce) }
        return try await servers.status(of: nonce).loggedIn
    }

    /// A session of somebody who is logged in, at servers that have worked in the background for some minutes.
    private func loggedIn(_ servers: ServersFixture) async throws -> SessionNonce {
        let phone = try await TestPhone(servers).enrol(try servers.nonce())
        for _ in 0..<3 {
            await servers.runBackground()
            servers.clock.advance(60)
        }
        let nonce = try servers.nonce()
        try await phone.refreshed().logIn(nonce)
        return nonce
    }

    /// What is over for days is gone.
    private func expectHousekeeping(_ servers: ServersFixture) async throws {
        servers.clock.advance(3 * 86_400)
        await servers.runBackground()
        let left = try await servers.database.read { try $0.one("SELECT COUNT(*) AS number FROM session") }
        #expect(try left?.int("number") == 0)
    }

    private func expectAllIsWell(_ phone: EnrolledPhone) async throws {
        // A bundle is signed once a second.
        phone.servers.clock.advance(2)
        await phone.servers.runBackground()
        for _ in 0..<3 { #expect(try await logsIn(phone)) }
        let counted = try await phone.servers.counted()
        #expect(counted.highest == counted.proven)
    }

    @Test("A22: both servers' clocks leap for one login and are put right: every right PIN works, and none is counted as wrong", arguments: jumps)
    func both(_ jump: Int64) async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            servers.clock.jump(jump)
            await servers.runBackground()
            #expect(try await logsIn(phone))
            servers.clock.jump(-jump)
            try await expectAllIsWell(phone)
        }
    }

    @Test("A22: the second-factor server's clock leaps: no PIN is checked, none is counted, and all is well when it is put right", arguments: jumps)
    func secondFactor(_ jump: Int64) async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            #expect(try await logsIn(phone))
            let before = try await servers.counted()
            servers.skew.value = jump
            for _ in 0..<6 { #expect(try await !logsIn(phone)) }
            #expect(try await servers.counted() == before)
            servers.skew.value = 0
            try await expectAllIsWell(phone)
        }
    }

    @Test("A22: the authentication server's clock leaps: no PIN is counted as wrong, and all is well when it is put right", arguments: jumps)
    func authentication(_ jump: Int64) async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            #expect(try await logsIn(phone))
            let before = try await servers.counted()
            servers.clock.jump(jump)
            servers.skew.value = -jump
            for _ in 0..<6 { #expect(try await !logsIn(phone)) }
            #expect(try await servers.counted() == before)
            servers.clock.jump(-jump)
            servers.skew.value = 0
            try await expectAllIsWell(phone)
        }
    }

    @Test(
        "Where the clocks of the servers disagree, the phone is told that the PIN cannot be checked: no refusal, and no word of its own clock",
        arguments: jumps)
    func disagreement(_ jump: Int64) async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            servers.skew.value = jump
            let shown = try await phone.scan(try await servers.link(try servers.nonce()))
            #expect(try await phone.phone.evaluate(try shown.attempt()).status == .secondFactorUnavailable)
        }
    }

    @Test(
        "A22: an attempt whose answer was lost by a clock that ran ahead keeps nobody waiting when it is put right",
        arguments: [3_600, 864_000] as [Int64])
    func openAttempt(_ jump: Int64) async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            servers.clock.jump(jump)
            await servers.runBackground()
            servers.secondFactor.loseAnswers(1)
            #expect(try await !logsIn(phone))
            servers.clock.jump(-jump)
            await servers.runBackground()
            #expect(try await logsIn(phone))
        }
    }

    @Test("A login of a clock ten days ahead lives, when it is put right, as long as its phone answers, and no longer", .onBothEngines)
    func session() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            servers.clock.jump(864_000)
            await servers.runBackground()
            let (silent, alive) = (try servers.nonce(), try servers.nonce())
            try await phone.refreshed().logIn(silent)
            let session = try #require(try await phone.refreshed().logIn(alive).sessionID)
            servers.clock.jump(-864_000)
            for _ in 0..<3 {
                await servers.runBackground()
                servers.clock.advance(120)
            }
            let pinging = try await phone.refreshed()
            for _ in 0..<4 {
                #expect(try await pinging.ping(session).state == .loggedIn)
                servers.clock.advance(150)
            }
            #expect(try await servers.status(of: alive).loggedIn)
            #expect(try await !servers.status(of: silent).loggedIn)
        }
    }

    @Test("So is one of a clock that was ahead for that login alone, between two looks at it", .onBothEngines)
    func glitch() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            for _ in 0..<3 {
                await servers.runBackground()
                servers.clock.advance(120)
            }
            let nonce = try servers.nonce()
            servers.clock.jump(864_000)
            try await phone.refreshed().logIn(nonce)
            servers.clock.jump(-864_000)
            for _ in 0..<6 {
                await servers.runBackground()
                servers.clock.advance(120)
            }
            #expect(try await !servers.status(of: nonce).loggedIn)
        }
    }

    @Test("A code and an invitation of a clock ten days ahead are over, when it is put right, after their own few minutes", .onBothEngines)
    func codes() async throws {
        try await ServersFixture.run { servers in
            servers.clock.jump(864_000)
            let (nonce, invited) = (try servers.nonce(), try servers.nonce())
            _ = try await servers.link(nonce)
            _ = try await servers.invite(invited)
            servers.clock.jump(-864_000)
            for _ in 0..<3 {
                await servers.runBackground()
                servers.clock.advance(120)
            }
            servers.clock.advance(600)
            #expect(try await servers.services.enrolments.newest(of: invited, at: servers.server, now: servers.now)?.progress == .failed(.expired))
            let waiting = try await servers.database.read {
                try $0.one("SELECT COUNT(*) AS number FROM session WHERE runs_out_at >= $1", [SQLValue(servers.now)])
            }
            #expect(try waiting?.int("number") == 0)
        }
    }

    /// Ten days back, and as long as it takes until that is noticed.
    private func putRight(_ servers: ServersFixture) async {
        servers.clock.jump(-864_000)
        for _ in 0..<3 {
            await servers.runBackground()
            servers.clock.advance(120)
        }
    }

    @Test("What a clock ten days ahead remembered of a PIN is forgotten when it is put right: the next login asks for the PIN", .onBothEngines)
    func cache() async throws {
        try await ServersFixture.run { servers in
            try await servers.update { $0.pinTimeout = 5 }
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            servers.clock.jump(864_000)
            await servers.runBackground()
            let cache = try #require(try await phone.refreshed().logIn(try servers.nonce()).cache)
            await putRight(servers)
            let shown = try await phone.refreshed().scan(try await servers.link(try servers.nonce()))
            #expect(await servers.refusal { try await shown.logInByCache(cache) } == .secondFactorNeeded)
            #expect(try await shown.logInByPIN().result == .loggedIn)
        }
    }

    @Test("What a clock ten days ahead could not tell the second-factor server it is told when that is put right, not ten days later", .onBothEngines)
    func ends() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let further = try await phone.enrolFurther()
            let alone = try await TestPhone(servers, device: "Nokia").enrol(try servers.nonce(), userID: "bob")
            servers.clock.jump(864_000)
            await servers.runBackground()
            servers.secondFactor.isDown = true
            for account in [further.account, alone.account] {
                try await servers.services.accounts.delete(account, at: servers.server, by: .backend, now: servers.now)
            }
            await servers.runBackground()
            #expect(try await untold(servers) == ["pending_close", "pending_leave"])
            await putRight(servers)
            servers.secondFactor.isDown = false
            servers.clock.advance(60)
            await servers.runBackground()
            #expect(try await untold(servers).isEmpty)
        }
    }

    /// Where something waits that the second-factor server has not heard of.
    private func untold(_ servers: ServersFixture) async throws -> [String] {
        try await servers.database.read { connection in
            try ["pending_close", "pending_leave"].filter { name in
                try connection.one("SELECT COUNT(*) AS number FROM \(name)")?.int("number") != 0
            }
        }
    }

    @Test(
        "A browser that a clock ten days ahead awaits is awaited for two minutes more when that is put right: its code is good no longer",
        .onBothEngines)
    func returning() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let (sessions, nonce) = (servers.services.sessions, try servers.nonce())
            servers.clock.jump(864_000)
            await servers.runBackground()
            let page = SessionPage(cookieHash: SHA([UInt8]("cookie".utf8)), returnURL: "https://shop.example/back")
            try await sessions.begin(page, as: .opened, for: nonce, at: servers.server, now: servers.now)
            let session = try #require(try await sessions.progress(of: nonce, at: servers.server, now: servers.now))
            let link = try await sessions.link(to: session, .returning, at: servers.now)
            let login = try await phone.refreshed().scan(link, via: .link).logInByPIN()
            let code = try #require(login.returnCode.flatMap { ReturnCode(text: Base64URL.encode($0)) })
            #expect(try await servers.status(of: nonce).state == .returning)
            await putRight(servers)
            servers.clock.advance(121)
            #expect(try await servers.status(of: nonce) == .nobody)
            await #expect(throws: ReturnCodeWrong.self) {
                try await sessions.handIn(code, by: nonce, at: servers.server, from: .backend, now: servers.now)
            }
        }
    }

    @Test(
        "While the second-factor server contradicts its clock an authentication server ends and deletes nothing in the background, and brings nothing back",
        .onBothEngines, arguments: [3_600, 864_000, -3_600, -864_000] as [Int64])
    func contradicted(_ jump: Int64) async throws {
        try await ServersFixture.run { servers in
            let nonce = try await loggedIn(servers)
            servers.clock.jump(jump)
            servers.skew.value = -jump
            for isSilent in [false, true, false] {
                servers.secondFactor.isDown = isSilent
                await servers.runBackground()
                servers.clock.advance(60)
            }
            servers.clock.jump(-jump)
            servers.skew.value = 0
            #expect(try await servers.status(of: nonce).loggedIn)
            // Nothing is held up when they agree.
            try await expectHousekeeping(servers)
        }
    }

    @Test(
        "While the second-factor server is silent a node whose clock fell behind ends and brings back nothing, nor one that is started then",
        .onBothEngines, arguments: [false, true])
    func behind(isStartedAnew: Bool) async throws {
        try await ServersFixture.run { servers in
            let nonce = try await loggedIn(servers)
            servers.secondFactor.isDown = true
            servers.clock.jump(-864_000)
            let node = isStartedAnew ? try await servers.start() : servers.service
            for _ in 0..<3 {
                await node.runBackground()
                servers.clock.advance(60)
            }
            servers.clock.jump(864_000)
            #expect(try await servers.status(of: nonce).loggedIn)
            guard !isStartedAnew else { return }
            // Right again, and silent as it is the other server stops nothing more.
            try await expectHousekeeping(servers)
        }
    }

    @Test("That housekeeping waits for the clocks is one line of the log and in the full report, and one line when it goes on")
    func told() async throws {
        let log = LogRecorder()
        try await ServersFixture.run(log: log) { servers in
            let lines = { @Sendable (message: String) in log.lines(message).filter { $0.facts["work"] == "housekeeping" } }
            let rounds = { @Sendable () async -> Void in
                for _ in 0..<3 {
                    await servers.runBackground()
                    servers.clock.advance(5)
                }
            }
            await rounds()
            #expect(lines("a readiness check failed").isEmpty)
            servers.clock.jump(3_600)
            servers.skew.value = -3_600
            await rounds()
            #expect(lines("a readiness check failed").count == 1)
            #expect(lines("a readiness check failed").first?.facts["reason"]?.contains("the clocks differ") == true)
            #expect(lines("a readiness check passes again").isEmpty)
            servers.clock.jump(-3_600)
            servers.skew.value = 0
            await rounds()
            #expect(lines("a readiness check failed").count == 1)
            #expect(lines("a readiness check passes again").count == 1)
        }
    }

    @Test("A clock that falls behind for a minute makes nobody's session shorter", .onBothEngines)
    func shortFall() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let nonce = try servers.nonce()
            try await phone.logIn(nonce)
            for _ in 0..<3 {
                await servers.runBackground()
                servers.clock.advance(60)
            }
            servers.clock.jump(-3_600)
            for _ in 0..<3 {
                await servers.runBackground()
                servers.clock.advance(20)
            }
            servers.clock.jump(3_600)
            #expect(try await servers.status(of: nonce).loggedIn)
        }
    }

    @Test(
        "Keys of a clock that ran ten or seventy days ahead are replaced when it is put right: there is a signer, and no prekey outlives its two days",
        .onBothEngines, arguments: [10, 70] as [Int64])
    func keys(_ days: Int64) async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            servers.clock.jump(days * 86_400)
            await servers.runBackground()
            #expect(try await logsIn(phone))
            servers.clock.jump(-days * 86_400)
            try await expectAllIsWell(phone)
            servers.clock.advance(49 * 3_600)
            try await expectAllIsWell(phone)
            let limit = SQLValue(servers.now.seconds + 48 * 3_600)
            let left = try await servers.secondFactorDatabase.read {
                try $0.one("SELECT COUNT(*) AS number FROM own_prekey WHERE erase_at > $1", [limit])
            }
            #expect(try left?.int("number") == 0)
        }
    }
}
