import HTTPService
import HTTPTypes
import Hummingbird

/// Decides who may speak to the phones: the page itself, and nobody else on this machine or in this browser.
///
/// A name of some website that is pointed at 127.0.0.1 fails by its `Host` (DNS rebinding), another site by its `Origin`, and whoever does not have the
/// address, another user of the machine for example, by the secret. The secret comes in a header, which no form and no link can set.
struct PhonePageGuard<Context: RequestContext>: RouterMiddleware {
    private let authority: String
    private let origin: String
    private let secret: SecretText
    private let open: Set<String>

    /// - Parameters:
    ///   - authority: host and port that the page has in its address; no other name of the same machine counts.
    ///   - open: paths of files that are no secret, and say nothing of any phone.
    init(authority: String, secret: SecretText, open: Set<String>) {
        self.authority = authority
        origin = "http://\(authority)"
        self.secret = secret
        self.open = open
    }

    func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
        if let refusal = refusal(of: request.head) { throw refusal }
        return try await next(request, context)
    }

    /// Nil for what may pass.
    func refusal(of head: HTTPRequest) -> ErrorResponse? {
        guard head.authority == authority else { return .otherHost }
        let origins = head.headerFields[values: .origin]
        let isReading = head.method == .get || head.method == .head
        // A browser says where a call comes from unless it only reads within one site.
        guard origins.allSatisfy({ $0 == origin }), isReading || !origins.isEmpty else { return .otherOrigin }
        let path = head.path.map { String($0.prefix { $0 != "?" }) } ?? ""
        if isReading, open.contains(path) { return nil }
        let secrets = head.headerFields[values: .phonePage]
        guard let told = secrets.first, secrets.count == 1, secret.matches(told) else { return .unauthorized }
        return nil
    }
}

extension HTTPField.Name {
    /// Carries the secret of the page's address.
    static let phonePage = HTTPField.Name("X-Phone-Page")!
}

extension ErrorResponse {
    static let otherHost = ErrorResponse(.misdirectedRequest, "other_host", "the phone page has one address, and this is another")
    static let otherOrigin = ErrorResponse(.forbidden, "other_origin", "only the phone page itself may do this")
}

/// The headers of the page: nothing from elsewhere, nothing inline, no script that makes HTML from text, and in a frame only where that was allowed.
struct PhonePagePolicy<Context: RequestContext>: RouterMiddleware {
    private let headers: PageHeaders<Context>
    private let policy: String

    /// - Parameter framedBy: origins that may show the page in a frame.
    init(framedBy: [PublicURL]) {
        headers = PageHeaders(isSecure: false, frameAncestors: framedBy)
        let ancestors = framedBy.isEmpty ? "'none'" : framedBy.map(\.description).joined(separator: " ")
        policy = [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'", "form-action 'none'",
            "base-uri 'none'", "frame-ancestors \(ancestors)", "require-trusted-types-for 'script'", "trusted-types 'none'",
        ].joined(separator: "; ")
    }

    func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
        var response = try await next(request, context)
        response.headers[.contentSecurityPolicy] = policy
        headers.add(to: &response)
        return response
    }
}
