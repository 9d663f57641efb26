import HTTPService
import HTTPTypes
import Hummingbird

/// Lets nobody drive the demonstration's page but the page itself.
///
/// `Host` has to be its own address, so that no name of somebody else's that leads to this machine (DNS rebinding) gets anywhere; `Origin`, where a
/// browser says one, its own; and whatever tells or does something wants the secret, which stands in the fragment of the address that was printed:
/// browsers send that to nobody.
struct PageGuard: RouterMiddleware {
    typealias Context = ServiceRequestContext

    static let header = HTTPField.Name("X-Demo-Secret")!
    /// What lies below it wants the secret.
    static let guarded = "/demo/"

    let origin: PublicURL
    let secret: SecretText

    func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
        guard allows(request.head) else {
            return Response(status: .forbidden, headers: [.contentType: "text/plain; charset=utf-8"], body: ResponseBody(byteBuffer: Self.refusal))
        }
        return try await next(request, context)
    }

    func allows(_ request: HTTPRequest) -> Bool {
        guard request.authority == authority else { return false }
        let origins = request.headerFields[values: .origin]
        guard origins.allSatisfy({ $0 == origin.description }) else { return false }
        // Whatever changes something is a POST of a page, and browsers say of which.
        if request.method != .get, request.method != .head, origins.isEmpty { return false }
        guard (request.path ?? "").hasPrefix(Self.guarded) else { return true }
        let given = request.headerFields[values: Self.header]
        return given.count == 1 && secret.matches(given[0])
    }

    private var authority: String { origin.host + (origin.port.map { ":\($0)" } ?? "") }

    private static let refusal = ByteBuffer(string: "This is the page of a demonstration: open the address that it printed.\n")
}
