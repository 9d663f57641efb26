import HTTPService
import HTTPTypes
import Hummingbird
import OAuthProvider
import OstiaryTokens

extension OAuthRoutes {
    /// OpenID Connect Core §5.3: with the token in its header and nowhere else, by either method.
    func userInfo(_ call: OAuthCall) async throws -> Response {
        var scheme: PresentedToken.Scheme?
        do {
            // A query that can't be read may hide a token as well as one that can.
            let isInQuery = call.request.queryParameters?.contains { $0.name == "access_token" } ?? true
            let token = try PresentedToken(authorization: call.authorization, isInQuery: isInQuery)
            scheme = token.scheme
            let use = DPoPUse(method: call.request.method.rawValue, target: call.target, nonces: asksNonce ? call.nonces : nil)
            return .provider(try await domain.userInfo.claims(for: token, proofs: call.proofs, use, at: call.server, now: call.now))
        } catch let refusal as ResourceRefusal {
            RequestTrace.current?.note(.reason, "\(refusal)")
            var response = Response.provider(
                JSONObject(["error": refusal.code.map { .string($0.rawValue) }]), status: HTTPResponse.Status(code: refusal.status))
            response.headers[.wwwAuthenticate] = refusal.challenge(to: scheme)
            if refusal.code == .useDPoPNonce { response.headers[.dpopNonce] = call.nonces.current(at: call.now) }
            return response
        }
    }
}
