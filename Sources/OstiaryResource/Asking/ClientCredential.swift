import OstiaryProtocol
import OstiaryTokens

/// By what this API shows its provider who it is when it asks.
enum ClientCredential: Sendable {
    /// `client_secret_basic`: the value of `Authorization` (RFC 6749 §2.3.1).
    case basic(String)
    /// `private_key_jwt`: an assertion for each question (RFC 7523 §2.2).
    case assertions(ClientAssertions)
}

/// Makes the assertions by which this API shows its provider who it is (RFC 7523 §3). Each is made for one question: a provider takes none twice.
struct ClientAssertions: Sendable {
    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    /// Seconds for which one is good. It is shown at once; the rest is for clocks that differ.
    static let life: UInt64 = 60

    let clientID: String
    /// The one audience, as a string: who hears an assertion for two could show it to the other.
    let audience: String
    let signer: any TokenSigner
    let keyID: String?
    let randomBytes: @Sendable (Int) -> [UInt8]

    /// - Throws: ``Outage/assertionFailed``.
    func assertion(at now: Instant) throws(Outage) -> String {
        let header = JSONObject([
            "typ": .string(TokenType.clientAssertion.name), "alg": .string(signer.key.algorithm.rawValue), "kid": keyID.map { .string($0) },
        ])
        let claims = JSONObject([
            "iss": .string(clientID), "sub": .string(clientID), "aud": .string(audience), "iat": .moment(now), "exp": .moment(now + Self.life),
            "jti": .string(Base64URL.encode(randomBytes(16))),
        ])
        do { return try signer.sign(claims, header: header) } catch { throw .assertionFailed }
    }
}
