import Hummingbird
import OAuthProvider

/// What anybody may read.
extension OAuthRoutes {
    /// OpenID Connect Discovery §4, RFC 8414 §3: one text at all of its addresses.
    func metadata(_ call: OAuthCall) async throws -> Response {
        try await documents.metadata(of: call.server, at: call.now) { try await domain.discovery.metadata(at: call.server) }
            .response(to: call.request)
    }

    /// RFC 7517 §5.
    func keys(_ call: OAuthCall) async throws -> Response {
        documents.keys(try await domain.discovery.keys(at: call.server), of: call.server).response(to: call.request)
    }
}
