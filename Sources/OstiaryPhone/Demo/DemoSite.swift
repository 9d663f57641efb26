import Foundation
import HTTPService
import HTTPTypes
import Hummingbird
import OstiaryProgram
import OstiaryProtocol

/// The demonstration's website, a business site with a hallway that people enter with their phone.
///
/// It does what a site of yours has to do (docs/rest-api.md, the five rules): keeps a nonce for each browser's cookie, hands in the code that
/// a browser comes back with, asks the management interface who is logged in, and believes nothing else. The nonce never leaves this process.
struct DemoSite: Sendable {
    let backend: DemoBackend
    let origin: String
    /// Where the browser is sent to enrol and log in.
    let authenticationOrigin: String
    /// Origin of the page that may show the site in a frame; nil where none may.
    private let framedBy: PublicURL?
    /// Is told what visitors do.
    private let happened: @Sendable (Happened) -> Void
    private let visitors: Visitors

    /// What visitors of the site do.
    enum Happened: Sendable, Equatable {
        case enrolled
        case loggedIn
        /// With the button of the site.
        case loggedOut
        case ended(SessionEnd)
    }

    init(
        backend: DemoBackend, origin: String, authenticationOrigin: String, framedBy: PublicURL? = nil,
        happened: @Sendable @escaping (Happened) -> Void = { _ in }
    ) {
        self.backend = backend
        self.origin = origin
        self.authenticationOrigin = authenticationOrigin
        self.framedBy = framedBy
        self.happened = happened
        visitors = Visitors(isSecure: origin.hasPrefix("https://"))
    }

    /// The routes of the site.
    var router: Router<ServiceRequestContext> {
        let router = Router(context: ServiceRequestContext.self)
        router.add(middleware: PageHeaders(isSecure: origin.hasPrefix("https://"), frameAncestors: [framedBy].compactMap(\.self)))
        router.add(middleware: ErrorPages(missing: Array(DemoSitePages.missing.utf8), other: Array(DemoSitePages.trouble.utf8)))
        router.addServiceMiddleware()
        router.get("/") { request, _ in try await home(request) }
        router.get("/welcome") { request, _ in try await welcome(request) }
        router.get("/session") { request, _ in try await session(request) }
        router.get("/style.css") { _, _ in Self.asset(DemoSitePages.style, "text/css") }
        router.get("/hallway.js") { _, _ in Self.asset(DemoSitePages.script, "text/javascript") }
        router.post("/enrol") { request, _ in try await enrol(request) }
        router.post("/login") { request, _ in
            try await send(request) { nonce in try await backend.page(nonce, ["kind": "login", "returnurl": origin + "/welcome"]) }
        }
        router.post("/logout") { request, _ in
            try checkOrigin(request)
            if let nonce = await visitors.leave(request) {
                try await backend.logOut(nonce)
                happened(.loggedOut)
            }
            return redirect(to: "/", cookie: await visitors.arrive().cookie)
        }
        return router
    }

    private static let longestForm = 4_096

    private struct EnrolForm: Decodable {
        let name: String
    }

