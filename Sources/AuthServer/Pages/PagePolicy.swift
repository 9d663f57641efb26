import HTTPService
import HTTPTypes
import Hummingbird

/// The headers of whatever a browser gets here, refusals included: those of all pages, and what our own can do without beyond them. No form is
/// sent by a browser, no script makes HTML from text.
///
/// What phones are answered is none of a browser's business and goes without.
struct PagePolicy<Context: RequestContext>: RouterMiddleware {
    private let headers: PageHeaders<Context>

    init(isSecure: Bool) { headers = PageHeaders(isSecure: isSecure) }

    private static var policy: String {
        [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'", "form-action 'none'",
            "base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
        ].joined(separator: "; ")
    }

    func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
        var response = try await next(request, context)
        guard !request.uri.path.hasPrefix("/ap1") else { return response }
        response.headers[.contentSecurityPolicy] = Self.policy
        headers.add(to: &response)
        return response
    }
}
