import HTTPService
import HTTPTypes
import Hummingbird

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
