import Authentication
import Database
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Pages of a clock that ran ahead")
struct PageClockTests {
    private func page(_ servers: ServersFixture) -> Page {
        Page(kind: .login, serverID: servers.server, nonceHash: SystemRandomSource().bytes(32))
    }

    /// A ticket that was made now.
    private func ticket(_ servers: ServersFixture, _ store: SQLPageStore) async throws -> PageSecret {
        let ticket = PageSecret(using: SystemRandomSource())
        try await store.open(page(servers), ticket: ticket, until: servers.now + PageLifetime.ticket)
        return ticket
    }

    /// The cookie that a browser got for a ticket; nil when it is no good.
    private func redeem(_ ticket: PageSecret, _ servers: ServersFixture, _ store: SQLPageStore) async throws -> PageSecret? {
        let cookie = PageSecret(using: SystemRandomSource())
        return try await store.redeem(ticket, for: cookie, until: servers.now + PageLifetime.page, at: servers.now).map { _ in cookie }
    }

    @Test(
        "A22: a ticket and a page of a clock that ran ahead are good, when it is put right, for their own minutes and no longer; others come and go as always",
        arguments: [600, 3_600, 864_000] as [Int64])
    func broughtBack(_ jump: Int64) async throws {
        try await ServersFixture.run { servers in
            let store = SQLPageStore(database: servers.database)
            servers.clock.jump(jump)
            await servers.runBackground()
            let (first, second) = (try await ticket(servers, store), try await ticket(servers, store))
            let cookie = try #require(try await redeem(try await ticket(servers, store), servers, store))
            for _ in 0..<3 { _ = try await store.renew(cookie, at: servers.now) }
            servers.clock.jump(-jump)
            // Nobody is refused meanwhile, and what is new lives as long as it should.
            #expect(try await store.page(of: cookie, at: servers.now) != nil)
            guard case .begins? = try await store.renew(cookie, at: servers.now) else {
                Issue.record("a page waits for the clock that ran ahead")
                return
            }
            await servers.runBackground()
            servers.clock.advance(120)
            await servers.runBackground()
            let new = try await ticket(servers, store)
            #expect(try await redeem(first, servers, store) != nil)
            servers.clock.advance(PageLifetime.ticket)
            #expect(try await redeem(second, servers, store) == nil)
            #expect(try await redeem(new, servers, store) == nil)
            servers.clock.advance(PageLifetime.page - PageLifetime.ticket - 1)
            #expect(try await store.page(of: cookie, at: servers.now) != nil)
            servers.clock.advance(1)
            #expect(try await store.page(of: cookie, at: servers.now) == nil)
        }
    }

    @Test("Pages that nobody opened, and those that are over, go by themselves: no other page has to be opened for it")
    func expired() async throws {
        try await ServersFixture.run { servers in
            let store = SQLPageStore(database: servers.database)
            let pages = { try await servers.database.read { try $0.one("SELECT COUNT(*) AS n FROM page")?.int("n") } }
            for _ in 0..<250 { _ = try await ticket(servers, store) }
            let cookie = try #require(try await redeem(try await ticket(servers, store), servers, store))
            servers.clock.advance(PageLifetime.ticket)
            await servers.runBackground()
            #expect(try await pages() == 1)
            #expect(try await store.page(of: cookie, at: servers.now) != nil)
            servers.clock.advance(PageLifetime.page)
            await servers.runBackground()
            #expect(try await pages() == 0)
        }
    }

    @Test("A page that began anew by a clock ahead begins anew at once when it is put right, and is limited from then on")
    func renewal() {
        let now = Instant(1_800_000_000)
        var level = now + 864_000 + 60
        var begun = 0
        while case .begins(let next) = PageRenewal.step(from: level, at: now), begun < 100 {
            level = next
            begun += 1
        }
        #expect(begun == Int(PageRenewal.burst))
    }
}
