import Crypto
import Foundation

/// A key that tokens are signed with: P-256, for ES256 (RFC 7518 §3.4). It prints as ‹secret›.
struct SigningKey: Sendable {
    private let key: P256.Signing.PrivateKey
    let publicKey: PublicSigningKey

    /// - Parameter pem: as `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256` writes it.
    init(pem: String) throws {
        key = try P256.Signing.PrivateKey(pemRepresentation: pem)
        publicKey = PublicSigningKey(key.publicKey)
    }

    /// A JWT of the kind of an access token (RFC 7515 §7.1, RFC 9068 §2.1).
    func token(saying claims: TokenClaims) throws -> String {
        let header = TokenHeader(kid: publicKey.kid)
        let text = "\(try encoded(header)).\(try encoded(claims))"
        // The two numbers of the signature, 32 bytes each: what RFC 7518 §3.4 has, and not DER.
        return "\(text).\(try key.signature(for: Data(text.utf8)).rawRepresentation.base64URL)"
    }

    private func encoded(_ part: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(part).base64URL
    }
}

extension SigningKey: CustomStringConvertible, CustomReflectable {
    var description: String { "SigningKey \(publicKey.kid) ‹secret›" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// What is published of a key (RFC 7517).
struct PublicSigningKey: Encodable, Sendable {
    let kty = "EC"
    let crv = "P-256"
    let alg = "ES256"
    let use = "sig"
    let x: String
    let y: String
    /// Its thumbprint (RFC 7638), so that every key has a name of its own without anybody's choosing one.
    let kid: String

    init(_ key: P256.Signing.PublicKey) {
        let point = key.rawRepresentation
        x = point.prefix(32).base64URL
        y = point.suffix(32).base64URL
        kid = Data(SHA256.hash(data: Data(#"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#.utf8))).base64URL
    }
}

private struct TokenHeader: Encodable {
    let alg = "ES256"
    let typ = "at+jwt"
    let kid: String
}

extension Data {
    /// RFC 4648 §5, without padding.
    var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
