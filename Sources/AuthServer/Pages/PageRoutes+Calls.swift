import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import OstiaryProtocol

/// What the pages ask, one short call each.
extension PageRoutes {
    /// The ticket of the link becomes the page's cookie, once.
    func redeemTicket(_ request: Request, _ context: ServiceRequestContext) async throws -> Response {
        try pages.checkPost(request.headers)
        try RequestQuery(request).check(knows: [])
        let body = try await decode(TicketBody.self, request)
        let now = clock()
        // Looked at first: the ticket is not used up where nothing can begin.
        let awaited = try await pages.page(awaiting: body.ticket, at: now)
        if let frame = body.frame { try pages.checkFrame(try Self.server(frame, field: "frame"), of: awaited, else: .ticketNotValid) }
        try await domain.sessions.checkKeys(of: awaited.serverID)
        let page = try await pages.redeem(body.ticket, at: now)
        try await begin(page, isNewest: true, at: now)
        var response = Response.object { writer in
            writer.member("kind", page.page.kind.rawValue)
            writer.member("page", page.id.text)
        }
        response.headers[values: .setCookie] = try await pages.cookies(for: page, isFramed: body.frame != nil, in: request.headers)
        return response
    }

    /// The page as it is now, for browsers that no stream reaches.
    func state(_ request: Request, _ context: ServiceRequestContext) async throws -> Response {
        let now = clock()
        let page = try await page(of: request, at: now)
        return .json(try await view.snapshot(of: page, style: .moving, at: now).write)
    }

    /// Begins anew what ran out, was refused, or is not waited for any more; what went well stays.
    func renew(_ request: Request, _ context: ServiceRequestContext) async throws -> Response {
        try pages.checkPost(request.headers)
        let now = clock()
        let page = try await page(of: request, at: now)
        try await pages.countRenewal(of: page, at: now)
        try await begin(page, isNewest: false, at: now)
        return .done
    }

    /// The code that the phone shows. Three wrong ones end the enrolment; what can be no code is not counted.
    func confirm(_ request: Request, _ context: ServiceRequestContext) async throws -> Response {
        try pages.checkPost(request.headers)
        let now = clock()
        let page = try await page(of: request, at: now)
        guard page.page.kind == .enrol else { throw PageRefusal.wrongKind }
        // A code that was right before the logout would be right again, and sound as if somebody were logged in.
        guard !page.isLoggedOut else { throw PageRefusal.noPage }
        let body = try await decode(CodeBody.self, request)
        let server = page.page.serverID
        guard let enrolment = try await domain.enrolments.newest(of: page.nonce, at: server, now: now), page.owns(enrolment) else {
            throw ConfirmationError.nothingToConfirm
        }
        let outcome = try await domain.enrolments.confirm(page.nonce, code: body.code, of: enrolment.id, at: server, by: .page, now: now)
        switch outcome {
        case .activated: return Self.told("done")
        case .wrong(let left): return Self.told("wrong", left: Int(left))
        case .removed: return Self.told("over")
        }
    }

    /// What became of a code that was typed.
    private static func told(_ outcome: String, left: Int? = nil) -> Response {
        .object { writer in
            writer.member("outcome", outcome)
            writer.member("left", number: left)
        }
    }

    /// The code that a phone without a connection shows, for the session that this page shows and no other (protocol §9). The page goes on by what it is told
    /// next, as after a yes on the phone.
    func typeCode(_ request: Request, _ context: ServiceRequestContext) async throws -> Response {
        try pages.checkPost(request.headers)
        let page = try await page(of: request, at: clock())
        guard page.page.kind == .login else { throw PageRefusal.wrongKind }
        guard !page.isLoggedOut else { throw PageRefusal.noPage }
        let body = try await decode(CodeBody.self, request)
        // By the clock of now: a body that trickles makes no code of before a good one.
        do {
            _ = try await domain.offlineCodes.logIn(
                body.code, for: page.nonce, page: page.cookie.hash, at: page.page.serverID, by: .page, now: clock())
            return Self.told("done")
        } catch OfflineCodeRefusal.wrong(let left) {
            return Self.told("wrong", left: left)
        } catch OfflineCodeRefusal.sessionSpent {
            return Self.told("wrong", left: 0)
        }
    }

