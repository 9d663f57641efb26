import HTTPTypes
import Hummingbird
import NIOCore

/// Refuses a request by its size before anything is read of it: 414 for a long address, 413 for an announced body over the limit.
/// A body that does not say its length meets the same limit where a route reads it, through ``Hummingbird/Request/bytes(limit:)``.
package struct LimitMiddleware<Context: RequestContext>: RouterMiddleware {
    private let limits: ServiceLimits

    package init(_ limits: ServiceLimits) {
        self.limits = limits
    }

    package func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
        guard request.uri.string.utf8.count <= limits.uri else { throw ErrorResponse.uriTooLong }
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limits.body { throw ErrorResponse.contentTooLarge }
        return try await next(request, context)
    }
}

extension Request {
    /// The whole body.
    /// - Throws: ``ErrorResponse/contentTooLarge`` beyond the limit.
    package func bytes(limit: Int = ServiceLimits.standard.body) async throws -> [UInt8] {
        do {
            return Array(buffer: try await body.collect(upTo: limit))
        } catch is NIOTooManyBytesError {
            throw ErrorResponse.contentTooLarge
        }
    }
}
