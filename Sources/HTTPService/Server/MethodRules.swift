import HTTPTypes
import Hummingbird
import NIOCore

/// What HTTP says of methods wherever there is an address, so that no route has to: HEAD is GET without the body, unless the address has a HEAD of
/// its own; OPTIONS tells what an address takes, another method than that is 405, and one that is nowhere taken is 501 (RFC 9110 §9).
package struct MethodRules: HTTPResponder {
    package typealias Context = ServiceRequestContext

    private let routes: RouterResponder<ServiceRequestContext>
    private let addresses: [Address]

    /// - Parameter router: with all of its routes.
    package init(_ router: Router<ServiceRequestContext>) {
        routes = router.buildResponder()
        addresses = Dictionary(grouping: router.routes, by: \.path.description).map { path, routes in
            Address(path: path, methods: routes.map(\.method))
        }
    }

    package func respond(to request: Request, context: ServiceRequestContext) async throws -> Response {
        switch request.method {
        case .head: return try await withoutBody(try await head(request, context))
        case .options: return try await options(request, context)
        case .get, .post, .put, .patch, .delete, .trace, .connect: return try await usual(request, context)
        default: return answer(Self.notImplemented, context)
        }
    }

    /// A 404 of an address that takes other methods says so. Whatever stands before the routes, such as the check of a key, has had its say by then.
    private func usual(_ request: Request, _ context: ServiceRequestContext) async throws -> Response {
        let response = try await routes.respond(to: request, context: context)
        guard response.status == .notFound, let address = address(of: request), !address.methods.contains(request.method) else { return response }
        return answer(address.refusal, context, like: response)
    }

    private func head(_ request: Request, _ context: ServiceRequestContext) async throws -> Response {
        let methods = address(of: request)?.methods
        // An address whose GET changes something answers HEAD by itself.
        if let methods, !methods.contains(.get) || methods.contains(.head) { return try await usual(request, context) }
        var head = request.head
        head.method = .get
        return try await routes.respond(to: Request(head: head, body: request.body), context: context)
    }

    /// A body that has a length is not written. One that is made while it is written, a stream of events for example, is begun and ended at its first
    /// piece, so that it lets go of what it holds.
    private func withoutBody(_ response: Response) async throws -> Response {
        if response.body.contentLength == nil { try? await response.body.write(NoWriter()) }
        return response.createHeadResponse()
    }

    private func options(_ request: Request, _ context: ServiceRequestContext) async throws -> Response {
        let all = request.head.path == "*" ? Address(path: "*", methods: addresses.flatMap(\.methods)) : nil
        // An address may know better what it allows, and whom.
        guard let address = all ?? address(of: request), all != nil || !address.methods.contains(.options) else {
            return try await routes.respond(to: request, context: context)
        }
        return Response(status: .noContent, headers: [.allow: address.allow, .requestID: context.requestID])
    }

    private func address(of request: Request) -> Address? {
        let parts = request.uri.path.split(separator: "/")
        return addresses.filter { $0.matches(parts) }.max { $0.fixedParts < $1.fixedParts }
    }

    /// - Parameter former: what the routes answered, whose headers are kept: those of pages, say; and whose page, where a person is told in words.
    private func answer(_ refusal: ErrorResponse, _ context: ServiceRequestContext, like former: Response? = nil) -> Response {
        if var page = former, page.headers[.contentType]?.hasPrefix("text/html") == true {
            page.status = refusal.status
            page.headers[.allow] = refusal.headers[.allow]
            return page
        }
        var response = refusal.response(beforeRoutes: context.requestID)
        for field in former?.headers ?? [:] where response.headers[field.name] == nil { response.headers.append(field) }
        return response
    }

    static let notImplemented = ErrorResponse(.notImplemented, "not_implemented", "this server has no such method")
}

/// Takes nothing.
private struct NoWriter: ResponseBodyWriter {
    mutating func write(_ buffer: ByteBuffer) async throws { throw CancellationError() }
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

/// One path of the routes, and the methods it takes.
private struct Address: Sendable {
    let methods: Set<HTTPRequest.Method>
    /// Nil for a part that is whatever it is.
    private let parts: [Substring?]

    init(path: String, methods: [HTTPRequest.Method]) {
        self.methods = Set(methods)
        parts = path.split(separator: "/").map { $0.hasPrefix(":") || $0.hasPrefix("{") ? nil : $0 }
    }

    var fixedParts: Int { parts.count { $0 != nil } }

    func matches(_ other: [Substring]) -> Bool {
        parts.count == other.count && zip(parts, other).allSatisfy { $0 == nil || $0 == $1 }
    }

    var allow: String {
        let also: Set<HTTPRequest.Method> = methods.contains(.get) ? [.head, .options] : [.options]
        return methods.union(also).map(\.rawValue).sorted().joined(separator: ", ")
    }

    var refusal: ErrorResponse {
        ErrorResponse(.methodNotAllowed, "method_not_allowed", "this address takes \(allow)", headers: [.allow: allow])
    }
}
