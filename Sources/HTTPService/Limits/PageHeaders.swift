import HTTPTypes
import Hummingbird

/// Headers of pages: nothing is loaded from elsewhere, nobody frames the page, nobody guesses types, nothing is kept.
package struct PageHeaders<Context: RequestContext>: RouterMiddleware {
    private let fields: HTTPFields

    /// - Parameters:
    ///   - isSecure: whether the server is reached by https; then browsers are told to stay there.
    ///   - frameAncestors: origins that may show the page in a frame; none by default.
    package init(isSecure: Bool, frameAncestors: [PublicURL] = []) {
        let ancestors = frameAncestors.isEmpty ? "'none'" : frameAncestors.map(\.description).joined(separator: " ")
        let policy = [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'", "form-action 'self'",
            "base-uri 'none'", "frame-ancestors \(ancestors)",
        ]
        var fields: HTTPFields = [
            .contentSecurityPolicy: policy.joined(separator: "; "),
            .xContentTypeOptions: "nosniff",
            .referrerPolicy: "no-referrer",
            .crossOriginOpenerPolicy: "same-origin",
            .crossOriginResourcePolicy: "same-origin",
            .permissionsPolicy: "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
            .cacheControl: "no-store",
        ]
        if frameAncestors.isEmpty { fields[.xFrameOptions] = "DENY" }
        if isSecure { fields[.strictTransportSecurity] = "max-age=31536000" }
        self.fields = fields
    }

    package func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
        var response = try await next(request, context)
        add(to: &response)
        return response
    }

    /// A route that sets one of these itself, such as caching of an asset, knows better.
    package func add(to response: inout Response) {
        // Whole fields, whose texts were looked through when they were made.
        for field in fields where !response.headers.contains(field.name) { response.headers.append(field) }
    }
}

extension HTTPField.Name {
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
    static let permissionsPolicy = HTTPField.Name("Permissions-Policy")!
    package static let xFrameOptions = HTTPField.Name("X-Frame-Options")!
}
