import Foundation
import OstiaryProtocol

/// Proofs of possession of the key that an AppLogin named for tokens (RFC 9449 §4.2).
extension Engine {
    /// - Parameters:
    ///   - url: of the request; its query and fragment are left out, as §4.2 has it, and a user's name, which goes in no request line.
    ///   - accessToken: what goes with the request; nil where none does.
    ///   - nonce: what the server last asked to have in a proof; nil for none.
    func tokenProof(
        for id: Session.ID, method: String, url: URL, accessToken: String?, nonce: String?
    ) throws(OstiaryError) -> String {
        guard let session = session(id), session.shown.isAppLogin, session.shown.isLoggedIn, let account = session.account else { throw .wrongOrder }
        guard configuration.bindsTokens, let name = try known().account(account)?.tokenKeyName else { throw .notOffered }
        guard var address = URLComponents(url: url, resolvingAgainstBaseURL: true), address.scheme != nil, address.host != nil else {
            throw .linkUnreadable
        }
        (address.query, address.fragment, address.user, address.password) = (nil, nil, nil, nil)
        guard let target = address.string else { throw .linkUnreadable }
        let publicKey = try keyStore { (keys) throws(KeyStoreError) in try keys.publicKey(named: name) }
        let claims = ProofClaims(
            jti: Base64URL.encode(random.bytes(16)), htm: method, htu: target, iat: now(at: session.rootHash).seconds,
            ath: accessToken.map { Base64URL.encode(SHA(Array($0.utf8))) }, nonce: nonce)
        let input = try Self.encoded(ProofHeader(jwk: ProofKey(publicKey))) + "." + Self.encoded(claims)
        let signature = try keyStore { (keys) throws(KeyStoreError) in try keys.sign(Array(input.utf8), withKeyNamed: name) }
        return input + "." + Base64URL.encode(signature)
    }

    private static func encoded(_ part: some Encodable) throws(OstiaryError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(part) else { throw .linkUnreadable }
        return Base64URL.encode(Array(bytes))
    }
}

/// The names are those of RFC 7515 §4.1 and RFC 9449 §4.2.
private struct ProofHeader: Encodable {
    let typ = "dpop+jwt"
    let alg = "ES256"
    let jwk: ProofKey
}

private struct ProofKey: Encodable {
    let kty = "EC"
    let crv = "P-256"
    let x: String
    let y: String

    /// Of X9.63, 65 bytes.
    init(_ publicKey: [UInt8]) {
        x = Base64URL.encode(Array(publicKey.dropFirst().prefix(32)))
        y = Base64URL.encode(Array(publicKey.dropFirst(33)))
    }
}

private struct ProofClaims: Encodable {
    let jti: String
    let htm: String
    let htu: String
    let iat: UInt64
    let ath: String?
    let nonce: String?
}
