import Authentication
import Database
import OstiaryProtocol

/// Pages in the database, so that any server of several can go on with a page that another one opened.
package struct SQLPageStore: PageStore {
    let database: any Database

    package init(database: any Database) { self.database = database }

    /// The table, as step `number` of the schema.
    package static func migration(_ number: Int) -> Migration {
        Migration(number, "pages") { dialect in
            [
                """
                CREATE TABLE page (
                    id \(dialect.countedKey),
                    ticket_hash \(dialect.blob) UNIQUE,
                    cookie_hash \(dialect.blob) UNIQUE,
                    kind TEXT NOT NULL,
                    server_id \(dialect.blob) NOT NULL,
                    nonce_hash \(dialect.blob) NOT NULL,
                    name TEXT NOT NULL,
                    user_id TEXT,
                    return_url TEXT,
                    sealed_link \(dialect.blob),
                    expires_at \(dialect.integer) NOT NULL
                ) \(dialect.tableOptions)
                """,
                "CREATE INDEX page_expiry ON page (expires_at)",
            ]
        }
    }

    /// What is said of a login with its page, as step `number` of the schema.
    package static func contextMigration(_ number: Int) -> Migration {
        Migration(number, "what a page says of its login") { dialect in
            ["browser", "logo", "account"].map { "ALTER TABLE page ADD COLUMN \($0) \(dialect.blob)" }
        }
    }

    /// How often a page began anew, as step `number` of the schema.
    package static func renewalMigration(_ number: Int) -> Migration {
        Migration(number, "how often a page began anew") { dialect in
            ["ALTER TABLE page ADD COLUMN renewal_level \(dialect.integer) NOT NULL DEFAULT 0"]
        }
    }

    package func open(_ page: Page, ticket: PageSecret, until deadline: Instant, at now: Instant) async throws {
        let hash = ticket.hash
        try await database.transaction { connection, former -> Void in
            // Opened by the first look.
            if former != nil, try connection.one("SELECT 1 FROM page WHERE ticket_hash = $1", [.blob(hash)]) != nil { return }
            try connection.execute("DELETE FROM page WHERE expires_at <= $1", [SQLValue(now.seconds)])
            try connection.execute(
                """
                INSERT INTO page (ticket_hash, kind, server_id, nonce_hash, name, user_id, return_url, expires_at, browser, logo, account)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
                """,
                [
                    .blob(hash), .text(page.kind.rawValue), .blob(page.serverID.bytes), .blob(page.nonceHash), .text(page.name),
                    SQLValue(page.userID), SQLValue(page.returnURL?.text), SQLValue(deadline.seconds),
                    SQLValue(page.context?.browser.encoded), SQLValue(page.context?.logo?.bytes), SQLValue(page.account),
                ])
        }
    }

    package func redeem(_ ticket: PageSecret, for cookie: PageSecret, until deadline: Instant, at now: Instant) async throws -> Page? {
        let (ticketHash, cookieHash) = (ticket.hash, cookie.hash)
        return try await database.transaction { connection, former in
            // Redeemed by the first look: nobody else knows the cookie.
            if former != nil, let page = try Self.page(of: cookieHash, at: now, on: connection)?.page { return page }
            return try connection.one(
                """
                UPDATE page SET ticket_hash = NULL, cookie_hash = $2, expires_at = $3 WHERE ticket_hash = $1 AND expires_at > $4
                RETURNING kind, server_id, nonce_hash, name, user_id, return_url, browser, logo, account
                """,
                [.blob(ticketHash), .blob(cookieHash), SQLValue(deadline.seconds), SQLValue(now.seconds)]
            ).map(Self.page)
        }
    }

    package func page(of cookie: PageSecret, at now: Instant) async throws -> StoredPage? {
        let hash = cookie.hash
        return try await database.read { connection in try Self.page(of: hash, at: now, on: connection) }
    }

    private static func page(of cookieHash: [UInt8], at now: Instant, on connection: any SQLConnection) throws -> StoredPage? {
        try connection.one(
            """
            SELECT kind, server_id, nonce_hash, name, user_id, return_url, browser, logo, account, sealed_link FROM page
            WHERE cookie_hash = $1 AND expires_at > $2
            """,
            [.blob(cookieHash), SQLValue(now.seconds)]
        ).map { row in StoredPage(page: try page(row), link: try row.optionalBlob("sealed_link").map(SealedLink.init)) }
    }

    package func ends(of cookies: [PageSecret?]) async throws -> [Instant] {
        let hashes = cookies.map { $0?.hash }
        return try await database.read { connection in
            try hashes.map { hash in
                guard let hash else { return Instant(0) }
                let row = try connection.one("SELECT expires_at FROM page WHERE cookie_hash = $1", [.blob(hash)])
                return Instant(try row?.unsigned("expires_at") ?? 0)
            }
        }
    }

    package func renew(_ cookie: PageSecret, at now: Instant) async throws -> PageRenewal.Step? {
        let hash = cookie.hash
        return try await database.transaction { connection, former in
            let row = try connection.one(
                "SELECT renewal_level FROM page WHERE cookie_hash = $1 AND expires_at > $2", [.blob(hash), SQLValue(now.seconds)])
            guard let row else { return nil }
            let before = Instant(try row.unsigned("renewal_level"))
            // Counted by the first look.
            if case .begins(before)?? = former { return former ?? nil }
            let step = PageRenewal.step(from: before, at: now)
            if case .begins(let level) = step {
                try connection.execute("UPDATE page SET renewal_level = $2 WHERE cookie_hash = $1", [.blob(hash), SQLValue(level.seconds)])
            }
            return step
        }
    }

    package func keep(_ link: SealedLink, for cookie: PageSecret) async throws {
        let hash = cookie.hash
        try await database.transaction { connection, _ in
            try connection.execute("UPDATE page SET sealed_link = $2 WHERE cookie_hash = $1", [.blob(hash), .blob(link.bytes)])
        }
    }

    private static func page(_ row: SQLRow) throws -> Page {
        guard let kind = PageKind(rawValue: try row.text("kind")), let serverID = ServerID(try row.blob("server_id")) else {
            throw SQLError.outOfRange("page")
        }
        return Page(
            kind: kind, serverID: serverID, nonceHash: try row.blob("nonce_hash"), name: try row.text("name"),
            userID: try row.optionalText("user_id"), returnURL: try row.optionalText("return_url").flatMap(ReturnURL.init),
            context: try context(row), account: try row.optionalBlob("account").flatMap { AccountID($0) })
    }

    private static func context(_ row: SQLRow) throws -> UserContext? {
        guard let browser = try row.optionalBlob("browser") else { return nil }
        return UserContext(
            browser: try BrowserContext(decoding: browser), logo: try row.optionalBlob("logo").flatMap { ServerLogo($0) })
    }
}
