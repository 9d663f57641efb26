import OstiaryProtocol

extension TokenSigner {
    /// A compact JWS over these claims (RFC 7515 §7.1).
    package func sign(_ claims: JSONObject, as type: TokenType) throws -> String {
        try sign(
            claims, header: JSONObject(["typ": .string(type.name), "alg": .string(key.algorithm.rawValue), "kid": key.id.map { .string($0) }]))
    }

    /// The same with a header of its own: a proof of possession carries its key.
    package func sign(_ claims: JSONObject, header: JSONObject) throws -> String {
        var text = Base64URL.encode(header.encoded)
        text += "."
        text += Base64URL.encode(claims.encoded)
        let signature = try signature(over: Array(text.utf8))
        text += "."
        text += Base64URL.encode(signature)
        return text
    }
}
