import HTTPService
import HTTPTypes
import Hummingbird
import Logging
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

/// A request to the provider of a virtual server, as the handlers get it.
struct OAuthCall: Sendable {
    /// Bytes of a form: an assertion, a hint and a claims request beside each other are a quarter of it.
    static let bodyLimit = 16_384
    static let form = "application/x-www-form-urlencoded"

    let request: Request
    let server: ServerID
    /// The address as clients know it, without what a proxy made of it.
    let target: HTTPTarget
    let nonces: DPoPNonces
    /// Whether proofs need one of them.
    let asksNonce: Bool
    let now: Instant
    /// Where it comes from, for limits.
    let place: CallPlace
    let logger: Logger

    var authorization: [String] { request.headers[values: .authorization] }
    var proofs: [String] { request.headers[values: .dpop] }
    var hasProof: Bool { !proofs.isEmpty }

    /// The call of a client at an endpoint that takes a form. What is no form is the domain's to refuse, and not read.
    /// - Throws: `TokenRefusal` for a form that says nothing that is sure, ``ErrorResponse/contentTooLarge``.
    func ofClient() async throws -> TokenCall {
        let type = request.headers.mediaType
        return TokenCall(
            server: server, method: request.method.rawValue, contentType: type, parameters: type == Self.form ? try await formParameters() : [],
            authorization: authorization, proofs: proofs, target: target, asksNonce: asksNonce)
    }

    private func formParameters() async throws -> [Parameter] {
        guard let parameters = FormText.parameters(try await request.bytes(limit: Self.bodyLimit)) else { throw TokenRefusal.parameterWrong("body") }
        return parameters
    }
}

extension Request {
    /// What stands in the query, read as a form is; nil for one that two readers could read differently.
    var queryParameters: [Parameter]? { FormText.parameters((uri.query ?? "").utf8) }
}

extension HTTPField.Name {
    static let dpop = HTTPField.Name("DPoP")!
    static let dpopNonce = HTTPField.Name("DPoP-Nonce")!
    static let pragma = HTTPField.Name("Pragma")!
}
