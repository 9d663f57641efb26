import HTTPTypes
import Hummingbird
import NIOCore

/// Tells people of errors in words: whoever asks for a page, as browsers do, gets one; programs get the JSON of ``ErrorMiddleware``.
///
/// It stands outside of ``ErrorMiddleware``, so that it hears of every refusal, also of those that no route makes.
package struct ErrorPages<Context: RequestContext>: RouterMiddleware {
    private let page: @Sendable (_ request: Request, _ isMissing: Bool) -> [UInt8]

    /// - Parameter page: HTML for an address at which there is nothing to see, or for everything else that went wrong, in the language of whoever asks.
    package init(_ page: @Sendable @escaping (_ request: Request, _ isMissing: Bool) -> [UInt8]) { self.page = page }

    /// - Parameters:
    ///   - missing: HTML for an address at which there is nothing to see.
    ///   - other: HTML for everything else that went wrong.
    package init(missing: [UInt8], other: [UInt8]) { self.init { _, isMissing in isMissing ? missing : other } }

    package func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
        let response = try await next(request, context)
        guard response.status.code >= 400, request.method == .get || request.method == .head, wantsPage(request), !isPage(response) else {
            return response
        }
        var headers = response.headers
        headers[.contentLength] = nil
        headers[.contentType] = "text/html; charset=utf-8"
        let html = page(request, response.status == .notFound || response.status == .methodNotAllowed)
        return Response(status: response.status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: html)))
    }

    /// A route that has a page of its own for it knows better.
    private func isPage(_ response: Response) -> Bool { response.headers[.contentType]?.hasPrefix("text/html") == true }

    /// Browsers name HTML when they open an address; scripts, streams and other programs do not unless they want it.
    private func wantsPage(_ request: Request) -> Bool {
        request.headers[values: .accept].contains { $0.lowercased().contains("text/html") }
    }
}
