import Database
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("The audit trail of a server")
struct AuditDaysTests {
    @Test("Is kept for as many days as the operator says and goes by itself then; for ever if nobody says", arguments: [UInt64(0), 7])
    func days(_ days: UInt64) async throws {
        try await ServersFixture.run(auditDays: days) { servers in
            _ = try await TestPhone(servers).enrol(try servers.nonce())
            func entries() async throws -> Int {
                try await servers.database.read { try $0.one("SELECT COUNT(*) AS entries FROM audit WHERE account IS NOT NULL")?.int("entries") ?? 0 }
            }
            let before = try await entries()
            #expect(before > 1)
            servers.clock.advance(7 * 86_400)
            await servers.runBackground()
            #expect(try await entries() == before)
            servers.clock.advance(1)
            await servers.runBackground()
            #expect(try await entries() == (days == 0 ? before : 0))
        }
    }
}
