import HTTPService
import Hummingbird
import OstiaryProtocol

/// Lets a request pass that carries the API key, and hands on who asks; every other ends here, before anything else is looked at.
struct AdminKey: RouterMiddleware {
    typealias Context = ServiceRequestContext

    /// SHA of the key: what is compared has one length, whatever came.
    private let hash: [UInt8]

    init(hash: [UInt8]) { self.hash = hash }

    func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
        guard let key = request.headers[.apiKey] else { throw AdminRefusal.keyMissing }
        guard matches(SHA(key.utf8), hash) else { throw AdminRefusal.keyWrong }
        var context = context
        context.caller = AdminCaller.main
        return try await next(request, context)
    }
}
