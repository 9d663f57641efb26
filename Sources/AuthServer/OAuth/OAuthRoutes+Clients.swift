import HTTPTypes
import Hummingbird
import OAuthProvider
import OstiaryTokens

/// The endpoints at which clients show who they are.
extension OAuthRoutes {
    /// RFC 6749 §3.2.
    func token(_ call: OAuthCall) async throws -> Response {
        try await answering(call) { .provider(try await domain.token.answer($0, at: call.now).json) }
    }

    /// RFC 9126 §2.
    func push(_ call: OAuthCall) async throws -> Response {
        try await answering(call) { .provider(try await domain.push.push($0, at: call.now).json, status: .created) }
    }

    /// RFC 8628 §3.1.
    func authorizeDevice(_ call: OAuthCall) async throws -> Response {
        let verification = addresses.address(.verification, of: call.server)
        return try await answering(call) { .provider(try await domain.devices.begin($0, at: call.now).json(verification: verification)) }
    }

    /// OpenID Connect CIBA §7.
    func askOnPhone(_ call: OAuthCall) async throws -> Response {
        try await answering(call) { .provider(try await domain.backchannel.begin($0, at: call.now).json) }
    }

    /// RFC 7662 §2.
    func introspect(_ call: OAuthCall) async throws -> Response {
        try await answering(call) { .provider(try await domain.introspection.facts($0, at: call.now).json) }
    }

    /// RFC 7009 §2: the answer has no body.
    func revoke(_ call: OAuthCall) async throws -> Response {
        try await answering(call) {
            try await domain.revocation.revoke($0, at: call.now)
            return Response(status: .ok, headers: [.cacheControl: "no-store", .pragma: "no-cache"])
        }
    }
}
