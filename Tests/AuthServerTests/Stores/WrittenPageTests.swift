import Authentication
import Database
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

/// Each page is written to the log, waited for, and copied to the file later: who writes more says so here. One login at a time over rows that are there,
/// in tables so small that each of their trees is a page or two.
@Suite("Pages that a login and an enrolment write at the authentication server")
struct WrittenPageTests {
    private func run(_ body: @Sendable @escaping (ServersFixture, PageLog) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("as.sqlite")
        let database = try SQLiteDatabase.open(path: path)
        try await ServersFixture.run(database: database) { servers in try await body(servers, PageLog(of: database, at: path)) }
        try await database.close()
    }

    @Test("A login by PIN: the link, nothing for L1, the number and its settlement, the login")
    func login() async throws {
        try await run { servers, log in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            for _ in 0..<3 { try await phone.logIn(try servers.nonce()) }
            servers.clock.advance(60)
            _ = try await log.take()
            let link = try await servers.link(try servers.nonce())
            let opening = try await log.take()
            let shown = try await phone.scan(link)
            #expect(try await log.take() == 0)
            let attempt = try shown.attempt()
            #expect(try await phone.phone.evaluate(attempt).status == .ok)
            let counting = try await log.take()
            _ = try await shown.send(try shown.decision(attempt: attempt.id, method: .pin, proof: try phone.phone.prove(attempt)))
            let deciding = try await log.take()
            #expect(opening == 6 && counting == 7 && deciding == 11, "\(opening) \(counting) \(deciding)")
        }
    }

    @Test("An enrolment: the invitation, E1, M1, E3 and the code in the browser")
    func enrolment() async throws {
        try await run { servers, log in
            _ = try await TestPhone(servers).enrol(try servers.nonce())
            let phone = try await TestPhone(servers)
            _ = try await log.take()
            _ = try await phone.enrol(try servers.nonce(), userID: "bob")
            let written = try await log.take()
            #expect(written == 38, "\(written)")
        }
    }
}
