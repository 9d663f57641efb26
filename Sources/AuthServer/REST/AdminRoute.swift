import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import OstiaryProtocol

/// One call of the REST API.
struct AdminRoute: Sendable {
    let method: HTTPRequest.Method
    /// As the OpenAPI document spells it.
    let path: String
    /// The parameters of the query that the call has; any other is refused.
    let query: [String]
    /// Whether the call has a body; where it has none, nothing that is sent as one is ignored.
    let hasBody: Bool
    /// Whether it is done on the thread of its connection: it looks at a few rows and makes no picture.
    let isBrief: Bool
    let handler: @Sendable (AdminRequest) async throws -> Response

    init(
        _ method: HTTPRequest.Method, _ path: String, query: [String] = [], hasBody: Bool = false, isBrief: Bool = false,
        _ handler: @Sendable @escaping (AdminRequest) async throws -> Response
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.hasBody = hasBody
        self.isBrief = isBrief
        self.handler = handler
    }

    /// - Parameter check: throws `UnknownServer`.
    fileprivate func answer(_ request: AdminRequest, known check: (ServerID) async throws -> Void) async throws -> Response {
        do {
            try RequestQuery(request.request).check(knows: query)
            if !hasBody { try await request.request.checkNoBody(limit: AdminRequest.bodyLimit) }
            return try await handler(request)
        } catch {
            // For the line that says what was refused.
            if let server = try? request.serverID() { RequestTrace.current?.note(.server, server.text) }
            if let account = try? request.accountID() { RequestTrace.current?.note(.account, account.text) }
            // Of a server that does not exist nothing else is said.
            if let refusal = (error as? any ErrorResponseConvertible)?.errorResponse, refusal.status.kind == .clientError, request.namesServer {
                try await check(try request.serverID())
            }
            throw error
        }
    }
}

extension RouterMethods where Context == ServiceRequestContext {
    /// - Parameter known: throws `UnknownServer` for a virtual server that does not exist.
    func add(_ table: [AdminRoute], clock: @Sendable @escaping () -> Instant, known: @Sendable @escaping (ServerID) async throws -> Void) {
        for route in table {
            on(RouterPath(route.path), method: route.method) { request, context in
                // Nobody let it in: a route that stands before the middleware.
                guard let caller = context.caller as? AdminCaller else { throw AdminRefusal.keyMissing }
                let request = AdminRequest(
                    request: request, parameters: context.parameters, caller: caller, now: clock(), requestID: context.requestID)
                if route.isBrief { return try await route.answer(request, known: known) }
                return try await aside { try await route.answer(request, known: known) }
            }
        }
    }
}
