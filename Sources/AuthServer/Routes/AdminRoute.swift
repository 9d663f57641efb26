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
    let handler: @Sendable (AdminRequest) async throws -> Response

    init(
        _ method: HTTPRequest.Method, _ path: String, query: [String] = [], _ handler: @Sendable @escaping (AdminRequest) async throws -> Response
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.handler = handler
    }

    fileprivate func answer(_ request: AdminRequest) async throws -> Response {
        do {
            try request.checkQuery(knows: query)
            return try await handler(request)
        } catch {
            // For the line that says what was refused.
            if let server = try? request.serverID() { RequestTrace.current?.note(.server, server.text) }
            if let account = try? request.accountID() { RequestTrace.current?.note(.account, account.text) }
            throw error
        }
    }
}

extension RouterMethods {
    func add(_ table: [AdminRoute], clock: @Sendable @escaping () -> Instant) {
        for route in table {
            on(RouterPath(route.path), method: route.method) { request, context in
                try await route.answer(AdminRequest(request: request, parameters: context.parameters, now: clock(), requestID: context.requestID))
            }
        }
    }
}
