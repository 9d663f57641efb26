import OstiaryTokens

/// `authorization_code` (RFC 6749 §4.1.3, RFC 7636 §4.6).
package struct CodeGrant: TokenGrant {
    package static let type = GrantType.authorizationCode

    private let code: String
    private let redirectURI: String?
    /// Or why what was sent is none: that is a wrong one like any other, and burns the code.
    private let verifier: Result<CodeVerifier, PKCEError>
    private let target: APIIdentifier?

    package init(_ parameters: Parameters) throws(TokenRefusal) {
        code = try parameters.required("code")
        redirectURI = parameters["redirect_uri"]
        let text = try parameters.required("code_verifier")
        do { verifier = .success(try CodeVerifier(text)) } catch { verifier = .failure(error) }
        target = try parameters.target()
    }

    package func redeem(_ turn: TokenTurn, in rows: any OAuthRows) throws -> Redemption {
        guard var code = try rows.code(hash: AuthorizationCode.hash(of: code), of: turn.server) else { return .refused(.codeUnknown) }
        // A second use that came in between took back what this call gave, and not that it did.
        if code.redeemedBy == turn.minted.redemption, let former = turn.former { return former }
        guard code.redeemedBy == nil || code.redeemedBy == turn.minted.redemption else {
            // Two have it. Whoever came first may be the thief (RFC 6749 §4.1.2, RFC 9700 §4.5).
            try rows.endForReuse(code.grant, at: turn.now)
            return .refused(.codeSpent)
        }
        // Spent before it is checked: what was shown with a wrong client or verifier is burnt, not handed back.
        code.redeemedBy = turn.minted.redemption
        try rows.save(code)
        if let refusal = refusal(of: code, turn) { return .refused(refusal) }
        // By its first tokens somebody is logged in at the client, and nobody is by a login that its person has ended meanwhile.
        let redemption = try turn.begin(on: code.grant, for: target, whileLoggedIn: true, in: rows)
        // Nothing is given on it any more, and nobody steals what gave nothing.
        if case .refused(.grantOver) = redemption { try rows.revoke(code.grant, at: turn.now) }
        return redemption
    }

    private func refusal(of code: AuthorizationCode, _ turn: TokenTurn) -> TokenRefusal? {
        guard turn.now <= code.expiresAt else { return .codeExpired }
        guard code.client == turn.application.id else { return .codeOfAnother }
        guard hasRedirect(of: code) else { return .redirectChanged }
        switch verifier {
        case .failure(let error): return .verifier(error)
        case .success(let verifier): guard code.challenge.isMet(by: verifier) else { return .verifierWrong }
        }
        guard let key = code.boundKey else { return nil }
        guard let proof = turn.proof else { return .proof(.missing) }
        guard proof.thumbprint == key else { return .proof(.otherKey) }
        return nil
    }

    /// Exactly when the request had one it is here, and the same (S3-35).
    private func hasRedirect(of code: AuthorizationCode) -> Bool {
        switch (code.redirectURI, redirectURI) {
        case (nil, nil): true
        case (let former?, let now?): former.isSame(as: now)
        case (nil, .some), (.some, nil): false
        }
    }
}
