import Authentication
import HTTPService
import HTTPTypes
import OstiaryProtocol

/// Opens pages for business backends and recognises their browsers.
package struct PageService: Sendable {
    private let store: SQLPageStore
    private let random: any RandomSource
    private let publicURL: PublicURL
    let cookie: PageCookie

    package init(store: SQLPageStore, random: any RandomSource, publicURL: PublicURL) {
        self.store = store
        self.random = random
        self.publicURL = publicURL
        cookie = PageCookie(isSecure: publicURL.isSecure)
    }

    /// A link for one browser, once. The ticket stands in the fragment, which browsers keep to themselves.
    /// - Parameter language: that of the page; nil for what the browser likes best.
    func open(_ page: Page, in language: PageLanguage? = nil, at now: Instant) async throws -> String {
        let ticket = PageSecret(using: random)
        try await store.open(page, ticket: ticket, until: now + PageLifetime.ticket)
        let query = language.map { "?lang=\($0.rawValue)" } ?? ""
        return "\(publicURL)/\(page.isFramed ? "embed/\(page.serverID.text)" : page.kind.rawValue)\(query)#\(ticket.text)"
    }

    /// The page that a ticket is for; the ticket stays good.
    /// - Throws: ``PageRefusal/ticketNotValid``.
    func page(awaiting text: String, at now: Instant) async throws -> Page {
        guard let ticket = PageSecret(received: text), let stored = try await store.page(awaiting: ticket, at: now) else {
            throw PageRefusal.ticketNotValid
        }
        return stored.page
    }

    /// Refuses a page that the site did not mean for a frame, and one whose virtual server is not that of the frame: another one's settings say which
    /// sites may show that.
    func checkFrame(_ server: ServerID, of page: Page, else refusal: PageRefusal) throws(PageRefusal) {
        guard page.isFramed, page.serverID == server else { throw refusal }
    }

    /// The page of a ticket, and the cookie that keeps it from now on.
    /// - Throws: ``PageRefusal/ticketNotValid``.
    func redeem(_ text: String, at now: Instant) async throws -> OpenPage {
        guard let ticket = PageSecret(received: text) else { throw PageRefusal.ticketNotValid }
        let secret = PageSecret(using: random)
        guard let page = try await store.redeem(ticket, for: secret, until: now + PageLifetime.page, at: now) else {
            throw PageRefusal.ticketNotValid
        }
        return OpenPage(page: page, cookie: secret, link: nil, isLoggedOut: false)
    }

    /// The page that a request names, if the browser has the cookie of that very page.
    /// - Throws: ``PageRefusal/noPage``, ``PageRefusal/otherPage``.
    func page(_ name: (some StringProtocol)?, in headers: HTTPFields, at now: Instant) async throws -> OpenPage {
        guard let id = name.flatMap({ PageID(received: $0) }), let secret = cookie.secret(of: id, in: headers) else { throw PageRefusal.noPage }
        guard PageID(of: secret) == id else { throw PageRefusal.otherPage }
        return try await page(of: secret, at: now)
    }

    /// The page of a cookie, with the link that it began last.
    /// - Throws: ``PageRefusal/noPage``.
    func page(of secret: PageSecret, at now: Instant) async throws -> OpenPage {
        guard let stored = try await store.page(of: secret, at: now) else { throw PageRefusal.noPage }
        return OpenPage(page: stored.page, cookie: secret, link: stored.link?.opened(by: secret), isLoggedOut: stored.isLoggedOut)
    }

    /// Lets no page that the site opened until now log anybody in at this nonce any more, or enrol a phone for it: neither one that nobody has opened
    /// yet, nor one that is being opened, whose session or enrolment may begin after the domain has ended those that it finds. To be called before the
    /// domain logs the nonce out: then what a page has begun is shown before this, and the domain finds it, or it is shown to nobody
    /// (docs/decisions/0022).
    func logOut(_ nonce: SessionNonce, at server: ServerID) async throws { try await store.logOut(nonce: nonce.hash, of: server) }

    /// What a browser is told when a page begins: its cookie, and of more pages than it may keep, to forget the oldest.
    /// - Parameter isFramed: whether it begins in a frame.
    func cookies(for page: OpenPage, isFramed: Bool, in headers: HTTPFields) async throws -> [String] {
        let before = cookie.cookies(in: headers)
        let own = cookie.setting(page.cookie, isFramed: isFramed)
        let tooMany = before.count - (PageCookie.limit - 1)
        guard tooMany > 0 else { return [own] }
        let ends = try await store.ends(of: before.map(\.secret))
        let oldest = zip(before, ends).sorted { $0.1 < $1.1 }.prefix(tooMany).map(\.0.page)
        return [own] + oldest.flatMap(cookie.forgetting)
    }

    /// How a page begins anew beside the session that its nonce has: what it may take over is of a page that its site opened earlier.
    func renewal(of page: OpenPage, beside session: Session?) async throws -> PageBeginning {
        guard let owner = session?.page?.cookieHash, try await store.isOpened(owner, before: page.cookie) else { return .renewed(over: nil) }
        return .renewed(over: owner)
    }

    /// Counts that the page begins anew.
    /// - Throws: ``PageRefusal/tooOften(seconds:)``, ``PageRefusal/noPage``.
    func countRenewal(of page: OpenPage, at now: Instant) async throws {
        switch try await store.renew(page.cookie, at: now) {
        case .begins: return
        case .waits(let seconds): throw PageRefusal.tooOften(seconds: seconds)
        case nil: throw PageRefusal.noPage
        }
    }

    /// Keeps the link of the page's enrolment, from where alone it is shown. Of several that a page begins at once the newest is kept: each looks which one is
    /// there, then whether its own is the newest, and puts it in the place of that one only.
    /// - Parameter isNewest: whether no other enrolment has begun after this one. Whoever has begun a newer one keeps the link of that.
    /// - Throws: ``PageRefusal/noPage`` when the site has logged out meanwhile: nobody ever learns the link.
    func keep(_ link: [UInt8], for page: OpenPage, at now: Instant, while isNewest: () async throws -> Bool) async throws {
        let sealed = try SealedLink(link, under: page.cookie)
        var former = page.link
        while try await isNewest() {
            switch try await store.keep(sealed, for: page.cookie, over: former) {
            case .kept: return
            case .isOver: throw PageRefusal.noPage
            case .isAnother: former = try await self.page(of: page.cookie, at: now).link
            }
        }
        guard try await !self.page(of: page.cookie, at: now).isLoggedOut else { throw PageRefusal.noPage }
    }

    /// Refuses what no script of our pages sends: browsers say where a POST comes from, and send JSON to nobody who has not allowed it.
    func checkPost(_ headers: HTTPFields) throws(PageRefusal) {
        guard headers[.origin] == publicURL.description else { throw .foreignOrigin }
        if let site = headers[.fetchSite], site != "same-origin" { throw .foreignOrigin }
        guard headers.mediaType == "application/json" else { throw .otherType }
    }
}

