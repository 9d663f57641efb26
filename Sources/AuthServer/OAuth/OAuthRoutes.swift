import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import Logging
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

/// The provider's endpoints: of every virtual server at which an operator made an application or an API, and of no other.
package struct OAuthRoutes: Sendable {
    let domain: OAuthServices
    let addresses: ProviderAddresses
    /// Whether proofs need a nonce of ours (RFC 9449 §8).
    let asksNonce: Bool
    let clock: @Sendable () -> Instant
    /// Asks people on their phones.
    let waiting: WaitingLogins
    let texts: PageTexts
    let documents: ProviderDocuments
    let alarms = LineLimit<String>(burst: 20)

    /// - Parameter documents: told of what the store of `domain` writes into the audit trail.
    package init(
        domain: OAuthServices, waiting: WaitingLogins, addresses: ProviderAddresses, documents: ProviderDocuments, asksNonce: Bool = false,
        clock: @Sendable @escaping () -> Instant
    ) {
        self.domain = domain
        self.documents = documents
        self.addresses = addresses
        self.asksNonce = asksNonce
        self.clock = clock
        self.waiting = waiting
        texts = PageTexts()
    }

    /// Every endpoint, in the order of docs/oauth.md. What a program in a browser needs of another site's provider may be called from there.
    private var table: [OAuthRoute] {
        [
            OAuthRoute(.token, [.post], isForOtherSites: true, token), OAuthRoute(.pushedRequests, [.post], push),
            OAuthRoute(.deviceAuthorization, [.post], authorizeDevice), OAuthRoute(.backchannelAuthentication, [.post], askOnPhone),
            OAuthRoute(.introspection, [.post], introspect), OAuthRoute(.revocation, [.post], isForOtherSites: true, revoke),
            OAuthRoute(.userInfo, [.get, .post], isForOtherSites: true, userInfo), configuration,
            OAuthRoute(.keys, [.get], isForOtherSites: true, keys), OAuthRoute(.registration, [.post], isForOtherSites: true, register),
        ]
    }

    private var configuration: OAuthRoute { OAuthRoute(.metadata, [.get], isForOtherSites: true, metadata) }

    /// Adds the endpoints to the public router, for the first virtual server and for all others.
    package func add(to router: Router<ServiceRequestContext>) {
        let folder = ProviderAddresses.folder + "/{server}"
        for place in ["", folder] {
            for route in table { add(route, at: place + route.path.rawValue, to: router) }
            // RFC 8414 §3.1 inserts its name before the path of an issuer, where OpenID Connect Discovery §4 appends.
            add(configuration, at: "/.well-known/oauth-authorization-server" + place, to: router)
        }
        add(configuration, at: ProviderPath.metadata.rawValue + folder, to: router)
    }

    private func add(_ route: OAuthRoute, at address: String, to router: Router<ServiceRequestContext>) {
        for method in route.methods {
            router.on(RouterPath(address), method: method) { request, context in try await answer(route, request, context) }
        }
        guard route.isForOtherSites else { return }
        router.on(RouterPath(address), method: .options) { _, _ in OtherSites.preflight(for: route.methods) }
    }

    /// What is thrown becomes an answer outside of here; without these fields a program in a browser would not even learn its status.
    private func answer(_ route: OAuthRoute, _ request: Request, _ context: ServiceRequestContext) async throws -> Response {
        RequestTrace.current?.describeErrors()
        do { return try await handled(route, request, context) } catch {
            if route.isForOtherSites { RequestTrace.current?.addToErrors(OtherSites.fields) }
            throw error
        }
    }

    private func handled(_ route: OAuthRoute, _ request: Request, _ context: ServiceRequestContext) async throws -> Response {
        guard let server = addresses.server(named: context.parameters.get("server")) else { throw ErrorResponse.notFound }
        // Where there is no provider nothing else is said.
        let nonces = try await domain.proofNonces(of: server)
        RequestTrace.current?.note(.server, server.text)
        let call = OAuthCall(
            request: request, server: server, target: try addresses.target(route.path, of: server), nonces: nonces, asksNonce: asksNonce,
            now: clock(), place: context.place, logger: context.logger)
        let nonce = asksNonce && call.hasProof ? nonces.current(at: call.now) : nil
        do {
            var response = try await route.handler(call)
            if let nonce { response.headers[.dpopNonce] = nonce }
            if route.isForOtherSites { OtherSites.allow(&response) }
            return response
        } catch {
            if let nonce { RequestTrace.current?.addToErrors([.dpopNonce: nonce]) }
            throw error
        }
    }
}

/// Before an operator makes an application or an API there is nothing.
extension NoProvider: ErrorResponseConvertible {
    package var errorResponse: ErrorResponse { .notFound }
}

/// One endpoint: its name below the issuer, and who may call it how.
struct OAuthRoute: Sendable {
    let path: ProviderPath
    let methods: [HTTPRequest.Method]
    let isForOtherSites: Bool
    let handler: @Sendable (OAuthCall) async throws -> Response

    init(
        _ path: ProviderPath, _ methods: [HTTPRequest.Method], isForOtherSites: Bool = false,
        _ handler: @Sendable @escaping (OAuthCall) async throws -> Response
    ) {
        self.path = path
        self.methods = methods
        self.isForOtherSites = isForOtherSites
        self.handler = handler
    }
}
