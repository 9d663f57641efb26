import OstiaryProtocol

/// A compact JWS as somebody sent it (RFC 7515 §3.1): well formed, and nothing in it is proved.
package struct UnverifiedJWS: Sendable {
    /// Bytes that a token may have. Ours have less than one thousand.
    package static let mostBytes = 16_384

    package let header: JOSEHeader
    /// What it claims, for finding whose keys to ask: whom it says to be from. Nothing else may follow from it.
    package let claimed: JSONObject
    private let signingInput: [UInt8]
    private let signature: [UInt8]

    package init(compact text: String) throws(JOSEError) {
        guard text.utf8.count <= Self.mostBytes else { throw .tooLong }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .notThreeParts }
        guard let header = Base64URL.decode(Substring(parts[0])), let payload = Base64URL.decode(Substring(parts[1])),
            let signature = Base64URL.decode(Substring(parts[2]))
        else { throw .notBase64URL }
        self.header = try JOSEHeader(try Self.object(header) { .header($0) })
        guard !signature.isEmpty else { throw .signatureEmpty }
        claimed = try Self.object(payload) { .payload($0) }
        signingInput = Array(text.utf8[..<parts[1].endIndex])
        self.signature = signature
    }

    private static func object(_ bytes: [UInt8], _ error: (JSONError) -> JOSEError) throws(JOSEError) -> JSONObject {
        do { return try JSONReader.object(bytes) } catch let wrong { throw error(wrong) }
    }

    /// The token, if one of the keys made it (RFC 8725 §3.1: the algorithm is that of the key, and one that whoever asks allows).
    package func verified(
        by keys: JWKSet, as type: TokenType, allowing algorithms: Set<SignatureAlgorithm> = Set(SignatureAlgorithm.allCases)
    ) throws(JOSEError) -> VerifiedJWS {
        try header.checkType(type)
        guard algorithms.contains(header.algorithm) else { throw .algorithmNotAllowed }
        let candidates = keys.candidates(for: header.algorithm, id: header.keyID)
        guard !candidates.isEmpty else { throw .keyUnknown }
        guard let key = candidates.first(where: { $0.isValid(signature, over: signingInput) }) else { throw .signatureWrong }
        return VerifiedJWS(claims: claimed, key: key)
    }
}

/// A token whose signature was verified. What it claims is what its signer said, and still has to be looked at.
package struct VerifiedJWS: Sendable {
    package let claims: JSONObject
    package let key: JWK

    fileprivate init(claims: JSONObject, key: JWK) {
        self.claims = claims
        self.key = key
    }
}
