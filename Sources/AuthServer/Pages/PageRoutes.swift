import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import OstiaryProtocol

/// The public pages, what they ask, and the stream of session events.
///
/// A page holds no authority: it shows what happens to the session of one nonce, and hands over the code of an enrolment. Its cookie is
/// never sent by other sites, and whatever it changes is a POST whose origin is checked.
package struct PageRoutes: Sendable {
    let domain: AuthenticationServices
    let pages: PageService
    let view: PageView
    let publicURL: PublicURL
    let drain: DrainSignal
    let clock: @Sendable () -> Instant
    let ticker: PageTicker
    let texts: PageTexts
    let pageGate: StreamGate
    let eventGate: StreamGate

    /// - Parameters:
    ///   - tick: of the streams: a second, less in tests.
    ///   - logger: where the operator reads that there are no more streams.
    package init(
        domain: AuthenticationServices, pages: PageService, visualHashes: VisualHashes, publicURL: PublicURL, drain: DrainSignal,
        tick: Duration = .seconds(1), logger: Logger, clock: @Sendable @escaping () -> Instant
    ) {
        self.domain = domain
        self.pages = pages
        self.publicURL = publicURL
        self.drain = drain
        ticker = PageTicker(every: tick)
        texts = PageTexts()
        self.clock = clock
        pageGate = StreamGate(limit: 4_000, perName: 6, perPeer: 2_000, told: LimitLog(of: "/pages/events", logger))
        eventGate = StreamGate(limit: 4_000, perName: 16, perPeer: 2_000, givesWay: true, told: LimitLog(of: "/sessions/events", logger))
        view = PageView(domain: domain, pages: pages, visualHashes: visualHashes, publicURL: publicURL)
    }

    /// What stands around the public router, its errors included. To be added first of all.
    package func addMiddleware(to router: Router<ServiceRequestContext>) {
        router.add(middleware: PagePolicy(isSecure: publicURL.isSecure))
        router.add(
            middleware: ErrorPages { [texts] request, isMissing in
                texts.asset(isMissing ? .missing : .trouble, in: PageLanguage(of: request)).bytes
            })
    }

    /// Adds the pages to the public router.
    package func add(to router: Router<ServiceRequestContext>) {
        for (path, page) in [("/login", PageSource.Page.login), ("/enrol", .enrol), ("/l", .link)] {
            router.get(RouterPath(path)) { [texts] request, _ in texts.response(page, to: request) }
        }
        for path in ["/pages/icon.svg", "/favicon.ico"] { router.get(RouterPath(path)) { request, _ in PageAsset.icon.response(to: request) } }
        // What browsers get is made of the files when the first of them asks.
        for name in PageAsset.styleFiles.keys {
            router.get(RouterPath("/pages/\(name).css")) { request, _ in (PageAsset.styles[name] ?? .none).response(to: request) }
        }
        for name in PageAsset.scriptFiles.keys {
            router.get(RouterPath("/pages/\(name).js")) { request, _ in (PageAsset.scripts[name] ?? .none).response(to: request) }
        }
        router.get("/embed/{server}", use: frame)
        router.get("/ostiary-login.js") { request, _ in PageAsset.element.publicResponse(to: request) }
        router.post("/pages/ticket", use: redeemTicket)
        router.get("/pages/state", use: state)
        router.get("/pages/events", use: stream)
        router.post("/pages/renew", use: renew)
        router.post("/pages/code", use: confirm)
        router.post("/pages/otp", use: typeCode)
        router.get("/pages/typed.json") { [texts] request, _ in texts.typedTexts(to: request) }
        router.post("/pages/link", use: showLink)
        router.get("/sessions/events", use: sessionEvents)
    }

    /// The login page for a frame, and who may have it there; nothing where the virtual server allows nobody.
    private func frame(_ request: Request, _ context: ServiceRequestContext) async throws -> Response {
        guard let server = context.parameters.get("server").flatMap({ ServerID(text: $0) }) else { throw ErrorResponse.notFound }
        let origins = try await domain.servers.virtualServer(server).parameters.frameOrigins
        guard !origins.isEmpty else { throw ErrorResponse.notFound }
        var response = texts.response(.embed, to: request)
        response.headers[.contentSecurityPolicy] = PageFrame.policy(origins)
        return response
    }

    /// The page that a request names by `?page=`: every one does, because a browser sends the cookies of all its pages. One that is made in a frame says
    /// by `frame=` in which: sites at other names of the login server's own site have the browser send the cookies of all pages there.
    /// - Parameter words: what else the query may say. A parameter that is not known, or comes twice, is refused: a frame that says `Frame=` has not said
    ///   that it is one.
    func page(of request: Request, knowing words: [String] = [], at now: Instant) async throws -> OpenPage {
        let query = RequestQuery(request)
        try query.check(knows: ["page", "frame"] + words)
        let page = try await pages.page(query.value("page"), in: request.headers, at: now)
        if let frame = try query.value("frame") { try pages.checkFrame(try Self.server(frame, field: "frame"), of: page.page, else: .noPage) }
        return page
    }
}

extension LimitLog {
    /// Of the streams of one address, which the public listener has.
    fileprivate convenience init(of route: String, _ logger: Logger) {
        var logger = logger
        logger[metadataKey: LogKey.route.rawValue] = "\(route)"
        self.init(logger: logger, listener: "public")
    }
}
