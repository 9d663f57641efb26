import Foundation
import OstiaryResource

/// What a token says (RFC 9068 §2.2): who was logged in when it was made, and for which backend it is. Nothing of the webNonce.
struct TokenClaims: Codable, Hashable, Sendable {
    let issuer: String
    let subject: String
    let audience: String
    /// The app: the one that this service is there for, because a webNonce tells none.
    let clientID: String
    let scope: String
    let id: String
    /// Unix seconds, as the next two.
    let issuedAt: Int
    let end: Int
    let authTime: Int?
    /// How strongly they logged in, in Ostiary's words.
    let acr: String?
    let amr: [String]

    enum CodingKeys: String, CodingKey {
        case issuer = "iss"
        case subject = "sub"
        case audience = "aud"
        case clientID = "client_id"
        case scope
        case id = "jti"
        case issuedAt = "iat"
        case end = "exp"
        case authTime = "auth_time"
        case acr, amr
    }
}

extension TokenClaims {
    /// - Parameter id: another for every token.
    init(of caller: VerifiedCaller, for order: TokenOrder, by settings: ServiceSettings, id: String, at now: Int) {
        self.init(
            issuer: settings.issuer, subject: caller.subject, audience: order.backend.audience, clientID: settings.appID,
            scope: order.scopes.joined(separator: " "), id: id, issuedAt: now, end: now + settings.lifetime,
            authTime: caller.authTime.flatMap(Int.init(exactly:)), acr: caller.acr, amr: caller.amr)
    }
}
