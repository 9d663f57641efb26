import Foundation
import OstiaryProtocol
import OstiaryTokens

/// Makes proofs of possession of one key of this device (RFC 9449 §4.2).
struct DeviceProof: Sendable {
    private struct Signer: TokenSigner {
        let key: JWK
        let name: String
        let keys: any KeyStore

        func signature(over input: [UInt8]) throws -> [UInt8] { try keys.sign(input, withKeyNamed: name) }
    }

    private let signer: Signer
    private let random: any RandomSource
    private let now: @Sendable () -> UInt64

    /// - Parameter now: the server's time, in Unix seconds.
    /// - Throws: `notLoggedIn` where the key is gone, `keyStore` where it cannot be had now.
    init(
        keyNamed name: String, in keys: any KeyStore, random: any RandomSource, now: @escaping @Sendable () -> UInt64
    ) throws(TokenError) {
        let publicKey: [UInt8]
        do { publicKey = try keys.publicKey(named: name) } catch { throw TokenError(error) }
        signer = Signer(key: JWK(.p256(publicKey), id: nil), name: name, keys: keys)
        self.random = random
        self.now = now
    }

    /// `jkt`: by which a code is bound to the key before there is a token.
    var thumbprint: String { signer.key.thumbprint.text }

    /// - Parameters:
    ///   - url: of the request; its query and fragment are left out, as §4.2 has it, and a user's name, which goes in no request line.
    ///   - accessToken: what goes with the request; nil where none does.
    ///   - nonce: what the server last asked to have in a proof; nil for none.
    /// - Throws: `settings` for an address without a host; `notLoggedIn` where the key is gone, as after a logout; `keyStore`.
    func text(method: String, url: URL, accessToken: String? = nil, nonce: String? = nil) throws(TokenError) -> String {
        guard let target = Self.target(url) else { throw .settings(.issuer) }
        var key = signer.key.json
        for name in ["use", "alg"] { key[name] = nil }
        let claims = JSONObject([
            "jti": .string(Base64URL.encode(random.bytes(16))), "htm": .string(method), "htu": .string(target),
            "iat": .integer(Int64(clamping: now())),
            "ath": accessToken.map { .string(Base64URL.encode(SHA(Array($0.utf8)))) }, "nonce": nonce.map { .string($0) },
        ])
        let header = JSONObject([
            "typ": .string(TokenType.dpopProof.name), "alg": .string(signer.key.algorithm.rawValue), "jwk": .object(key),
        ])
        do { return try signer.sign(claims, header: header) } catch { throw (error as? KeyStoreError).map { TokenError($0) } ?? .keyStore }
    }

    /// Nil for what is no address of a host.
    static func target(_ url: URL) -> String? {
        guard var address = URLComponents(url: url, resolvingAgainstBaseURL: true), address.scheme != nil, address.host != nil else { return nil }
        (address.query, address.fragment, address.user, address.password) = (nil, nil, nil, nil)
        return address.string
    }
}
