import OstiaryTokens

/// `client_credentials` (RFC 6749 §4.4): a machine, for itself.
package struct ClientCredentialsGrant: ReadingGrant {
    package static let type = GrantType.clientCredentials

    private let target: APIIdentifier?
    private let scopes: ScopeSet?

    package init(_ parameters: Parameters) throws(TokenRefusal) {
        target = try parameters.target()
        scopes = try parameters.scopes()
    }

    package func redeem(_ turn: TokenTurn, in rows: any OAuthRows) throws -> Redemption {
        switch try decide(turn, rows) {
        case .refused(let refusal): .refused(refusal)
        case .granted(let api, let scopes): try turn.issue(to: api, scopes: scopes, in: rows)
        }
    }

    /// A JWT stands in no row.
    package func redeem(_ turn: TokenTurn, reading rows: any OAuthRows) throws -> Redemption? {
        switch try decide(turn, rows) {
        case .refused(let refusal): .refused(refusal)
        case .granted(let api, let scopes): api.form == .jwt ? try turn.issue(to: api, scopes: scopes, in: rows) : nil
        }
    }

    private enum Decision {
        case granted(ProtectedAPI, ScopeSet)
        case refused(TokenRefusal)
    }

    private func decide(_ turn: TokenTurn, _ rows: any OAuthRows) throws -> Decision {
        guard !turn.application.isPublic else { return .refused(.publicClient) }
        // A client of one API need not say which.
        let only = turn.application.apis.count == 1 ? turn.application.apis.keys.first : nil
        guard let identifier = target ?? only, let mayAsk = turn.application.apis[identifier],
            let api = try rows.api(identifier, for: turn.application)
        else { return .refused(.targetUnknown) }
        let granted = api.allScopes.intersection(mayAsk).intersection(scopes ?? api.allScopes)
        guard !granted.isEmpty || api.scopes.isEmpty else { return .refused(.nothingGranted) }
        return .granted(api, granted)
    }
}
