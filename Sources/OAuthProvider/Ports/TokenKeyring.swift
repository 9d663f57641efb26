import OstiaryProtocol
import OstiaryTokens

/// Where the keys of tokens are. They change while a server runs, so each call asks for them.
package protocol TokenKeyring: Sendable {
    /// - Throws: what storage throws, and `NoProvider`.
    func keys(of server: ServerID) async throws -> TokenKeys

    /// The same, for a caller to whom an algorithm was missing: an operator may have named it since the keys were read, or this very moment at another
    /// node.
    func keys(of server: ServerID, signingBy algorithm: SignatureAlgorithm) async throws -> TokenKeys
}

extension TokenKeyring {
    package func keys(of server: ServerID, signingBy algorithm: SignatureAlgorithm) async throws -> TokenKeys { try await keys(of: server) }
}

/// Nobody has made an application or an API at this virtual server, or there is no such server: it is no provider, and has no keys for tokens.
package struct NoProvider: Error, Equatable {
    package init() {}
}

/// What a virtual server signs tokens with, and derives refresh tokens and nonces from.
package struct TokenKeys: Sendable {
    /// `iss`.
    package let issuer: String
    /// What signs now, for each algorithm.
    package let signers: [SignatureAlgorithm: any TokenSigner]
    /// What is published: what signs now, what will next, and what did lately.
    package let published: JWKSet
    package let derivation: TokenDerivation
    package let nonces: DPoPNonces

    /// - Parameter secret: 32 random bytes of the server, from which refresh tokens and nonces are derived.
    package init(issuer: String, signers: [any TokenSigner], published: JWKSet, secret: [UInt8]) {
        self.issuer = issuer
        self.signers = Dictionary(signers.map { ($0.key.algorithm, $0) }) { first, _ in first }
        self.published = published
        derivation = TokenDerivation(secret: secret)
        nonces = DPoPNonces(key: secret)
    }

    /// - Throws: `NoSigner`, where an operator chose an algorithm that has no key.
    package func signer(_ algorithm: SignatureAlgorithm) throws -> any TokenSigner {
        guard let signer = signers[algorithm] else { throw NoSigner(algorithm: algorithm) }
        return signer
    }
}

package struct NoSigner: Error, Equatable {
    package let algorithm: SignatureAlgorithm
}
