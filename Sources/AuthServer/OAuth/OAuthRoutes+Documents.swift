import Hummingbird
import OAuthProvider

/// What anybody may read.
extension OAuthRoutes {
    /// OpenID Connect Discovery §4, RFC 8414 §3: one text at all of its addresses.
    func metadata(_ call: OAuthCall) async throws -> Response { try await prepared(call).metadata.response(to: call.request) }

    /// RFC 7517 §5.
    func keys(_ call: OAuthCall) async throws -> Response { try await prepared(call).keys.response(to: call.request) }

    private func prepared(_ call: OAuthCall) async throws -> ProviderDocuments.Prepared {
        documents.prepared(try await domain.discovery.published(at: call.server), of: call.server)
    }
}
