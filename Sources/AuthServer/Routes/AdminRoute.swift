import HTTPService
import HTTPTypes
import Hummingbird
import OstiaryProtocol

/// One call of the REST API.
struct AdminRoute: Sendable {
    let method: HTTPRequest.Method
    /// As the OpenAPI document spells it.
    let path: String
    let handler: @Sendable (AdminRequest) async throws -> Response

    init(_ method: HTTPRequest.Method, _ path: String, _ handler: @Sendable @escaping (AdminRequest) async throws -> Response) {
        self.method = method
        self.path = path
        self.handler = handler
    }
}

extension RouterMethods {
    func add(_ table: [AdminRoute], clock: @Sendable @escaping () -> Instant) {
        for route in table {
            on(RouterPath(route.path), method: route.method) { request, context in
                try await route.handler(AdminRequest(request: request, parameters: context.parameters, now: clock(), requestID: context.requestID))
            }
        }
    }
}
