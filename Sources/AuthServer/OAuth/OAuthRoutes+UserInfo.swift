import HTTPService
import HTTPTypes
import Hummingbird
import OAuthProvider
import OstiaryTokens

extension OAuthRoutes {
    /// OpenID Connect Core §5.3: with the token in its header, by either method, or in a form.
    func userInfo(_ call: OAuthCall) async throws -> Response {
        var scheme: PresentedToken.Scheme?
        do {
            // A query that can't be read may hide a token as well as one that can.
            let isInQuery = call.request.queryParameters?.contains { $0.name == "access_token" } ?? true
            let token = try PresentedToken(authorization: call.authorization, isInQuery: isInQuery, posted: try await call.postedTokens())
            scheme = token.scheme
            let use = DPoPUse(method: call.request.method.rawValue, target: call.target, nonces: asksNonce ? call.nonces : nil)
            return .provider(try await domain.userInfo.claims(for: token, proofs: call.proofs, use, at: call.server, now: call.now))
        } catch let refusal as ResourceRefusal {
            RequestTrace.current?.note(.reason, "\(refusal)")
            var response = Response.provider(
                JSONObject(["error": refusal.code.map { .string($0.rawValue) }, "error_description": refusal.description.map { .string($0) }]),
                status: HTTPResponse.Status(code: refusal.status))
            response.headers[.wwwAuthenticate] = refusal.challenge(to: scheme)
            if refusal.code == .useDPoPNonce { response.headers[.dpopNonce] = call.nonces.current(at: call.now) }
            return response
        }
    }
}

extension OAuthCall {
    /// The values of `access_token` in a form; none where no form was posted.
    /// - Throws: `ResourceRefusal` for what is no form, ``ErrorResponse/contentTooLarge``.
    fileprivate func postedTokens() async throws -> [String] {
        guard request.method == .post, request.headers.mediaType == Self.form else { return [] }
        guard let parameters = FormText.parameters(try await request.bytes(limit: Self.bodyLimit)) else { throw ResourceRefusal.badRequest }
        return parameters.filter { $0.name == "access_token" }.map(\.value)
    }
}
