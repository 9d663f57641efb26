import OstiaryProtocol

/// Why a proof of possession proves nothing (RFC 9449 §4.3): precise for the log and the tests, `invalid_dpop_proof` for whoever sent it.
package enum DPoPRefusal: Error, Equatable, Sendable {
    case missing
    /// More than one header field.
    case several
    case token(JOSEError)
    case keyMissing
    case key(JWKError)
    case claims(ClaimError)
    case methodWrong, targetWrong
    case tooOld, tooNew
    case accessTokenHashMissing, accessTokenHashWrong
    /// There is none, or one that was not made here or long ago: the answer brings a new one (§8).
    case nonceNeeded
    /// A proof with this `jti` was taken before.
    case replayed
    /// It is by another key than the one that a token, a code or a request is bound to.
    case otherKey
}

/// A proof as it came, in the one header field that there may be.
package struct UnverifiedDPoPProof: Sendable {
    private let token: UnverifiedJWS
    private let key: JWK

    /// - Parameter fields: the values of all `DPoP` header fields of the request.
    package init?(fields: [String]) throws(DPoPRefusal) {
        guard let text = fields.first else { return nil }
        // A list in one field is several proofs, too.
        guard fields.count == 1, !text.utf8.contains(UInt8(ascii: ",")) else { throw .several }
        do { token = try UnverifiedJWS(compact: text) } catch { throw .token(error) }
        guard let jwk = token.header.jwk else { throw .keyMissing }
        guard let object = jwk.object else { throw .key(.typeMissing) }
        do { key = try JWK(object) } catch { throw .key(error) }
    }

    /// The algorithms of proofs: those of keys that phones and browsers keep where nobody reads them.
    package static let algorithms: Set<SignatureAlgorithm> = [.es256, .edDSA]

    /// The checks of RFC 9449 §4.3 that need no store; whether its `jti` was there before is the store's to say.
    package func verified(for use: DPoPUse, at now: Instant) throws(DPoPRefusal) -> DPoPProof {
        // By its own key, whatever name that has: the thumbprint says later whose it is.
        let keys = JWKSet([JWK(key.material, id: token.header.keyID)])
        let claims: JSONObject
        do { claims = try token.verified(by: keys, as: .dpopProof, allowing: Self.algorithms).claims } catch { throw .token(error) }
        let (id, issued) = try read(claims)
        try checkRequest(claims, use)
        guard now <= issued + DPoPUse.window else { throw .tooOld }
        guard issued <= now + DPoPUse.window else { throw .tooNew }
        if let accessToken = use.accessToken {
            guard let hash = claims["ath"]?.string else { throw .accessTokenHashMissing }
            guard hash == Base64URL.encode(SHA(accessToken.utf8)) else { throw .accessTokenHashWrong }
        }
        if let nonces = use.nonces {
            guard let nonce = claims["nonce"]?.string, nonces.accepts(nonce, at: now) else { throw .nonceNeeded }
        }
        return DPoPProof(thumbprint: key.thumbprint, id: id, goodUntil: issued + DPoPUse.window)
    }

    private func read(_ claims: JSONObject) throws(DPoPRefusal) -> (id: String, issued: Instant) {
        do throws(ClaimError) {
            let id = try claims.text("jti")
            guard id.utf8.count <= 256 else { throw .wrong("jti") }
            return (id, try claims.moment("iat"))
        } catch { throw .claims(error) }
    }

    private func checkRequest(_ claims: JSONObject, _ use: DPoPUse) throws(DPoPRefusal) {
        let named: (method: String, target: String)
        do { named = (try claims.text("htm"), try claims.text("htu")) } catch { throw .claims(error) }
        guard named.method == use.method else { throw .methodWrong }
        guard let target = HTTPTarget(named.target), target == use.target else { throw .targetWrong }
    }
}

/// What a proof has to be for.
package struct DPoPUse: Sendable {
    /// Seconds by which a proof may be older or newer than now. Its `jti` is remembered for as long as it is good.
    package static let window: UInt64 = 60

    /// As it stands in the request.
    package let method: String
    package let target: HTTPTarget
    /// The token that came with it, at a resource; nil at an endpoint of the provider.
    package let accessToken: String?
    /// Nil where no nonce is asked for.
    package let nonces: DPoPNonces?

    package init(method: String, target: HTTPTarget, accessToken: String? = nil, nonces: DPoPNonces? = nil) {
        self.method = method
        self.target = target
        self.accessToken = accessToken
        self.nonces = nonces
    }
}

/// A proof that was verified, except that it was never seen before.
package struct DPoPProof: Hashable, Sendable {
    /// `jkt`: whose key it is.
    package let thumbprint: Thumbprint
    /// `jti`, unique to the key.
    package let id: String
    /// Until when another with this `jti` would be taken, if this one were forgotten.
    package let goodUntil: Instant

    fileprivate init(thumbprint: Thumbprint, id: String, goodUntil: Instant) {
        self.thumbprint = thumbprint
        self.id = id
        self.goodUntil = goodUntil
    }

    /// Under what name a store remembers it: nobody can spend the proofs of another's key.
    package var spentAs: [UInt8] { SHA(Array("dpop".utf8) + [0] + thumbprint.bytes + Array(id.utf8)) }
}
