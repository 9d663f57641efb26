/// The protected header of a JWS (RFC 7515 §4). What it says of where keys are (`jku`, `x5u`) or which (`jwk`, `x5c`) is never followed; a proof of
/// possession alone brings its key along, and asks for it by `jwk`.
package struct JOSEHeader: Sendable {
    package let algorithm: SignatureAlgorithm
    package let type: String?
    package let keyID: String?
    /// For `DPoPProof` only.
    let jwk: JSONValue?

    init(_ object: JSONObject) throws(JOSEError) {
        guard let algorithm = object["alg"] else { throw .algorithmMissing }
        guard let known = algorithm.string.flatMap(SignatureAlgorithm.init(rawValue:)) else { throw .algorithmUnknown }
        guard object["crit"] == nil else { throw .criticalExtension }
        self.algorithm = known
        type = try Self.text("typ", of: object)
        keyID = try Self.text("kid", of: object)
        jwk = object["jwk"]
    }

    private static func text(_ name: String, of object: JSONObject) throws(JOSEError) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.string else { throw .headerMemberWrong(name) }
        return text
    }

    /// RFC 7515 §4.1.9: letters of either case, with or without “application/”.
    package func checkType(_ expected: TokenType) throws(JOSEError) {
        guard let type else {
            guard expected.mayBeUnsaid else { throw .typeMissing }
            return
        }
        let lower = type.lowercased()
        let short = lower.hasPrefix("application/") ? String(lower.dropFirst("application/".count)) : lower
        guard expected.names.contains(short) else { throw .typeWrong }
    }
}

/// What a token says that it is (`typ`), so that none is taken for another (RFC 8725 §3.11).
package enum TokenType: Sendable {
    /// RFC 9068 §2.1.
    case accessToken
    /// Of providers that don't have RFC 9068, which say `JWT` or nothing. It may be an ID token as well: whoever asks has to tell them apart by their claims.
    case plainAccessToken
    /// OpenID Connect Core §2, where `typ` may be missing.
    case idToken
    /// OpenID Connect Back-Channel Logout §2.4.
    case logoutToken
    /// RFC 9449 §4.2.
    case dpopProof
    /// The assertion by which a client authenticates (RFC 7523 §3), where `typ` may be missing.
    case clientAssertion

    /// As we write it.
    package var name: String {
        switch self {
        case .accessToken: "at+jwt"
        case .plainAccessToken: "JWT"
        case .idToken: "JWT"
        case .logoutToken: "logout+jwt"
        case .dpopProof: "dpop+jwt"
        case .clientAssertion: "client-authentication+jwt"
        }
    }

    fileprivate var names: Set<String> {
        switch self {
        case .accessToken, .logoutToken, .dpopProof: [name]
        case .idToken: ["jwt"]
        case .plainAccessToken: ["jwt", "at+jwt"]
        case .clientAssertion: ["jwt", name]
        }
    }

    fileprivate var mayBeUnsaid: Bool {
        switch self {
        case .accessToken, .logoutToken, .dpopProof: false
        case .idToken, .clientAssertion, .plainAccessToken: true
        }
    }
}
