import Authentication
import HTTPService
import HTTPTypes
import Hummingbird

/// The headers of whatever a browser gets here, refusals included: those of all pages, and what our own can do without beyond them. No form is
/// sent by a browser, no script makes HTML from text, and no site shows it in a frame, but where the route of a page has said to whom, or who may.
///
/// What phones are answered is none of a browser's business and goes without.
struct PagePolicy<Context: RequestContext>: RouterMiddleware {
    private let headers: PageHeaders<Context>
    /// Of every answer whose route says nothing else.
    private let usual = HTTPField(name: .contentSecurityPolicy, value: PageFrame.policy([]))

    init(isSecure: Bool) { headers = PageHeaders(isSecure: isSecure) }

    func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
        var response = try await next(request, context)
        guard !request.uri.path.hasPrefix("/ap1") else { return response }
        guard let policy = response.headers[.contentSecurityPolicy] else {
            response.headers.append(usual)
            headers.add(to: &response)
            return response
        }
        headers.add(to: &response)
        // It cannot name sites, only refuse them all.
        if !policy.contains(PageFrame.ancestors([])) { response.headers[.xFrameOptions] = nil }
        return response
    }
}

/// Who may show a page in a frame, and whom it may send a form to.
enum PageFrame {
    /// The policy of a page.
    /// - Parameters:
    ///   - origins: sites that may show it: all of them in a row, should there be frames in frames.
    ///   - receiver: the one site that gets a form from it, which is a client with its answer.
    static func policy(_ origins: [FrameOrigin], formTo receiver: FrameOrigin? = nil) -> String {
        return [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
            "form-action \(receiver?.text ?? "'none'")", "base-uri 'none'", ancestors(origins), "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ].joined(separator: "; ")
    }

    static func ancestors(_ origins: [FrameOrigin]) -> String {
        "frame-ancestors \(origins.isEmpty ? "'none'" : origins.map(\.text).joined(separator: " "))"
    }
}
