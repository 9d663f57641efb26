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
        if let length = request.announcedLength, length > limits.body { throw ErrorResponse.contentTooLarge }
        return try await next(request, context)
    }
}

extension Request {
    /// How many bytes the body has, as the head says; nil where it does not. What is no number of this machine any more is the largest, not nothing: a
    /// length of 2^63 would be waited for.
    package var announcedLength: Int? {
        guard let text = headers[.contentLength] else { return nil }
        if let length = Int(text) { return length }
        return !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) } ? .max : nil
    }

    /// The whole body; one that is announced as too large is refused before anything is read of it. What is there of it counts against the budget of
    /// unfinished bodies until it is complete.
    /// - Throws: ``ErrorResponse/contentTooLarge`` beyond the limit, ``ErrorResponse/overloaded`` when too many bodies are unfinished.
    package func bytes(limit: Int = ServiceLimits.standard.body) async throws -> [UInt8] {
        if let announcedLength, announcedLength > limit { throw ErrorResponse.contentTooLarge }
        var part = BodyBudget.current.part()
        var bytes: [UInt8] = []
        do {
            for try await piece in body {
                guard bytes.count + piece.readableBytes <= limit else { throw ErrorResponse.contentTooLarge }
                try part.grow(by: piece.readableBytes)
                // By steps and not by doubling, which would hold twice what is counted.
                let needed = bytes.count + piece.readableBytes
                if needed > bytes.capacity { bytes.reserveCapacity((needed / 8192 + 1) * 8192) }
                // A copy: the piece keeps all that was read from the connection with it.
                bytes.append(contentsOf: piece.readableBytesView)
            }
        } catch is IOError {
            // Whoever sent it has reset the connection: no fault of ours, and nobody hears the answer.
            throw ErrorResponse.badRequest("the request's body did not come to its end")
        }
        return bytes
    }
}