    /// What a link is for that was opened in a browser instead of the app, and its QR code where an app that scans it now would be let in. The link
    /// is of our making, so nothing is told that its holder does not know.
    func showLink(_ request: Request, _ context: ServiceRequestContext) async throws -> Response {
        try pages.checkPost(request.headers)
        try RequestQuery(request).check(knows: [])
        let body = try await decode(LinkBody.self, request)
        guard body.link.utf8.count <= 512, let bytes = Base64URL.decode(body.link), let link = try? Link(decoding: bytes),
            let server = try await server(of: link, at: clock())
        else { throw PageRefusal.linkNotValid }
        let code = link.isScanned ? PageCode(bytes: Array(Link.text(of: bytes, at: publicURL.description).utf8)) : nil
        return .object { writer in
            writer.member("server", server.name)
            if let code {
                writer.name("code")
                code.write(to: &writer)
            }
            writer.member("color", server.color?.text)
            writer.member("colordark", server.colorDark?.text)
            if let app = AppPlaces(server) {
                writer.name("app")
                app.write(to: &writer)
            }
        }
    }

    /// - Throws: also ``PageRefusal/noPage``, when the site has logged out since the page was found.
    func begin(_ page: OpenPage, isNewest: Bool, at now: Instant) async throws {
        if let link = try await view.begin(page, isNewest: isNewest, at: now) { try await view.keep(link, for: page, at: now) }
        // A session has begun before this look: the logout that comes after it finds the session, and after one that came before nobody sees its code.
        if page.page.kind == .login, try await pages.page(of: page.cookie, at: now).isLoggedOut { throw PageRefusal.noPage }
    }

    /// The virtual server that made a link; nil when none of ours did, or when no phone can enrol by it any more.
    private func server(of link: Link, at now: Instant) async throws -> ServerParameters? {
        for server in try await domain.servers.virtualServers() {
            let root = try await view.root(of: server.id)
            let isOurs =
                switch link {
                case .enrol(let link) where link.rootHash == root.hash && link.url == publicURL.description:
                    try await domain.enrolments.isOpen(link, at: server.id, now: now)
                case .upgrade(let link) where link.enrol.rootHash == root.hash && link.enrol.url == publicURL.description:
                    try await domain.enrolments.isOpen(link.enrol, at: server.id, now: now)
                case .login(let link) where link.value.serverTag == root.tag: try await domain.sessions.isGenuine(link, at: server.id)
                case .enrol, .upgrade, .login: false
                }
            if isOurs { return server.parameters }
        }
        return nil
    }
}

extension PageRoutes {
    /// Bytes of a body; what pages send is a fraction of it.
    static let bodyLimit = 2_048

    private func decode<Body: JSONFields>(_: Body.Type, _ request: Request) async throws -> Body {
        try JSONBody.decode(Body.self, from: try await request.bytes(limit: Self.bodyLimit))
    }
}

extension Link {
    /// Whether an app takes it from a screen. A login that is to be tapped is refused there: whoever drew its code on a screen may have had it
    /// sent to him (protocol §3).
    fileprivate var isScanned: Bool {
        switch self {
        case .enrol, .upgrade: true
        case .login: false
        }
    }
}

private struct TicketBody: JSONFields {
    enum Field: String, CodingKey, CaseIterable { case ticket, frame }

    let ticket: String
    /// The virtual server in the address of the frame; nil for a window of its own, also of a page that was meant for a frame.
    let frame: String?
}

private struct CodeBody: JSONFields {
    enum Field: String, CodingKey, CaseIterable { case code }

    let code: String
}

private struct LinkBody: JSONFields {
    enum Field: String, CodingKey, CaseIterable { case link }

    let link: String
}
