import HTTPTypes
import Hummingbird

/// Notes in the context who asked a trusted proxy, so that limits and log tell those behind it from one another.
struct ProxyMiddleware: RouterMiddleware {
    let proxies: TrustedProxies
    let untrusted: UntrustedForwarding?

    func handle(
        _ request: Request, context: ServiceRequestContext, next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        guard proxies.trusts(context.address) else {
            if let untrusted, untrusted.isWaiting, request.headers.contains(.xForwardedFor) { untrusted.note(from: context.address) }
            return try await next(request, context)
        }
        var context = context
        context.forwarded = proxies.origin(of: context.address, forwarded: request.headers[values: .xForwardedFor])
        return try await next(request, context)
    }
}

extension HTTPField.Name {
    static let xForwardedFor = HTTPField.Name("X-Forwarded-For")!
}
