import OstiaryProtocol
import OstiaryTokens

/// `urn:ietf:params:oauth:grant-type:device_code` (RFC 8628 §3.4).
package struct DeviceCodeGrant: TokenGrant {
    package static let type = GrantType.deviceCode

    private let code: String

    package init(_ parameters: Parameters) throws(TokenRefusal) { code = try parameters.required("device_code") }

    package func redeem(_ turn: TokenTurn, in rows: any OAuthRows) throws -> Redemption {
        try turn.redeemPolled(code, in: rows) { if case .device = $0.way { true } else { false } }
    }
}

/// `urn:openid:params:grant-type:ciba` (OpenID Connect CIBA §10.1).
package struct BackchannelGrant: TokenGrant {
    package static let type = GrantType.backchannel

    private let requestID: String

    package init(_ parameters: Parameters) throws(TokenRefusal) { requestID = try parameters.required("auth_req_id") }

    package func redeem(_ turn: TokenTurn, in rows: any OAuthRows) throws -> Redemption {
        try turn.redeemPolled(requestID, in: rows) { if case .backchannel = $0.way { true } else { false } }
    }
}

extension TokenTurn {
    /// - Parameter isOfKind: whether it is one that this grant type is for.
    fileprivate func redeemPolled(
        _ text: String, in rows: any OAuthRows, _ isOfKind: (PolledAuthorization) -> Bool
    ) throws -> Redemption {
        guard let authorization = try rows.polled(hash: SHA(text.utf8), of: server), isOfKind(authorization) else { return .refused(.polledUnknown) }
        // Another's question neither spends it nor slows its client down.
        guard authorization.client == application.id else { return .refused(.polledOfAnother) }
        let (poll, next) = authorization.polled(by: minted.redemption, at: now)
        if next != authorization { try rows.save(next) }
        switch poll {
        case .pending: return .refused(.pending)
        case .slowDown: return .refused(.slowDown)
        case .denied: return .refused(.denied)
        case .expired: return .refused(.polledExpired)
        case .give(let grant): return try begin(on: grant, in: rows)
        case .again(let grant):
            try rows.revoke(grant, at: now)
            return .refused(.polledSpent)
        }
    }
}
