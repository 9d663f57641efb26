import Foundation

/// Tokens of the server's OAuth provider, which are bound to a key of this device.
extension Ostiary {
    /// The proof that has to go with one request, in its header field `DPoP` (RFC 9449): with the one that exchanges the `webNonce` of an AppLogin for a
    /// token, and with each that shows the token. Make one for each request; it is good for a minute and once.
    ///
    /// It is told to nobody but the caller, and implies no person: backends are called in the background as well.
    /// - Parameters:
    ///   - session: an AppLogin that is logged in.
    ///   - method: of the request, in capitals.
    ///   - url: of the request.
    ///   - accessToken: the token that goes with it; nil for the request that asks for one.
    ///   - nonce: what the server said last in `DPoP-Nonce`; nil if it said nothing.
    /// - Throws: `wrongOrder` for any other session; `notOffered` where ``Configuration/bindsTokens`` is off; `linkUnreadable` for an address without a
    ///   host; `keyStore`.
    public func tokenProof(
        for session: Session, method: String, url: URL, accessToken: String? = nil, nonce: String? = nil
    ) async throws(OstiaryError) -> String {
        let engine = try core(for: .system).engine
        return try await engine.tokenProof(for: session.id, method: method, url: url, accessToken: accessToken, nonce: nonce)
    }
}
