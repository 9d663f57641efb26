import OstiaryProtocol

/// Where pages wait for their browser. Each question answers and consumes in one step.
package protocol PageStore: Sendable {
    /// Keeps a page for whoever brings its ticket until `deadline`.
    func open(_ page: Page, ticket: PageSecret, until deadline: Instant, at now: Instant) async throws
    /// Exchanges a ticket for a cookie, once: nil when the ticket is unknown, used or too old.
    func redeem(_ ticket: PageSecret, for cookie: PageSecret, until deadline: Instant, at now: Instant) async throws -> Page?
    /// The page of a cookie; nil when there is none any more.
    func page(of cookie: PageSecret, at now: Instant) async throws -> StoredPage?
    /// Until when each page may be kept, in the order of the cookies; the beginning of time for what is no page.
    func ends(of cookies: [PageSecret?]) async throws -> [Instant]
    /// Counts that a page begins anew, if it may; nil when there is no such page.
    func renew(_ cookie: PageSecret, at now: Instant) async throws -> PageRenewal.Step?
    /// Keeps the link of the page's enrolment, sealed under the cookie, in the place of an earlier one.
    func keep(_ link: SealedLink, for cookie: PageSecret) async throws
}

/// A page as the store knows it.
package struct StoredPage: Sendable, Equatable {
    package let page: Page
    package let link: SealedLink?

    package init(page: Page, link: SealedLink?) {
        self.page = page
        self.link = link
    }
}
