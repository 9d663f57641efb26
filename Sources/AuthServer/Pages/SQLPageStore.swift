import Authentication
import Database
import OstiaryProtocol

/// Where pages wait for their browser: in the database, so that any server of several can go on with a page that another one opened. Each question
/// answers and consumes in one transaction.
package struct SQLPageStore: Sendable {
    /// Pages that there are of one visit at a time: of more the oldest goes, so that whoever loads its address again and again fills no table.
    package static let mostOfVisit = 8

    private let database: any Database

    package init(database: any Database) { self.database = database }

    private func read<Value: Sendable>(_ body: @Sendable @escaping (SQLPageRows) throws -> Value) async throws -> Value {
        try await database.read { connection in try body(SQLPageRows(connection)) }
    }

    @discardableResult
    private func write<Value: Sendable>(
        _ durability: Durability = .hard, _ body: @Sendable @escaping (SQLPageRows, _ former: Value?) throws -> Value
    ) async throws -> Value {
        try await database.transaction(durability) { connection, former in try body(SQLPageRows(connection), former) }
    }

    /// Keeps a page for whoever brings its ticket until `deadline`. Softly: is it gone, its ticket is unknown.
    package func open(_ page: Page, ticket: PageSecret, until deadline: Instant) async throws {
        let kept = StoredPage(page: page, holder: .ticket(ticket.hash), expiresAt: deadline)
        try await write(.soft) { rows, former -> Void in
            // Opened by the first look.
            if former != nil, try rows.page(of: kept.holder) != nil { return }
            if let visit = page.visit { try rows.removePages(of: visit, keeping: Self.mostOfVisit - 1) }
            try rows.save(kept)
        }
    }

    /// Ends what the pages of a nonce may do: the tickets that nobody has brought are good no more, and no page begins anew or keeps another link.
    package func logOut(nonce: [UInt8], of server: ServerID) async throws {
        try await write { rows, _ -> Void in try rows.logOutPages(nonce: nonce, of: server) }
    }

    /// Exchanges a ticket for a cookie, once: nil when the ticket is unknown, used, too old or logged out.
    package func redeem(_ ticket: PageSecret, for cookie: PageSecret, until deadline: Instant, at now: Instant) async throws -> Page? {
        let (ticket, cookie) = (StoredPage.Holder.ticket(ticket.hash), StoredPage.Holder.cookie(cookie.hash))
        return try await write { rows, former -> Page? in
            // Redeemed by the first look: nobody else knows the cookie.
            if former != nil, let kept = try rows.page(of: cookie), !kept.isOver(at: now) { return kept.page }
            guard var kept = try rows.page(of: ticket), !kept.isOver(at: now), !kept.isLoggedOut else { return nil }
            kept.holder = cookie
            kept.expiresAt = deadline
            try rows.save(kept)
            return kept.page
        }
    }

    /// The page of a cookie; nil when there is none any more.
    package func page(of cookie: PageSecret, at now: Instant) async throws -> StoredPage? { try await page(of: .cookie(cookie.hash), at: now) }

    /// The page that waits for a ticket, which stays good; nil when the ticket is unknown, used, too old or logged out.
    package func page(awaiting ticket: PageSecret, at now: Instant) async throws -> StoredPage? {
        try await page(of: .ticket(ticket.hash), at: now).flatMap { $0.isLoggedOut ? nil : $0 }
    }

    private func page(of holder: StoredPage.Holder, at now: Instant) async throws -> StoredPage? {
        try await read { rows in try rows.page(of: holder).flatMap { $0.isOver(at: now) ? nil : $0 } }
    }

    /// Whether another page was opened before this one. One that is not kept any more was.
    /// - Parameter other: SHA of its cookie.
    package func isOpened(_ other: [UInt8], before cookie: PageSecret) async throws -> Bool {
        let (other, own) = (StoredPage.Holder.cookie(other), StoredPage.Holder.cookie(cookie.hash))
        return try await read { rows in
            guard let number = try rows.page(of: own)?.number else { return false }
            return try rows.page(of: other)?.number.map { $0 < number } ?? true
        }
    }

    /// Until when each page may be kept, in the order of the cookies; the beginning of time for what is no page.
    package func ends(of cookies: [PageSecret?]) async throws -> [Instant] {
        let holders = cookies.map { $0.map { StoredPage.Holder.cookie($0.hash) } }
        return try await read { rows in try holders.map { holder in try holder.flatMap { try rows.page(of: $0)?.expiresAt } ?? Instant(0) } }
    }

    /// Counts that a page begins anew, if it may; nil when there is no such page, or its site has logged out. Softly: it bounds what a page costs, and what one
    /// that is not counted has cost is gone as well.
    package func renew(_ cookie: PageSecret, at now: Instant) async throws -> PageRenewal.Step? {
        let holder = StoredPage.Holder.cookie(cookie.hash)
        return try await write(.soft) { rows, former -> PageRenewal.Step? in
            guard var kept = try rows.page(of: holder), !kept.isOver(at: now), !kept.isLoggedOut else { return nil }
            // Counted by the first look.
            if case .begins(kept.renewalLevel)?? = former { return former ?? nil }
            let step = PageRenewal.step(from: kept.renewalLevel, at: now)
            guard case .begins(let level) = step else { return step }
            kept.renewalLevel = level
            try rows.save(kept)
            return step
        }
    }

    /// What became of a link that was to be kept.
    package enum LinkKeeping: Sendable {
        case kept
        /// Another one is there than the one in whose place it was to come.
        case isAnother
        /// The page is gone, or its site has logged out.
        case isOver
    }

    /// Keeps the link of the page's enrolment, sealed under the cookie, in the place of `former`, the bytes of the one that whoever asks has seen there.
    package func keep(_ link: SealedLink, for cookie: PageSecret, over former: [UInt8]?) async throws -> LinkKeeping {
        let holder = StoredPage.Holder.cookie(cookie.hash)
        return try await write { rows, _ -> LinkKeeping in
            guard var kept = try rows.page(of: holder), !kept.isLoggedOut else { return .isOver }
            // Kept by the first look.
            if kept.link == link { return .kept }
            guard kept.link?.opened(by: cookie) == former else { return .isAnother }
            kept.link = link
            try rows.save(kept)
            return .kept
        }
    }
}

extension SQLPageStore: MomentKeeper {
    /// A ticket lives a minute from now, a page half an hour, if a clock that ran ahead gave them more (docs/operations.md, Clocks).
    package func bringBack(from ahead: Instant, to now: Instant) async throws {
        try await write { rows, _ -> Void in try rows.bringBack(from: ahead, to: now) }
    }

    /// Links that nobody opened, and pages whose time is over.
    package func removeExpired(at now: Instant, limit: Int) async throws -> Int {
        try await write { rows, _ in try rows.removePages(endedAt: now, limit: limit) }
    }
}
