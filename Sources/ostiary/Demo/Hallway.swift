import Foundation
import HTTPService
import HTTPTypes
import Hummingbird
import OstiaryProtocol

/// The demonstration's website, a business site with a hallway that people enter with their phone.
///
/// It does what a site of yours would do: keeps a nonce for each visitor, asks the management interface who is logged in, and sends the
/// browser to the pages of the authentication server. The nonce never leaves this process.
struct Hallway: Sendable {
    let backend: DemoBackend
    let origin: String
    /// Where the browser is sent to enrol and log in.
    let authenticationOrigin: String
    private let visitors = Visitors()

    init(backend: DemoBackend, origin: String, authenticationOrigin: String) {
        self.backend = backend
        self.origin = origin
        self.authenticationOrigin = authenticationOrigin
    }

    /// The routes of the site.
    var router: Router<ServiceRequestContext> {
        let router = Router(context: ServiceRequestContext.self)
        router.add(middleware: PageHeaders(isSecure: false))
        router.add(middleware: ErrorPages(missing: Array(HallwayPage.missing.utf8), other: Array(HallwayPage.trouble.utf8)))
        router.addServiceMiddleware()
        router.get("/") { request, _ in try await home(request) }
        router.get("/style.css") { _, _ in
            Response(status: .ok, headers: [.contentType: "text/css"], body: ResponseBody(byteBuffer: ByteBuffer(string: HallwayPage.style)))
        }
        router.post("/enrol") { request, context in
            let form = try await URLEncodedFormDecoder().decode(EnrolForm.self, from: request, context: context)
            return try await send(request) { nonce in
                try await backend.page(nonce, ["kind": "enrol", "name": form.name, "userid": form.name.lowercased(), "returnurl": origin + "/"])
            }
        }
        router.post("/login") { request, _ in
            try await send(request) { nonce in try await backend.page(nonce, ["kind": "login", "returnurl": origin + "/"]) }
        }
        router.post("/logout") { request, _ in
            if let nonce = await visitors.nonce(of: request) { try await backend.logOut(nonce) }
            return redirect(to: "/", cookie: await visitors.welcome().cookie)
        }
        return router
    }

    private struct EnrolForm: Decodable {
        let name: String
    }

    private func home(_ request: Request) async throws -> Response {
        guard let nonce = await visitors.nonce(of: request) else { return redirect(to: "/", cookie: await visitors.welcome().cookie) }
        let status = try await backend.session(nonce)
        let page = status.loggedin ? HallwayPage.inside(status.userid ?? "somebody", amr: status.amr ?? []) : HallwayPage.outside
        // Browsers apply `form-action` to where a form's answer redirects as well.
        let policy = "default-src 'none'; style-src 'self'; form-action 'self' \(authenticationOrigin); base-uri 'none'; frame-ancestors 'none'"
        let headers: HTTPFields = [.contentType: "text/html; charset=utf-8", .contentSecurityPolicy: policy]
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: page)))
    }

    /// Sends the browser on to a page that is made for its visitor. A form of another site has no visitor: its cookie stays at home.
    private func send(_ request: Request, _ address: (String) async throws -> String) async throws -> Response {
        guard let nonce = await visitors.nonce(of: request) else { return redirect(to: "/", cookie: await visitors.welcome().cookie) }
        return redirect(to: try await address(nonce), cookie: nil)
    }

    private func redirect(to address: String, cookie: String?) -> Response {
        var headers: HTTPFields = [.location: address]
        if let cookie { headers[.setCookie] = "hallway=\(cookie); HttpOnly; SameSite=Lax; Path=/" }
        return Response(status: .seeOther, headers: headers)
    }
}

/// Who has which cookie, and which nonce that stands for.
private actor Visitors {
    private var nonces: [String: String] = [:]
    private var order: [String] = []

    /// A new visitor. The oldest of a thousand is forgotten.
    func welcome() -> (cookie: String, nonce: String) {
        let (cookie, nonce) = (ManagementClient.newNonce(), ManagementClient.newNonce())
        nonces[cookie] = nonce
        order.append(cookie)
        if order.count > 1_000 { nonces[order.removeFirst()] = nil }
        return (cookie, nonce)
    }

    func nonce(of request: Request) -> String? { request.cookies["hallway"].flatMap { nonces[$0.value] } }
}
