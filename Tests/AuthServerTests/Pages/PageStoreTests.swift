import Authentication
import Database
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Page store", .againWithLostCommits)
struct PageStoreTests {
    enum Backend: CaseIterable {
        case memory, file, postgresql

        static var allCases: [Backend] { [.memory, .file] + (PostgreSQLCluster.isInstalled ? [.postgresql] : []) }
    }

    private let random = SystemRandomSource()
    private let now = Instant(1_000)

    @Test("A ticket is exchanged at most once, however many ask at the same time", arguments: Backend.allCases)
    func redeemedOnce(on backend: Backend) async throws {
        try await withStore(backend) { store, _ in
            let (page, ticket) = (page(), PageSecret(using: random))
            try await store.open(page, ticket: ticket, until: now + 60)
            let found = try await withThrowingTaskGroup(of: Page?.self) { group in
                for _ in 0..<32 { group.addTask { try await store.redeem(ticket, for: PageSecret(using: random), until: now + 100, at: now) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(found.compactMap { $0 } == [page])
        }
    }

    @Test("A page is found by its cookie until its time is over, and keeps the link that was sealed for it", arguments: Backend.allCases)
    func foundByCookie(on backend: Backend) async throws {
        try await withStore(backend) { store, _ in
            let (page, ticket, cookie) = (page(returnURL: "/x"), PageSecret(using: random), PageSecret(using: random))
            try await store.open(page, ticket: ticket, until: now + 60)
            #expect(try await store.page(of: cookie, at: now) == nil)
            #expect(try await store.redeem(ticket, for: cookie, until: now + 100, at: now + 59) == page)
            let kept = try #require(try await store.page(of: cookie, at: now + 99))
            #expect(kept.page == page && kept.link == nil && kept.expiresAt == now + 100)
            let link = try SealedLink([1, 2, 3], under: cookie)
            #expect(try await store.keep(link, for: cookie, over: nil) == .kept)
            let linked = try #require(try await store.page(of: cookie, at: now + 99))
            #expect(linked.page == page && linked.link == link && linked.number == kept.number)
            #expect(try await store.page(of: ticket, at: now + 99) == nil)
            #expect(try await store.page(of: cookie, at: now + 100) == nil)
        }
    }

    @Test("What a login asks is the page's as it was said, with its logo, the client that asks and what it demands", arguments: Backend.allCases)
    func request(on backend: Backend) async throws {
        try await withStore(backend) { store, _ in
            let logo = try #require(ServerLogo([0xFF, 0xD8, 0xFF, 1]))
            let shown = ShownContext(info: [Announcement(key: "for", text: "Timesheets")], logo: ShownLogo(logo), ip: "::1", userAgent: "Firefox")
            let request = LoginRequest(
                client: RelyingParty(name: "Shop", origin: "https://shop.example", clientID: "shop"), shown: shown,
                notes: SessionNotes(ip: "::2"), account: AccountID(using: random), demand: .fresh(60))
            for request in [request, LoginRequest(demand: .always), LoginRequest()] {
                let (ticket, cookie) = (PageSecret(using: random), PageSecret(using: random))
                let (server, isFramed) = (ServerID(using: random), request.demand == .always)
                let page = Page(kind: .login, serverID: server, nonceHash: random.bytes(32), request: request, isFramed: isFramed)
                try await store.open(page, ticket: ticket, until: now + 60)
                #expect(try await store.redeem(ticket, for: cookie, until: now + 100, at: now) == page)
                let found = try #require(try await store.page(of: cookie, at: now)).page
                #expect(found == page && found.request.shown.logo?.picture == request.shown.logo?.picture)
            }
        }
    }

    @Test("What ran out is deleted in batches, and what did not stays", arguments: Backend.allCases)
    func forgets(on backend: Backend) async throws {
        try await withStore(backend) { store, database in
            for second in 0..<5 as Range<UInt64> {
                try await store.open(page(), ticket: PageSecret(using: random), until: now + 60 + second)
            }
            let count = { try await database.read { try $0.one("SELECT COUNT(*) AS n FROM page")?.int("n") } }
            #expect(try await store.removeExpired(at: now + 59, limit: 2) == 0)
            #expect(try await count() == 5)
            while try await store.removeExpired(at: now + 62, limit: 2) == 2 {}
            #expect(try await count() == 2)
            while try await store.removeExpired(at: now + 64, limit: 2) == 2 {}
            #expect(try await count() == 0)
        }
    }

    @Test(
        "After a logout the pages of the nonce take no ticket, begin nothing anew and keep no link, opened or not; other nonces and other servers go on",
        arguments: Backend.allCases)
    func loggedOut(on backend: Backend) async throws {
        try await withStore(backend) { store, database in
            let page = page()
            let others = [
                Page(kind: .login, serverID: ServerID(using: random), nonceHash: page.nonceHash),
                Page(kind: .enrol, serverID: page.serverID, nonceHash: random.bytes(32), name: "Zoë"),
                Page(kind: .enrol, serverID: ServerID(using: random), nonceHash: page.nonceHash, name: "Zoë"),
            ]
            let (cookie, unopened) = (PageSecret(using: random), PageSecret(using: random))
            let login = (
                page: Page(kind: .login, serverID: page.serverID, nonceHash: page.nonceHash), opened: PageSecret(using: random),
                ticket: PageSecret(using: random)
            )
            try await open(login.page, as: login.opened, in: store)
            try await store.open(login.page, ticket: login.ticket, until: now + 60)
            let other = others.map { (page: $0, ticket: PageSecret(using: random), cookie: PageSecret(using: random)) }
            try await open(page, as: cookie, in: store)
            let first = try SealedLink([1], under: cookie)
            #expect(try await store.keep(first, for: cookie, over: nil) == .kept)
            try await store.open(page, ticket: unopened, until: now + 60)
            for other in other { try await store.open(other.page, ticket: other.ticket, until: now + 60) }

            for _ in 0..<2 { try await store.logOut(nonce: page.nonceHash, of: page.serverID) }
            #expect(try await store.page(awaiting: unopened, at: now) == nil)
            #expect(try await store.redeem(unopened, for: PageSecret(using: random), until: now + 100, at: now) == nil)
            #expect(try await store.redeem(login.ticket, for: PageSecret(using: random), until: now + 100, at: now) == nil)
            for cookie in [cookie, login.opened] { #expect(try await store.renew(cookie, at: now) == nil) }
            #expect(try await store.keep(try SealedLink([2], under: cookie), for: cookie, over: [1]) == .isOver)
            let kept = try #require(try await store.page(of: cookie, at: now))
            #expect(kept.isLoggedOut && kept.link == first && kept.page == page)
            for other in other {
                #expect(try await store.redeem(other.ticket, for: other.cookie, until: now + 100, at: now) == other.page)
                #expect(try await store.keep(try SealedLink([3], under: other.cookie), for: other.cookie, over: nil) == .kept)
                #expect(try await store.page(of: other.cookie, at: now)?.isLoggedOut == false)
            }
            // What the site opens afterwards is another matter.
            let next = PageSecret(using: random)
            try await open(page, as: next, in: store)
            #expect(try await store.keep(try SealedLink([4], under: next), for: next, over: nil) == .kept)
            #expect(try await store.keep(try SealedLink([5], under: next), for: next, over: nil) == .isAnother)
            #expect(try await store.page(of: next, at: now)?.link?.opened(by: next) == [4])
            #expect(try await store.keep(try SealedLink([5], under: next), for: next, over: [4]) == .kept)

            guard backend == .file else { return }
            let plan = try await database.transaction { connection in
                try connection.query(
                    "EXPLAIN QUERY PLAN UPDATE page SET logged_out = 1 WHERE nonce_hash = $1 AND server_id = $2 AND logged_out = 0",
                    [.blob([1]), .blob([2])]
                ).map { try $0.text("detail") }
            }
            #expect(plan.count == 1 && plan[0].contains("USING INDEX page_nonce"), "\(plan)")
        }
    }

    private func open(_ page: Page, as cookie: PageSecret, in store: SQLPageStore) async throws {
        let ticket = PageSecret(using: random)
        try await store.open(page, ticket: ticket, until: now + 60)
        #expect(try await store.redeem(ticket, for: cookie, until: now + 100, at: now) == page)
    }

    private func page(returnURL: String? = nil) -> Page {
        Page(
            kind: .enrol, serverID: ServerID(using: random), nonceHash: random.bytes(32), name: "Zoë", userID: "zoe",
            returnURL: returnURL.flatMap(ReturnURL.init), cancelURL: returnURL.flatMap { ReturnURL($0 + "/cart") })
    }

    private func withStore(_ backend: Backend, _ body: (SQLPageStore, any Database) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let database: any Database
        switch backend {
        case .memory: database = try await misbehavingDatabase()
        case .file: database = try await SchemaTemplate.authentication.file(folder.file("pages.sqlite"))
        case .postgresql:
            return try await SchemaTemplate.authentication.withPostgreSQL { database in
                let misbehaving = misbehavingDatabase(over: database)
                try await body(SQLPageStore(database: misbehaving), misbehaving)
            }
        }
        try await database.migrate(AuthenticationSchema.migrations)
        try await body(SQLPageStore(database: database), database)
        try await database.close()
    }
}
