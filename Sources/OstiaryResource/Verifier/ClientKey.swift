import OstiaryTokens

/// A private key by which an API shows its provider who it is, so that no secret is shared (`private_key_jwt`, OpenID Connect Core §9). It prints as ‹secret›.
public struct ClientKey: Sendable {
    let signer: LocalSigner
    /// `kid`: the name under which the provider has its public half.
    let id: String?

    /// - Parameters:
    ///   - pem: as `openssl genpkey` writes it, not encrypted: of P-256 (ES256), Ed25519 (EdDSA), or RSA with 2048 to 4096 bits (RS256).
    ///   - id: the name of the key at the provider (`kid`); its thumbprint (RFC 7638) if left out.
    /// - Throws: ``ResourceSettingsError/clientKeyWrong``.
    public init(pem: String, id: String? = nil) throws(ResourceSettingsError) {
        do { signer = try LocalSigner(pem: pem) } catch { throw .clientKeyWrong }
        self.id = id ?? signer.key.id
    }
}

extension ClientKey: CustomStringConvertible, CustomReflectable {
    public var description: String { "ClientKey ‹secret›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
