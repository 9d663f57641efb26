import Authentication
import Database
import OstiaryProtocol

/// A page as it is kept.
package struct StoredPage: Sendable, Equatable {
    /// Who may have the page. A server knows only the hash of what they show.
    package enum Holder: Hashable, Sendable {
        /// Whoever brings the ticket, once.
        case ticket([UInt8])
        /// The browser that has the cookie.
        case cookie([UInt8])
    }

    /// The row's number; nil before it was kept.
    package internal(set) var number: Int64?
    package let page: Page
    package var holder: Holder
    package var expiresAt: Instant
    package var link: SealedLink?
    /// See ``PageRenewal``.
    package var renewalLevel = Instant(0)
    /// Whether its nonce was logged out since it was opened by its site: it begins nothing any more, and shows no code.
    package internal(set) var isLoggedOut = false

    package init(page: Page, holder: Holder, expiresAt: Instant) {
        self.page = page
        self.holder = holder
        self.expiresAt = expiresAt
    }

    package func isOver(at now: Instant) -> Bool { expiresAt <= now }
}

/// The rows of pages, inside a transaction.
final class SQLPageRows {
    private let connection: any SQLConnection
    private let known = KnownRows<Int64, StoredPage>()

    init(_ connection: any SQLConnection) { self.connection = connection }

    private static let table = SQLTable(
        "page", key: ["id"],
        columns: [
            "ticket_hash", "cookie_hash", "kind", "server_id", "nonce_hash", "name", "user_id", "return_url", "sealed_link", "expires_at", "browser",
            "logo", "account", "demand", "client", "renewal_level", "cancel_url", "framed",
            "logged_out", "visit",
        ])

    /// The page of a ticket or a cookie, also when its time is over.
    func page(of holder: StoredPage.Holder) throws -> StoredPage? {
        let (column, hash) =
            switch holder {
            case .ticket(let hash): ("ticket_hash", hash)
            case .cookie(let hash): ("cookie_hash", hash)
            }
        return try connection.one(Self.table.selection + "WHERE \(column) = $1", [.blob(hash)]).map { row in
            let page = try Self.page(row, of: holder)
            if let number = page.number { known.note(page, as: number) }
            return page
        }
    }

    func save(_ page: StoredPage) throws {
        if let number = page.number {
            try known.save(page, as: number, values: Self.values, by: Self.table.saver(on: connection))
        } else {
            try Self.table.add(Self.values(of: page), on: connection)
        }
    }

    /// Deletes at most `limit` pages, and answers how many.
    func removePages(endedAt now: Instant, limit: Int) throws -> Int {
        defer { known.forget() }
        return try connection.execute(
            "DELETE FROM page WHERE id IN (SELECT id FROM page WHERE expires_at <= $1 LIMIT $2)", [SQLValue(now), SQLValue(limit)])
    }

    /// Forgets the oldest pages of a visit.
    func removePages(of visit: [UInt8], keeping kept: Int) throws {
        defer { known.forget() }
        try connection.write(
            "DELETE FROM page WHERE id IN (SELECT id FROM page WHERE visit = $1 ORDER BY id DESC LIMIT 1000 OFFSET $2)",
            [.blob(visit), SQLValue(kept)])
    }

    /// Marks the pages of a nonce, whether or not anybody has opened them.
    func logOutPages(nonce: [UInt8], of server: ServerID) throws {
        defer { known.forget() }
        try connection.write(
            "UPDATE page SET logged_out = 1 WHERE nonce_hash = $1 AND server_id = $2 AND logged_out = 0",
            [.blob(nonce), SQLValue(server)])
    }

    /// No ticket and no page lasts longer than one of now, if it was made by a clock ahead of `ahead`.
    func bringBack(from ahead: Instant, to now: Instant) throws {
        for (column, life) in [("ticket_hash", PageLifetime.ticket), ("cookie_hash", PageLifetime.page)] {
            try connection.write(
                "UPDATE page SET expires_at = $1 WHERE \(column) IS NOT NULL AND expires_at > $2", [SQLValue(now + life), SQLValue(ahead + life)])
        }
        known.forget()
    }

    private static func values(of kept: StoredPage) -> [SQLValue] {
        let (page, holder) = (kept.page, hashes(of: kept.holder))
        return [
            SQLValue(kept.number), SQLValue(holder.ticket), SQLValue(holder.cookie), .text(page.kind.rawValue), SQLValue(page.serverID),
            .blob(page.nonceHash), .text(page.name), SQLValue(page.userID), SQLValue(page.returnURL?.text), SQLValue(kept.link?.bytes),
            SQLValue(kept.expiresAt), LoginRequestColumns.browser(page.request), SQLValue(page.request.shown.logo?.picture?.bytes),
            SQLValue(page.request.account), LoginRequestColumns.demand(page.request), LoginRequestColumns.client(page.request),
            SQLValue(kept.renewalLevel), SQLValue(page.cancelURL?.text), SQLValue(page.isFramed), SQLValue(kept.isLoggedOut),
            SQLValue(page.visit),
        ]
    }

    private static func hashes(of holder: StoredPage.Holder) -> (ticket: [UInt8]?, cookie: [UInt8]?) {
        switch holder {
        case .ticket(let hash): (hash, nil)
        case .cookie(let hash): (nil, hash)
        }
    }

    private static func page(_ row: SQLRow, of holder: StoredPage.Holder) throws -> StoredPage {
        var kept = StoredPage(page: try page(row), holder: holder, expiresAt: try row.instant("expires_at"))
        kept.number = try row.integer("id")
        kept.link = try row.optionalBlob("sealed_link").map(SealedLink.init)
        kept.renewalLevel = try row.instant("renewal_level")
        kept.isLoggedOut = try row.bool("logged_out")
        return kept
    }

    private static func page(_ row: SQLRow) throws -> Page {
        guard let kind = PageKind(rawValue: try row.text("kind")), let serverID = ServerID(try row.blob("server_id")) else {
            throw SQLError.outOfRange("page")
        }
        return Page(
            kind: kind, serverID: serverID, nonceHash: try row.blob("nonce_hash"), name: try row.text("name"),
            userID: try row.optionalText("user_id"), returnURL: try row.optionalText("return_url").flatMap(ReturnURL.init),
            cancelURL: try row.optionalText("cancel_url").flatMap(ReturnURL.init), request: try request(row),
            isFramed: try row.bool("framed"), visit: try row.optionalBlob("visit"))
    }

    private static func request(_ row: SQLRow) throws -> LoginRequest {
        var request = try LoginRequestColumns.read(row, account: "account")
        if let picture = try row.optionalBlob("logo").flatMap({ ServerLogo($0) }) { request.shown.logo = ShownLogo(picture) }
        return request
    }
}