    private func home(_ request: Request) async throws -> Response {
        guard let nonce = await visitors.nonce(of: request) else {
            return redirect(to: request.uri.query.map { "/?\($0)" } ?? "/", cookie: await visitors.arrive().cookie)
        }
        // A login counts when getSession says so, and in no other state.
        let (status, text, end) = try await look(nonce)
        let query = request.uri.queryParameters
        let trouble = DemoSitePages.Trouble.allCases.first { query[$0.rawValue[...]] != nil }
        let page =
            status.loggedin
            ? DemoSitePages.inside(status.userid ?? "somebody", amr: status.amr ?? [], answer: text)
            : DemoSitePages.outside(trouble, end: end, answer: text)
        // Browsers apply `form-action` to where a form's answer redirects as well.
        let policy = [
            "default-src 'none'", "style-src 'self'", "script-src 'self'", "connect-src 'self'", "form-action 'self' \(authenticationOrigin)",
            "base-uri 'none'", "frame-ancestors \(framedBy?.description ?? "'none'")",
        ]
        // Under `no-referrer` a browser would not say either that a form of this page is ours: its Origin would be `null`.
        let headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .contentSecurityPolicy: policy.joined(separator: "; "),
            HTTPField.Name("Referrer-Policy")!: "same-origin",
        ]
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: page)))
    }

    /// Which names there are says the authentication server; whoever typed another one is told so on the page that they came from.
    private func enrol(_ request: Request) async throws -> Response {
        try checkOrigin(request)
        let form = String(decoding: try await request.bytes(limit: Self.longestForm), as: UTF8.self)
        let badName = redirect(to: "/?\(DemoSitePages.Trouble.name)", cookie: nil)
        guard let name = try? URLEncodedFormDecoder().decode(EnrolForm.self, from: form).name else { return badName }
        do {
            return try await send(request) { nonce in
                try await backend.page(nonce, ["kind": "enrol", "name": name, "userid": name.lowercased(), "returnurl": origin + "/"])
            }
        } catch DemoError.unexpectedAnswer(_, 400) {
            return badName
        }
    }

    /// What the page asks every other second, to notice that a session is over: the answer of `getSession` as it came.
    private func session(_ request: Request) async throws -> Response {
        guard let nonce = await visitors.nonce(of: request) else { return .json { $0.object { $0.member("session", "{\"loggedin\":false}") } } }
        let (status, text, _) = try await look(nonce)
        return .object { writer in
            writer.member("loggedin", status.loggedin)
            writer.member("session", text)
        }
    }

    /// Asks `getSession`, and tells whoever listens what has changed.
    private func look(_ nonce: String) async throws -> (status: DemoBackend.Status, text: String, end: SessionEnd?) {
        let (status, text) = try await backend.spelledSession(nonce)
        let heard = await visitors.hear(status, of: nonce, at: Instant.now.seconds)
        if heard.isNew { happened(status.binding == "enrolment" ? .enrolled : .loggedIn) }
        if let end = heard.end { happened(.ended(end)) }
        return (status, text, heard.end)
    }

    private static func asset(_ text: String, _ type: String) -> Response {
        Response(status: .ok, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// A browser comes back from a login page with a code. Whose login that is says its own cookie, never the address; without one it is
    /// nobody's, and the code is handed in all the same, which spends it. The answer leads to an address without the code.
    private func welcome(_ request: Request) async throws -> Response {
        guard let code = request.uri.queryParameters["returncode"] else { return redirect(to: "/", cookie: nil) }
        let visitor = await visitors.visitor(of: request)
        guard try await backend.handIn(visitor.nonce, code: String(code)) else {
            return redirect(to: "/?\(DemoSitePages.Trouble.again)", cookie: visitor.isNew ? visitor.cookie : nil)
        }
        // Whoever knew the cookie of before the login does not know the one of after.
        return redirect(to: "/", cookie: await visitors.change(visitor.cookie))
    }

    /// Sends the browser on to a page that is made for its visitor.
    private func send(_ request: Request, _ address: (String) async throws -> String) async throws -> Response {
        try checkOrigin(request)
        guard let nonce = await visitors.nonce(of: request) else { return redirect(to: "/", cookie: await visitors.arrive().cookie) }
        return redirect(to: try await address(nonce), cookie: nil)
    }

    /// A form of another site starts nothing here: browsers say where a POST comes from.
    private func checkOrigin(_ request: Request) throws {
        guard request.headers[.origin] == origin else {
            throw HTTPError(.forbidden, message: "this form belongs to another site: open \(origin) and start there")
        }
    }

    private func redirect(to address: String, cookie: String?) -> Response {
        var headers: HTTPFields = [.location: address]
        if let cookie { headers[.setCookie] = visitors.setting(cookie) }
        return Response(status: .seeOther, headers: headers)
    }
}
