import HTTPService
import HTTPTypes
import Hummingbird

/// Answers the demonstration's own page and no other.
///
/// `Host` has to be its own address, so that no name of somebody else's that leads to this machine (DNS rebinding) gets anywhere; `Origin`, where a
/// browser says one, its own, and whatever is no reading has to say one.
struct PageGuard: RouterMiddleware {
    typealias Context = ServiceRequestContext

    let origin: PublicURL

    func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
        guard allows(request.head) else { return .refused }
        return try await next(request, context)
    }

    func allows(_ request: HTTPRequest) -> Bool {
        guard request.authority == authority else { return false }
        let origins = request.headerFields[values: .origin]
        guard origins.allSatisfy({ $0 == origin.description }) else { return false }
        return request.method == .get || request.method == .head || !origins.isEmpty
    }

    private var authority: String { origin.host + (origin.port.map { ":\($0)" } ?? "") }
}

/// Stands before the routes that tell or do something: they want the secret, which stands in the fragment of the address that was printed. Browsers
/// send a fragment to nobody.
struct PageSecret: RouterMiddleware {
    typealias Context = ServiceRequestContext

    static let header = HTTPField.Name("X-Demo-Secret")!

    let secret: SecretText

    func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
        guard allows(request.head) else { return .refused }
        return try await next(request, context)
    }

    func allows(_ request: HTTPRequest) -> Bool {
        let given = request.headerFields[values: Self.header]
        return given.count == 1 && secret.matches(given[0])
    }
}

extension Response {
    fileprivate static var refused: Response {
        let words = ByteBuffer(string: "This is the page of a demonstration: open the address that it printed.\n")
        return Response(status: .forbidden, headers: [.contentType: "text/plain; charset=utf-8"], body: ResponseBody(byteBuffer: words))
    }
}
