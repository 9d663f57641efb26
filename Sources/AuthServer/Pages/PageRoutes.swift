import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import NIOCore
import OstiaryProtocol

/// The public pages, what they ask, and the stream of session events.
///
/// A page holds no authority: it shows what happens to the session of one nonce, and hands over the code of an enrolment. Its cookie is
/// never sent by other sites, and whatever it changes is a POST whose origin is checked.
package struct PageRoutes: Sendable {
    let pages: PageService
    let view: PageView
    let enrolments: EnrolmentService
    let servers: ServerService
    let events: any SessionEvents
    let publicURL: PublicURL
    let drain: DrainSignal
    let clock: @Sendable () -> Instant
    /// One tick of the streams: a second, less in tests.
    let tick: Duration
    let pageGate = StreamGate(limit: 4_000, perName: 6)
    let eventGate = StreamGate(limit: 4_000, perName: 16)

    package init(
        pages: PageService, sessions: SessionQueries, enrolments: EnrolmentService, servers: ServerService, visualHashes: VisualHashes,
        events: any SessionEvents, publicURL: PublicURL, drain: DrainSignal, tick: Duration = .seconds(1),
        clock: @Sendable @escaping () -> Instant
    ) {
        self.pages = pages
        self.enrolments = enrolments
        self.servers = servers
        self.events = events
        self.publicURL = publicURL
        self.drain = drain
        self.tick = tick
        self.clock = clock
        view = PageView(sessions: sessions, enrolments: enrolments, servers: servers, visualHashes: visualHashes, publicURL: publicURL)
    }

    /// Adds the pages to the public router.
    package func add(to router: Router<ServiceRequestContext>) {
        let group = router.group().add(middleware: PageHeaders(isSecure: publicURL.isSecure)).add(middleware: PagePolicy())
        for (path, asset) in Self.assets {
            group.get(RouterPath(path)) { request, _ in asset.response(to: request) }
        }
        group.post("/pages/ticket", use: redeemTicket)
        group.get("/pages/state", use: state)
        group.get("/pages/events", use: stream)
        group.post("/pages/renew", use: renew)
        group.post("/pages/code", use: confirm)
        group.post("/pages/link", use: showLink)
        group.get("/sessions/events", use: sessionEvents)
    }

    /// The page that a request names by `?page=`: every one does, because a browser sends the cookies of all its pages.
    func page(of request: Request, at now: Instant) async throws -> OpenPage {
        try await pages.page(request.uri.queryParameters["page"], in: request.headers, at: now)
    }

    private static let assets: [(path: String, asset: PageAsset)] = [
        ("/login", .login), ("/enrol", .enrol), ("/l", .link), ("/pages/style.css", .style), ("/pages/page.js", .script), ("/pages/icon.svg", .icon),
    ]
}

/// What our own pages can do without beyond the headers that all pages have: no form is sent by a browser, no script makes HTML from text.
struct PagePolicy<Context: RequestContext>: RouterMiddleware {
    private static var policy: String {
        [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'", "form-action 'none'",
            "base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
        ].joined(separator: "; ")
    }

    func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
        var response = try await next(request, context)
        response.headers[.contentSecurityPolicy] = Self.policy
        return response
    }
}
