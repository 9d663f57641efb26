import Authentication
import Database
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

/// What a person with two phones does over both servers, each kind of request at least once, and what everybody says to it and keeps of it. Without
/// names and keys, which are others each time, so that two journeys can be compared.
struct Journey {
    let servers: ServersFixture
    private(set) var lines: [String] = []

    init(_ servers: ServersFixture) { self.servers = servers }

    mutating func travel() async throws {
        let (phone, nonce) = try await enrol()
        try await logIn(phone, enrolledBy: nonce)
        try await changeSecondFactor(of: phone)
        try await loseAllTries(of: phone)
        try await leave(phone)
        lines += try await Self.rows(of: servers.database) + Self.rows(of: servers.secondFactorDatabase)
        lines.append("counted \(try await servers.counted())")
    }

    private mutating func note(_ name: String, _ said: some Any) { lines.append("\(name): \(said)") }

    /// Declined by one phone, taken by another; the code is typed wrong and then right.
    private mutating func enrol() async throws -> (EnrolledPhone, SessionNonce) {
        let nonce = try servers.nonce()
        let link = try await servers.invite(nonce)
        let first = try await TestPhone(servers, device: "Nokia").scan(link)
        note("decline", try await first.phone.send(try first.refusal().bytes, first.ephemeral).status)
        let enrolling = try await TestPhone(servers).scan(link)
        note("accept", try await enrolling.finish().status)
        note("wait", try await enrolling.wait().status)
        let wrong = enrolling.code == "0000" ? "1111" : "0000"
        note("wrong code", try await confirm(nonce, wrong))
        try #require(try await confirm(nonce, enrolling.code) == .activated(enrolling.screen.accountID))
        let welcome = try L6(decoding: try await enrolling.wait().body)
        let phone = EnrolledPhone(phone: enrolling.phone, account: enrolling.screen.accountID, enrolling: enrolling)
        let silent = try await phone.openApp().logInByCache(try #require(welcome.cache))
        note("silent", try await servers.status(of: try SessionNonce(try #require(silent.webNonce))).state)
        return (phone, nonce)
    }

    private func confirm(_ nonce: SessionNonce, _ code: String) async throws -> ConfirmationOutcome {
        try await servers.services.enrolments.confirm(nonce, code: code, at: servers.server, by: .backend, now: servers.now)
    }

    /// In a browser by a wrong PIN and the right one, in the app with a cache, and not at all.
    private mutating func logIn(_ phone: EnrolledPhone, enrolledBy first: SessionNonce) async throws {
        servers.clock.advance(61)
        try await servers.update { $0.pinTimeout = 5 }
        let nonce = try servers.nonce()
        let shown = try await phone.scan(try await servers.link(nonce))
        note("wrong PIN", try await phone.phone.evaluate(try shown.attempt()).m2?.tries.failed ?? 0)
        let login = try await shown.logInByPIN()
        note("login", (login.result, try await servers.status(of: nonce).authentication?.amr ?? [], login.cache != nil))
        note("cached", try await phone.scan(try await servers.link(try servers.nonce())).logInByCache(try #require(login.cache)).result)
        servers.clock.advance(1)
        note("ping", try await phone.ping(try #require(login.sessionID)).state)
        try await servers.services.sessions.logOut(nonce, at: servers.server, by: .backend, now: servers.now)
        note("after logout", try await phone.ping(try #require(login.sessionID)).reason)
        let app = try await phone.logInApp()
        let other = try await phone.logInApp()
        note("replaced", try await phone.ping(try #require(app.sessionID)).reason)
        note("stop", try await phone.stop(try #require(other.sessionID)).reason)
        let denied = try await phone.scan(try await servers.link(try servers.nonce()))
        note("denied", try await denied.send(try denied.decision(.notMe)).result)
        note("enrolled by", try await servers.status(of: first).state)
        for isOwn in [true, false] { try await logInOnPage(phone, comingBackInOwnBrowser: isOwn) }
    }

    /// On a login page on the phone itself: a browser comes back with the code, the one that began or another.
    private mutating func logInOnPage(_ phone: EnrolledPhone, comingBackInOwnBrowser isOwn: Bool) async throws {
        let (sessions, nonce) = (servers.services.sessions, try servers.nonce())
        let page = SessionPage(cookieHash: SHA([UInt8]("cookie".utf8)), returnURL: "https://shop.example/back")
        try await sessions.begin(page, as: .opened, for: nonce, at: servers.server, now: servers.now)
        let session = try #require(try await sessions.progress(of: nonce, at: servers.server, now: servers.now))
        let login = try await phone.scan(try await sessions.link(to: session, .returning, at: servers.now), via: .link).logInByPIN()
        let code = try #require(login.returnCode.flatMap { ReturnCode(text: Base64URL.encode($0)) })
        let browser = isOwn ? nonce : try servers.nonce()
        do {
            note("back", try await sessions.handIn(code, by: browser, at: servers.server, from: .backend, now: servers.now).state)
        } catch let error as ReturnCodeWrong { note("back", error) }
        note("on the page", try await servers.status(of: nonce).state)
    }

    /// A biometric comes and goes, the PIN changes, and the person's second phone hears of it.
    private mutating func changeSecondFactor(of phone: EnrolledPhone) async throws {
        let second = try await TestPhone(servers, device: "Second").enrol(try servers.nonce())
        let session = try #require(try await second.logInApp().sessionID)
        note("add", try await phone.proveByPIN(.biometricsAdd, phone.fingerKey).1)
        note("by biometric", try await phone.logInByBiometric(try servers.nonce()).result)
        let voucher = try await phone.proveByBiometric(.pinChangeVerify).attempt
        note("new PIN", try await phone.setPIN(voucher, epoch: 2, byBiometric: true))
        servers.clock.advance(1)
        note("told", try await second.ping(session).extensions.notices.map(\.subject))
        note("remove", try await phone.proveByBiometric(.biometricsRemove, phone.fingerKey, epoch: 2).1)
        note("by the new PIN", try await phone.scan(try await servers.link(try servers.nonce())).logInByPIN(epoch: 2).result)
    }

    private mutating func loseAllTries(of phone: EnrolledPhone) async throws {
        for _ in 0..<6 {
            let shown = try await phone.scan(try await servers.link(try servers.nonce()))
            let evaluated = try await phone.phone.evaluate(try shown.attempt(epoch: 2))
            note("try", (evaluated.status, evaluated.m2?.tries.failed ?? 0, evaluated.m2?.tries.wait ?? 0))
            servers.clock.advance(301)
        }
        try await servers.services.accounts.resetSecondFactor(of: phone.account, at: servers.server, by: .backend, now: servers.now)
        note("after the reset", try await phone.scan(try await servers.link(try servers.nonce())).logInByPIN(epoch: 2).result)
    }

    /// Blocked, let in again, deleted on the phone; the second-factor server is told.
    private mutating func leave(_ phone: EnrolledPhone) async throws {
        for blocked in [true, false] {
            let account = try await servers.services.accounts.setBlocked(
                blocked, phone.account, at: servers.server, by: .backend, now: servers.now)
            note("blocked", account.isBlocked)
        }
        let deletion = try Encoded(Delete(accountID: phone.account, time: servers.now), signedBy: phone.phone.sign)
        note("delete", try await phone.phone.send(deletion.bytes, try TestPhone.ephemeral()).status)
        note("closes", try await servers.services.closes.run(at: servers.now))
        try await servers.services.housekeeping.run(at: servers.now)
    }

    /// How many rows each table has, and what the audit trail says.
    private static func rows(of database: any Database) async throws -> [String] {
        try await database.read { connection in
            let names = try connection.tables(of: database.dialect)
            let counts = try names.map { "\($0): \(try connection.one("SELECT COUNT(*) AS n FROM \($0)")?.int("n") ?? 0) rows" }
            guard names.contains("audit") else { return counts }
            let trail = try connection.query("SELECT kind, actor FROM audit ORDER BY position")
            return try counts + trail.map { "audit \(try $0.text("kind")) \(try $0.text("actor"))" }
        }
    }
}
