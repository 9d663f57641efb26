import Authentication
import HTTPService
import HTTPTypes
import OstiaryProtocol

/// Opens pages for business backends and recognises their browsers.
package struct PageService: Sendable {
    private let store: any PageStore
    private let random: any RandomSource
    private let publicURL: PublicURL
    let cookie: PageCookie

    package init(store: any PageStore, random: any RandomSource, publicURL: PublicURL) {
        self.store = store
        self.random = random
        self.publicURL = publicURL
        cookie = PageCookie(isSecure: publicURL.isSecure)
    }

    /// A link for one browser, once. The ticket stands in the fragment, which browsers keep to themselves.
    func open(_ page: Page, at now: Instant) async throws -> String {
        let ticket = PageSecret(using: random)
        try await store.open(page, ticket: ticket, until: now + PageLifetime.ticket, at: now)
        return "\(publicURL)/\(page.kind.rawValue)#\(ticket.text)"
    }

    /// The page of a ticket, and the cookie that keeps it from now on.
    /// - Throws: ``PageRefusal/ticketNotValid``.
    func redeem(_ text: String, at now: Instant) async throws -> OpenPage {
        guard let ticket = PageSecret(received: text) else { throw PageRefusal.ticketNotValid }
        let secret = PageSecret(using: random)
        guard let page = try await store.redeem(ticket, for: secret, until: now + PageLifetime.page, at: now) else {
            throw PageRefusal.ticketNotValid
        }
        return OpenPage(page: page, cookie: secret, link: nil)
    }

    /// The page that the browser's cookie is for.
    /// - Throws: ``PageRefusal/noPage``.
    func page(of headers: HTTPFields, at now: Instant) async throws -> OpenPage {
        guard let secret = cookie.secret(in: headers), let stored = try await store.page(of: secret, at: now) else { throw PageRefusal.noPage }
        return OpenPage(page: stored.page, cookie: secret, link: stored.link?.opened(by: secret))
    }

    /// Keeps the link of the page's enrolment for when the page is loaded again.
    func keep(_ link: [UInt8], for page: OpenPage) async throws {
        try await store.keep(try SealedLink(link, under: page.cookie), for: page.cookie)
    }

    /// Refuses a form or script of another site: browsers say where a POST comes from.
    func checkOrigin(_ headers: HTTPFields) throws(PageRefusal) {
        guard headers[.origin] == publicURL.description else { throw .foreignOrigin }
        if let site = headers[.fetchSite], site != "same-origin" { throw .foreignOrigin }
    }
}

/// A page in its browser.
struct OpenPage: Sendable {
    let page: Page
    let cookie: PageSecret
    /// The bytes of the link of its enrolment.
    let link: [UInt8]?

    var nonce: SessionNonce { SessionNonce(hash: page.nonceHash) }
}

/// Why a page's request is refused.
enum PageRefusal: Error, Equatable {
    /// Unknown, used or too old: all sound the same.
    case ticketNotValid
    /// No cookie, or one whose page is over.
    case noPage
    case foreignOrigin
    /// The page is for something else.
    case wrongKind
    /// Too many streams are open.
    case busy
    case linkNotValid
    /// What the page is for goes on, or went well.
    case notOver
}

extension PageRefusal: ErrorResponseConvertible {
    var errorResponse: ErrorResponse {
        switch self {
        case .ticketNotValid: ErrorResponse(.unauthorized, "ticket_not_valid", "this link was used before or is too old; start again from the site")
        case .noPage: ErrorResponse(.unauthorized, "no_page", "this page is over; start again from the site")
        case .foreignOrigin: ErrorResponse(.forbidden, "foreign_origin", "this call is for the pages of this site only")
        case .wrongKind: ErrorResponse(.conflict, "wrong_kind", "this page is for something else")
        case .busy: ErrorResponse(.serviceUnavailable, "busy", "too many pages are open; ask again", headers: [.retryAfter: "5"])
        case .notOver: ErrorResponse(.conflict, "not_over", "there is nothing to begin anew")
        case .linkNotValid: ErrorResponse(.badRequest, "link_not_valid", "this is no link of the app")
        }
    }
}

extension HTTPField.Name {
    static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
