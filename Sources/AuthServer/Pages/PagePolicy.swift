import Authentication
import HTTPService
import HTTPTypes
import Hummingbird

/// The headers of whatever a browser gets here, refusals included: those of all pages, and what our own can do without beyond them. No form is
/// sent by a browser, no script makes HTML from text, and no site shows it in a frame, but for the page whose route has said who may.
///
/// What phones are answered is none of a browser's business and goes without.
struct PagePolicy<Context: RequestContext>: RouterMiddleware {
    private let headers: PageHeaders<Context>

    init(isSecure: Bool) { headers = PageHeaders(isSecure: isSecure) }

    func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
        var response = try await next(request, context)
        guard !request.uri.path.hasPrefix("/ap1") else { return response }
        let mayBeFramed = response.headers[.contentSecurityPolicy] != nil
        if !mayBeFramed { response.headers[.contentSecurityPolicy] = PageFrame.policy([]) }
        headers.add(to: &response)
        // It cannot name sites, only refuse them all.
        if mayBeFramed { response.headers[.xFrameOptions] = nil }
        return response
    }
}

/// Who may show a page in a frame.
enum PageFrame {
    /// The policy of a page that these sites may show: all of them in a row, should there be frames in frames.
    static func policy(_ origins: [FrameOrigin]) -> String {
        let ancestors = origins.isEmpty ? "'none'" : origins.map(\.text).joined(separator: " ")
        return [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'", "form-action 'none'",
            "base-uri 'none'", "frame-ancestors \(ancestors)", "require-trusted-types-for 'script'", "trusted-types 'none'",
        ].joined(separator: "; ")
    }
}