/// A page in its browser.
struct OpenPage: Sendable {
    let page: Page
    let cookie: PageSecret
    /// The bytes of the link of its enrolment.
    let link: [UInt8]?
    /// Whether its site has logged out: what the nonce begins from then on is another page's.
    let isLoggedOut: Bool

    var id: PageID { PageID(of: cookie) }
    var nonce: SessionNonce { SessionNonce(hash: page.nonceHash) }

    /// The enrolment that this page began last.
    var enrolmentID: EnrolmentID? { link.flatMap(Self.enrolmentID(of:)) }

    /// The enrolment of a link.
    static func enrolmentID(of link: [UInt8]) -> EnrolmentID? {
        switch try? Link(decoding: link) {
        case .enrol(let link): return link.enrolID
        case .upgrade(let link): return link.enrol.enrolID
        case .login, nil: return nil
        }
    }

    /// Whether this is the page that shows the enrolment.
    func owns(_ enrolment: Enrolment) -> Bool { enrolment.page.map { matches($0, cookie.hash) } ?? false }

    /// Whether the page has nothing to say of its nonce any more, because the site has logged out.
    func isOver(beside session: Session?) -> Bool {
        guard isLoggedOut else { return false }
        // Between the mark and the end of the login.
        if let session, owns(session), case .loggedIn = session.state { return false }
        return true
    }

    /// Whether this is the page that began the session.
    func owns(_ session: Session) -> Bool { session.page.map { matches($0.cookieHash, cookie.hash) } ?? false }
}

/// Why a page's request is refused.
enum PageRefusal: Error, Equatable {
    /// Unknown, used or too old: all sound the same.
    case ticketNotValid
    /// The request names no page, the browser has no cookie of it, or its time is over.
    case noPage
    /// The cookie under the name of this page is that of another one.
    case otherPage
    case foreignOrigin
    /// It has a body of another type than JSON, or does not say of which.
    case otherType
    /// The page is for something else.
    case wrongKind
    /// Too many streams are open.
    case busy
    case linkNotValid
    /// Nothing is known by the name of the stream, or not any more.
    case noSession
    /// It began anew too often; how long to wait.
    case tooOften(seconds: UInt64)
}

extension PageRefusal: ErrorResponseConvertible {
    var errorResponse: ErrorResponse {
        switch self {
        case .ticketNotValid: ErrorResponse(.unauthorized, "ticket_not_valid", "this link was used before or is too old; start again from the site")
        case .noPage: ErrorResponse(.unauthorized, "no_page", "this page is over; start again from the site")
        case .otherPage: ErrorResponse(.unauthorized, "other_page", "this cookie is that of another page; start again from the site")
        case .foreignOrigin: ErrorResponse(.forbidden, "foreign_origin", "this call is for the pages of this site only")
        case .otherType: ErrorResponse(.unsupportedMediaType, "unsupported_media_type", "this call is made with a body of application/json")
        case .wrongKind: ErrorResponse(.conflict, "wrong_kind", "this page is for something else")
        case .busy: ErrorResponse(.serviceUnavailable, "busy", "too many pages are open; ask again", headers: [.retryAfter: "5"])
        case .tooOften(let seconds):
            ErrorResponse(
                .tooManyRequests, "too_often", "this page began anew too often; wait \(seconds) seconds", headers: [.retryAfter: "\(seconds)"])
        case .noSession: ErrorResponse(.notFound, "session_unknown", "this server has no such session")
        case .linkNotValid: ErrorResponse(.badRequest, "link_not_valid", "this is no link of the app")
        }
    }
}

extension HTTPField.Name {
    static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
