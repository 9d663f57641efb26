import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import OAuthProvider
import OstiaryProtocol

/// The authorization endpoint, and the pages of the provider: what stands at the issuer of each virtual server for browsers and their people.
package struct AuthorizeRoutes: Sendable {
    let oauth: OAuthServices
    let domain: AuthenticationServices
    let pages: PageService
    let random: any RandomSource
    let clock: @Sendable () -> Instant
    let texts: PageTexts
    let cookies: ProviderCookies
    /// Of authorization requests that are refused by redirect, for each reason.
    let refusals = LineLimit<String>(burst: 20)
    private let addresses: ProviderAddresses

    /// Bytes of a body: an authorization request that is posted, or what our own pages send, which may hold the address of a logout.
    static let bodyLimit = 16_384

    package init(
        oauth: OAuthServices, domain: AuthenticationServices, pages: PageService, addresses: ProviderAddresses, publicURL: PublicURL,
        random: any RandomSource, clock: @Sendable @escaping () -> Instant
    ) {
        self.oauth = oauth
        self.domain = domain
        self.pages = pages
        self.addresses = addresses
        self.random = random
        self.clock = clock
        texts = PageTexts()
        cookies = ProviderCookies(isSecure: publicURL.isSecure)
    }

    /// Adds them to the public router: the first virtual server's at the root, those of the others below the folder of each.
    package func add(to router: Router<ServiceRequestContext>) {
        for folder in ["", "\(ProviderAddresses.folder)/{server}"] {
            let path = { (name: String) in RouterPath(folder + name) }
            let acting = [
                (ProviderPath.authorization.rawValue, page(authorize)), ("/authorize/continue", page(goOn)), ("/authorize/cancel", page(cancel)),
                (ProviderPath.endSession.rawValue, page(logOut)),
            ]
            for (name, answer) in acting {
                router.get(path(name), use: answer)
                router.on(path(name), method: .head, use: page { _ in Self.isThere })
            }
            router.post(path(ProviderPath.authorization.rawValue), use: page(turned))
            router.get(path("/authorize/consent"), use: page(questionPage))
            router.get(path("/authorize/state"), use: call(state))
            router.post(path("/authorize/decision"), use: call(decide))
            router.get(path(ProviderPath.verification.rawValue), use: page { [texts] call in texts.response(.device, to: call.request) })
            router.post(path("/device/code"), use: call(typeCode))
            router.post(path(ProviderPath.endSession.rawValue), use: page(turned))
            router.get(path("/logout/done"), use: page { [texts] call in texts.response(.logout, to: call.request) })
            router.post(path("/logout/decision"), use: call(decideLogout))
        }
    }

    private typealias Handler = @Sendable (Request, ServiceRequestContext) async throws -> Response

    /// A call of a page's script.
    private func call(_ answer: @Sendable @escaping (BrowserCall) async throws -> Response) -> Handler {
        { request, context in
            guard let server = addresses.server(named: context.parameters.get("server")) else { throw ErrorResponse.notFound }
            // Where there is no provider nothing else is said.
            _ = try await oauth.proofNonces(of: server)
            let call = BrowserCall(
                request, server: server, from: context.place, issuer: addresses.issuer(of: server), now: clock(), logger: context.logger)
            do { return try await answer(call) } catch { throw VisitRefusal(error) ?? error }
        }
    }

    /// An address that people open: they are told on a page what became of it.
    private func page(_ answer: @Sendable @escaping (BrowserCall) async throws -> Response) -> Handler {
        call { call in
            do { return try await answer(call) } catch {
                guard let refusal = VisitRefusal(error) else { throw error }
                RequestTrace.current?.note(.reason, refusal.reason)
                return texts.problem(refusal, in: call.language())
            }
        }
    }

    /// A request that came by POST is answered at the same address by GET: a form of another site brings no cookie, and the redirect does.
    private func turned(_ call: BrowserCall) async throws -> Response {
        guard call.headers.mediaType == OAuthCall.form else {
            throw VisitRefusal.refused("a request that is posted is a form, \(OAuthCall.form)")
        }
        let body = try await call.request.bytes(limit: Self.bodyLimit)
        guard let parameters = FormText.parameters(body) else { throw VisitRefusal.refused("the form is not what its type says") }
        let query = parameters.map { "\(AuthorizeResponse.escaped($0.name))=\(AuthorizeResponse.escaped($0.value))" }.joined(separator: "&")
        let path = call.request.uri.path
        guard path.utf8.count + query.utf8.count < ServiceLimits.standard.uri else { throw VisitRefusal.refused("the request is too long") }
        return Self.redirect(to: query.isEmpty ? path : "\(path)?\(query)")
    }

    /// What HEAD hears where a GET begins, gives or ends something: only that the address is there. HEAD is safe (RFC 9110 §9.2.1), and comes from what
    /// looks at a link before a person opens it.
    private static var isThere: Response { Response(status: .ok, headers: [.cacheControl: "no-store"]) }

    /// The browser goes there, by GET whatever it came with.
    static func redirect(to location: String) -> Response { Response(status: .seeOther, headers: [.location: location]) }

    func logins(of call: BrowserCall) -> BrowserLogins {
        BrowserLogins(domain: domain, pages: pages, server: call.server, secrets: cookies.logins(at: call.server, in: call.headers))
    }
}
