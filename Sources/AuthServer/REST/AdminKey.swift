import HTTPService
import Hummingbird
import OstiaryProtocol

/// Lets a request pass that carries the API key, and hands on who asks; every other ends here, before anything else is looked at.
struct AdminKey: RouterMiddleware {
    typealias Context = ServiceRequestContext

    /// SHA of the key: what is compared has one length, whatever came.
    private let hash: [UInt8]

    init(hash: [UInt8]) { self.hash = hash }

    /// Whose key it is; nil where it is nobody's.
    func caller(of key: String) -> AdminCaller? { matches(SHA(key), hash) ? .main : nil }

    func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
        guard let key = request.headers[.apiKey] else { throw AdminRefusal.keyMissing }
        guard let caller = caller(of: key) else { throw AdminRefusal.keyWrong }
        var context = context
        context.caller = caller
        return try await next(request, context)
    }
}
