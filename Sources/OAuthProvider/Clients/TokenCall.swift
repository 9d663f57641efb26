import OstiaryProtocol
import OstiaryTokens

/// A request to an endpoint at which clients show who they are, as it came: to tokens, pushed requests, polled authorizations, questions about
/// tokens.
package struct TokenCall: Sendable {
    package let server: ServerID
    package let method: String
    /// `Content-Type` without its parameters, in lower case; nil for none.
    package let contentType: String?
    package let parameters: Parameters
    /// The values of all `Authorization` header fields.
    package let authorization: [String]
    /// The values of all `DPoP` header fields.
    package let proofs: [String]
    /// The address of the endpoint, as clients know it.
    package let target: HTTPTarget
    /// Whether proofs need a nonce of ours.
    package let asksNonce: Bool

    package init(
        server: ServerID, method: String, contentType: String?, parameters: [Parameter], authorization: [String] = [], proofs: [String] = [],
        target: HTTPTarget, asksNonce: Bool = false
    ) {
        self.server = server
        self.method = method
        self.contentType = contentType
        self.parameters = Parameters(parameters)
        self.authorization = authorization
        self.proofs = proofs
        self.target = target
        self.asksNonce = asksNonce
    }

    /// A form, sent by POST, each parameter once (RFC 6749 §3.2).
    func checkForm() throws(TokenRefusal) {
        guard method == "POST" else { throw .parameterWrong("method") }
        guard contentType == "application/x-www-form-urlencoded" else { throw .parameterWrong("content-type") }
        if let name = parameters.repeated { throw .parameterRepeated(name) }
    }

    /// Whom it says it is from, proved or not; nil where that can't be read.
    package var namedClient: ClientID? { try? presentedClient().id }

    func presentedClient() throws(TokenRefusal) -> PresentedClient {
        guard authorization.count <= 1 else { throw .client(.twoWays) }
        do { return try PresentedClient(authorization: authorization.first, parameters) } catch { throw .client(error) }
    }

    func presentedProof() throws(TokenRefusal) -> UnverifiedDPoPProof? {
        do { return try UnverifiedDPoPProof(fields: proofs) } catch { throw .proof(error) }
    }
}
