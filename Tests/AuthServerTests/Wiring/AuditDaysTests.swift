import Database
import OstiaryProtocol
import Testing

@testable import AuthServer

@Suite("The audit trail of a server")
struct AuditDaysTests {
    @Test("Is kept for a year if nobody says otherwise, and goes by itself then")
    func year() async throws {
        try await TwoServers.run { servers in
            _ = try await TestPhone(servers).enrol(try servers.nonce())
            func entries() async throws -> Int {
                try await servers.database.read { try $0.one("SELECT COUNT(*) AS entries FROM audit WHERE account IS NOT NULL")?.int("entries") ?? 0 }
            }
            let before = try await entries()
            #expect(before > 1)
            servers.clock.advance(365 * 86_400)
            await servers.runBackground()
            #expect(try await entries() == before)
            servers.clock.advance(1)
            await servers.runBackground()
            #expect(try await entries() == 0)
        }
    }
}
