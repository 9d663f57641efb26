import Authentication
import Database
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("That an account was deleted", .onBothEngines)
struct DeletedAccountDaysTests {
    @Test("Is known for two years, or for as many days as the operator says, or for ever, and goes by itself then", arguments: [UInt64(730), 7, 0])
    func days(_ days: UInt64) async throws {
        try await ServersFixture.run(deletedAccountDays: days) { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            try await servers.services.accounts.delete(phone.account, at: servers.server, by: .backend, now: servers.now)
            func graves() async throws -> Int {
                try await servers.database.read { try $0.one("SELECT COUNT(*) AS graves FROM grave")?.int("graves") ?? 0 }
            }
            servers.clock.advance((days == 0 ? 36_500 : days) * 86_400)
            await servers.runBackground()
            #expect(try await graves() == 1)
            servers.clock.advance(1)
            await servers.runBackground()
            #expect(try await graves() == (days == 0 ? 1 : 0))
        }
    }

    @Test("Nobody says otherwise: it is two years")
    func usual() {
        #expect(AuthNodeSettings.usualDeletedAccountDays == 730)
    }
}
