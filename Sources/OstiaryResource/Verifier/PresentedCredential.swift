/// What a request brings to be let in, in one of the places where it may be: the `Authorization` field (RFC 6750 §2.1, RFC 9449 §7.1), or the field of a
/// webNonce. Never the address, and no form: a body belongs to the route.
struct PresentedCredential: Sendable {
    let scheme: CredentialScheme
    let text: String

    /// Names by which one may stand in an address.
    private static let namesInAddress: Set<String> = ["access_token", "webnonce", "web_nonce"]

    init(_ request: ResourceRequest, webNonceField: String?) throws(ResourceRefusal) {
        let forbidden = Self.namesInAddress.union(webNonceField.map { [$0.lowercased()] } ?? [])
        guard !request.queryNames.contains(where: forbidden.contains) else { throw .badRequest(.credentialInAddress) }
        let nonces = webNonceField.map { request.values(of: $0) } ?? []
        let authorization = request.values(of: "Authorization")
        guard nonces.count + authorization.count <= 1 else { throw .badRequest(.severalCredentials) }
        if let nonce = nonces.first {
            (scheme, text) = (.webNonce, nonce)
            return
        }
        guard let field = authorization.first, let scheme = Self.scheme(of: request) else { throw .noCredential }
        let parts = field.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty else { throw .badRequest(.malformed) }
        (self.scheme, text) = (scheme, String(parts[1]))
    }

    /// By which scheme somebody tried; nil for nobody, and for a scheme that is another's.
    static func scheme(of request: ResourceRequest) -> CredentialScheme? {
        switch request.values(of: "Authorization").first?.prefix(while: { $0 != " " }).lowercased() {
        case "bearer": .bearer
        case "dpop": .dpop
        default: nil
        }
    }
}

extension PresentedCredential: CustomStringConvertible, CustomReflectable {
    var description: String { "‹secret›" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
