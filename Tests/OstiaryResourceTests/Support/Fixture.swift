import OstiaryProtocol
import OstiaryTokens

/// A provider's tokens, by keys that come again in every run.
enum Fixture {
    static let now = Instant(1_800_000_000)
    static let issuer = "https://login.example"
    static let api = "https://api.example.com/timesheets"
    static let base = "https://api.example.com"

    static func signer(_ seed: UInt8 = 7) throws -> LocalSigner { try LocalSigner(.es256, stored: [UInt8](repeating: seed, count: 32)) }
    static func edwards(_ seed: UInt8 = 7) throws -> LocalSigner { try LocalSigner(.edDSA, stored: [UInt8](repeating: seed, count: 32)) }

    /// What an access token of Alice's says, made now and good for five minutes.
    static func claims(_ change: (inout JSONObject) -> Void = { _ in }) -> JSONObject {
        var claims = JSONObject([
            "iss": .string(issuer), "sub": .string("alice"), "aud": .string(api), "client_id": .string("mobile"), "iat": .moment(now),
            "exp": .moment(now + 300), "jti": .string("one"), "scope": .string("read:timesheets create:timesheets"),
            "auth_time": .moment(now - 20), "acr": .string("mfa"), "amr": .strings(["mfa", "pin", "pop"]),
        ])
        change(&claims)
        return claims
    }

    static func token(by signer: (any TokenSigner)? = nil, as type: TokenType = .accessToken, _ change: (inout JSONObject) -> Void = { _ in }) throws
        -> String
    {
        try (signer ?? self.signer()).sign(claims(change), as: type)
    }

    /// With a header of one's own.
    static func tokenWithHeader(by signer: (any TokenSigner)? = nil, _ change: (inout JSONObject) -> Void) throws -> String {
        let signer = try signer ?? self.signer()
        var header = JSONObject([
            "typ": .string("at+jwt"), "alg": .string(signer.key.algorithm.rawValue), "kid": signer.key.id.map { .string($0) },
        ])
        change(&header)
        return try signer.sign(claims(), header: header)
    }

    /// Any header over any claims, as text, with any signature.
    static func forged(header: String, claims: String, signature: ([UInt8]) throws -> [UInt8]) rethrows -> String {
        let input = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
        return input + "." + Base64URL.encode(try signature(Array(input.utf8)))
    }

    static var claimsText: String { String(decoding: claims().encoded, as: UTF8.self) }

    /// A proof of possession for a request to the API.
    static func proof(
        for token: String, by signer: (any TokenSigner)? = nil, id: String = "proof-1", _ change: (inout JSONObject) -> Void = { _ in }
    ) throws -> String {
        let signer = try signer ?? phone()
        return try signer.sign(proofClaims(for: token, id: id, change), header: proofHeader(signer) { _ in })
    }

    /// The same with a header of one's own, by the key of the phone.
    static func proofWithHeader(for token: String, _ change: (inout JSONObject) -> Void) throws -> String {
        let signer = try phone()
        return try signer.sign(proofClaims(for: token, id: "proof-1") { _ in }, header: proofHeader(signer, change))
    }

    private static func proofHeader(_ signer: any TokenSigner, _ change: (inout JSONObject) -> Void) -> JSONObject {
        var jwk = signer.key.json
        for name in ["use", "alg", "kid"] { jwk[name] = nil }
        var header = JSONObject(["typ": .string("dpop+jwt"), "alg": .string(signer.key.algorithm.rawValue), "jwk": .object(jwk)])
        change(&header)
        return header
    }

    private static func proofClaims(for token: String, id: String, _ change: (inout JSONObject) -> Void) -> JSONObject {
        var claims = JSONObject([
            "jti": .string(id), "htm": .string("GET"), "htu": .string(base + "/timesheets"), "iat": .moment(now),
            "ath": .string(Base64URL.encode(SHA(token.utf8))),
        ])
        change(&claims)
        return claims
    }

    /// The key of a phone.
    static func phone() throws -> LocalSigner { try signer(101) }

    /// A token that is bound to it.
    static func boundToken(to key: (any TokenSigner)? = nil) throws -> String {
        let thumbprint = try (key ?? phone()).key.thumbprint.text
        return try token { $0["cnf"] = .object(JSONObject(["jkt": .string(thumbprint)])) }
    }
}
