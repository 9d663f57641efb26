import OstiaryProtocol
import OstiaryTokens

/// `urn:ietf:params:oauth:grant-type:device_code` (RFC 8628 §3.4).
package struct DeviceCodeGrant: TokenGrant {
    package static let type = GrantType.deviceCode

    private let poll: Poll

    package init(_ parameters: Parameters) throws(TokenRefusal) { poll = try Poll("device_code", of: parameters) }

    package func redeem(_ turn: TokenTurn, in rows: any OAuthRows) throws -> Redemption {
        try turn.redeem(poll, in: rows) { if case .device = $0 { true } else { false } }
    }
}

/// `urn:openid:params:grant-type:ciba` (OpenID Connect CIBA §10.1).
package struct BackchannelGrant: TokenGrant {
    package static let type = GrantType.backchannel

    private let poll: Poll

    package init(_ parameters: Parameters) throws(TokenRefusal) { poll = try Poll("auth_req_id", of: parameters) }

    package func redeem(_ turn: TokenTurn, in rows: any OAuthRows) throws -> Redemption {
        try turn.redeem(poll, in: rows) { if case .backchannel = $0 { true } else { false } }
    }
}

/// What a client sends that asks whether a person has decided.
private struct Poll: Sendable {
    /// SHA of the device code or of the auth_req_id.
    let hash: [UInt8]
    let target: APIIdentifier?

    init(_ name: String, of parameters: Parameters) throws(TokenRefusal) {
        hash = SHA(try parameters.required(name).utf8)
        target = try parameters.target()
    }
}

extension TokenTurn {
    /// - Parameter isOfKind: whether it is one that this grant type is for.
    fileprivate func redeem(_ poll: Poll, in rows: any OAuthRows, _ isOfKind: (PolledAuthorization.Way) -> Bool) throws -> Redemption {
        guard let authorization = try rows.polled(hash: poll.hash, of: server), isOfKind(authorization.way) else { return .refused(.polledUnknown) }
        // Another's question neither spends it nor slows its client down, and neither does one for another API.
        guard authorization.client == application.id else { return .refused(.polledOfAnother) }
        guard poll.target == nil || poll.target == authorization.api else { return .refused(.targetUnknown) }
        let (answer, next) = authorization.polled(by: minted.redemption, at: now)
        if next != authorization { try rows.save(next) }
        switch answer {
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
