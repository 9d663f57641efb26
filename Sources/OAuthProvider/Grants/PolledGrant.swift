import OstiaryProtocol
import OstiaryTokens

/// What a client asks for again and again until a person has decided elsewhere: the answer is that of `PolledAuthorization.polled`.
package struct PolledGrant<Kind: PolledKind>: TokenGrant {
    package static var type: GrantType { Kind.type }

    /// SHA of the device code or of the auth_req_id.
    private let hash: [UInt8]
    private let target: APIIdentifier?

    package init(_ parameters: Parameters) throws(TokenRefusal) {
        hash = SHA(try parameters.required(Kind.parameter).utf8)
        target = try parameters.target()
    }

    package func redeem(_ turn: TokenTurn, in rows: any OAuthRows) throws -> Redemption {
        guard let authorization = try rows.polled(hash: hash, of: turn.server), Kind.includes(authorization.way) else {
            return .refused(.polledUnknown)
        }
        // Another's question neither spends it nor slows its client down, and neither does one for another API.
        guard authorization.client == turn.application.id else { return .refused(.polledOfAnother) }
        guard target == nil || target == authorization.api else { return .refused(.targetUnknown) }
        // A second use that came in between took back what this call gave, and not that it did.
        if authorization.redeemer == turn.minted.redemption, let former = turn.former { return former }
        let (current, isBeingDecided) = try rows.following(authorization, granting: turn.minted.grant, at: turn.now)
        let (answer, next) = current.polled(by: turn.minted.redemption, isBeingDecided: isBeingDecided, at: turn.now)
        if next != current { try rows.save(next) }
        switch answer {
        case .pending: return .refused(.pending)
        case .slowDown: return .refused(.slowDown)
        case .denied: return .refused(.denied)
        case .expired: return .refused(.polledExpired)
        case .give(let grant): return try turn.begin(on: grant, in: rows)
        case .again(let grant):
            try rows.endForReuse(grant, at: turn.now)
            return .refused(.polledSpent)
        }
    }
}

/// Which authorizations a grant type is for, and by which parameter it names one.
package protocol PolledKind: Sendable {
    static var type: GrantType { get }
    static var parameter: String { get }
    static func includes(_ way: PolledAuthorization.Way) -> Bool
}

/// `urn:ietf:params:oauth:grant-type:device_code` (RFC 8628 §3.4).
package enum DevicePoll: PolledKind {
    package static let type = GrantType.deviceCode
    package static let parameter = "device_code"
    package static func includes(_ way: PolledAuthorization.Way) -> Bool { if case .device = way { true } else { false } }
}

/// `urn:openid:params:grant-type:ciba` (OpenID Connect CIBA §10.1).
package enum BackchannelPoll: PolledKind {
    package static let type = GrantType.backchannel
    package static let parameter = "auth_req_id"
    package static func includes(_ way: PolledAuthorization.Way) -> Bool { if case .backchannel = way { true } else { false } }
}
