import Foundation
import Hummingbird
import OstiaryResource
import OstiaryResourceHummingbird

/// `POST /introspect`: whether a token is good and its person still logged in (RFC 7662). It asks `getSession` each time, so that a stop is seen at once.
struct IntrospectionEndpoint: Sendable {
    let settings: ServiceSettings
    let given: GivenTokens
    let verifier: ResourceVerifier

    private struct Form: Decodable { let token: String }

    func answer(_ request: Request, _ context: CallerContext, at now: Int) async throws -> Response {
        guard let backend = backend(of: request) else { throw TokenRefusal.invalidClient }
        let body = try await request.body.collect(upTo: 16_384)
        guard let token = try? URLEncodedFormDecoder().decode(Form.self, from: String(buffer: body)).token else { throw TokenRefusal.invalidRequest }
        // Of a token for another backend this one is told nothing (RFC 7662 §4).
        guard let entry = await given.entry(of: token, at: now), entry.claims.audience == backend.audience else {
            return try answer(.inactive, request, context)
        }
        let question = ResourceRequest(method: "POST", target: "/introspect", fields: [(name: WebNonce.field, value: entry.webNonce.text)])
        do throws(ResourceRefusal) {
            let caller = try await verifier.caller(of: question)
            guard caller.subject == entry.claims.subject else { throw .token(.notActive) }
        } catch .outage(let outage) {
            // Nobody can say: that is no word about the token, and the backend answers its caller alike.
            context.logger.warning("getSession is away", metadata: ["reason": "\(outage)"])
            return Response(verifier.answer(to: .outage(outage), for: question))
        } catch {
            await given.forget(token)
            return try answer(.inactive, request, context)
        }
        return try answer(.active(entry.claims), request, context)
    }

    private func answer(_ answer: IntrospectionAnswer, _ request: Request, _ context: CallerContext) throws -> Response {
        try EditedResponse(headers: [.cacheControl: "no-store"], response: answer).response(from: request, context: context)
    }

    /// By `client_secret_basic`, whose two parts are encoded like a form first (RFC 6749 §2.3.1).
    private func backend(of request: Request) -> ServedBackend? {
        guard let field = request.headers[.authorization], field.lowercased().hasPrefix("basic "),
            let pair = Data(base64Encoded: String(field.dropFirst("basic ".count))).flatMap({ String(data: $0, encoding: .utf8) })
        else { return nil }
        let parts = pair.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let id = Self.decoded(parts[0]), let secret = Self.decoded(parts[1]) else { return nil }
        return settings.backends.first { $0.clientID == id && $0.isSecret(secret) }
    }

    private static func decoded(_ part: Substring) -> String? { part.replacing("+", with: " ").removingPercentEncoding }
}

/// RFC 7662 §2.2. Of a token that is not good it says nothing else, also not why.
enum IntrospectionAnswer: ResponseEncodable, Sendable {
    case inactive
    case active(TokenClaims)

    private enum CodingKeys: String, CodingKey {
        case active
        case tokenType = "token_type"
    }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .inactive: try object.encode(false, forKey: .active)
        case .active(let claims):
            try object.encode(true, forKey: .active)
            try object.encode("Bearer", forKey: .tokenType)
            try claims.encode(to: encoder)
        }
    }
}
