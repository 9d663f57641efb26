import Foundation
import Hummingbird
import OstiaryResourceHummingbird

/// `POST /token`: who is logged in with the webNonce of the field `X-webNonce` gets a token for one backend (RFC 8693 §2). `ResourceMiddleware` stands before
/// it, and has asked `getSession`.
struct TokenEndpoint: Sendable {
    static let mostBytes = 4_096

    let settings: ServiceSettings
    let given: GivenTokens

    func answer(_ request: Request, _ context: CallerContext, at now: Int) async throws -> EditedResponse<TokenAnswer> {
        let order = try await form(of: request).order(among: settings.backends)
        guard let webNonce = request.headers.first(where: { $0.name.canonicalName == WebNonce.field.lowercased() })?.value else {
            throw TokenRefusal.invalidRequest
        }
        let id = Data((0..<16).map { _ in UInt8.random(in: 0...255) }).base64URL
        let claims = TokenClaims(of: try context.verifiedCaller(), for: order, by: settings, id: id, at: now)
        let token = try settings.keys[0].token(saying: claims)
        guard await given.keep(token, GivenTokens.Given(claims: claims, webNonce: WebNonce(text: webNonce)), at: now) else {
            throw TokenRefusal.unavailable
        }
        return EditedResponse(
            headers: [.cacheControl: "no-store"],
            response: TokenAnswer(accessToken: token, expiresIn: settings.lifetime, scope: claims.scope))
    }

    private func form(of request: Request) async throws -> TokenForm {
        let body = try await request.body.collect(upTo: Self.mostBytes)
        // A parameter that comes twice is none (RFC 6749 §3.2).
        guard let form = try? URLEncodedFormDecoder().decode(TokenForm.self, from: String(buffer: body)) else { throw TokenRefusal.invalidRequest }
        return form
    }
}

/// RFC 8693 §2.2.1.
struct TokenAnswer: ResponseEncodable, Sendable {
    let accessToken: String
    let issuedTokenType = TokenExchange.accessToken
    let tokenType = "Bearer"
    let expiresIn: Int
    let scope: String

    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case issuedTokenType = "issued_token_type"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
        case scope
    }
}
