import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

/// An authorization that a client polls for, as columns. How far its ping is stands beside them, and is no part of it.
enum PolledColumns {
    static let table = SQLTable(
        "oauth_polled", key: ["server", "hash"],
        columns: [
            "client", "way", "user_code_hash", "account", "scopes", "api", "strengths", "binding_message", "created_at", "expires_at", "pause",
            "polled_at", "polled_by", "state", "grant_id", "redeemed_by", "session", "ping_address", "ping_token", "ping_request",
            "place",
        ])

    private enum Way: UInt8 {
        case device = 1
        case backchannel = 2
    }

    private enum State: UInt8 {
        case pending, approved, denied, redeemed
    }

    static let pending = stateList(State.pending)
    static let approved = stateList(State.approved)

    static func values(of authorization: PolledAuthorization, _ secrets: RowSecrets) throws -> [SQLValue] {
        let (way, code, account): (Way, [UInt8]?, AccountID?) =
            switch authorization.way {
            case .device(let hash): (.device, hash, nil)
            case .backchannel(let account): (.backchannel, nil, account)
            }
        let (state, grant, redeemer): (State, GrantID?, RedemptionID?) =
            switch authorization.state {
            case .pending: (.pending, nil, nil)
            case .approved(let grant): (.approved, grant, nil)
            case .denied: (.denied, nil, nil)
            case .redeemed(let grant, by: let redemption): (.redeemed, grant, redemption)
            }
        let (row, ping) = (authorization.hash, authorization.notification)
        return [
            SQLValue(authorization.server), .blob(authorization.hash), .text(authorization.client.text), SQLValue(way), SQLValue(code),
            SQLValue(account), .text(authorization.scopes.text), SQLValue(authorization.api?.text),
            TextColumns.words(authorization.strengths.map(\.rawValue)), SQLValue(authorization.bindingMessage), SQLValue(authorization.createdAt),
            SQLValue(authorization.expiresAt), SQLValue(authorization.interval), SQLValue(authorization.polledAt),
            SQLValue(authorization.polledBy), SQLValue(state), SQLValue(grant), SQLValue(redeemer), SQLValue(authorization.session),
            SQLValue(ping?.address),
            SQLValue(try ping.map { try secrets.wrapped($0.token, Place.token, row) }),
            SQLValue(try ping.map { try secrets.wrapped($0.requestID, Place.requestID, row) }), SQLValue(authorization.place),
        ]
    }

    /// Where secrets are wrapped for.
    private enum Place {
        static let token = "oauth-polled/token"
        static let requestID = "oauth-polled/request"
    }

    static func read(_ row: SQLRow, _ secrets: RowSecrets) throws -> PolledAuthorization {
        let (createdAt, expiresAt) = (try row.instant("created_at"), try row.instant("expires_at"))
        let hash = try row.blob("hash")
        let ping = try row.optionalText("ping_address").map { address in
            PolledAuthorization.Notification(
                address: address, token: secrets.secret(try row.blob("ping_token"), Place.token, hash),
                requestID: secrets.secret(try row.blob("ping_request"), Place.requestID, hash))
        }
        return PolledAuthorization(
            hash: hash, server: try row.identifier("server"), client: try row.client("client"), way: try way(row), scopes: try row.scopes("scopes"),
            api: try row.optionalAPI("api"), strengths: try row.words("strengths"), bindingMessage: try row.optionalText("binding_message"),
            createdAt: createdAt, life: expiresAt.seconds(since: createdAt), interval: try row.unsigned("pause"),
            polledAt: try row.optionalInstant("polled_at"), polledBy: try row.optionalIdentifier("polled_by"), state: try state(row),
            session: try row.optionalIdentifier("session"), notification: ping, place: try row.optionalText("place"))
    }

    private static func way(_ row: SQLRow) throws -> PolledAuthorization.Way {
        switch try row.choice("way", as: Way.self) {
        case .device: .device(userCodeHash: try row.blob("user_code_hash"))
        case .backchannel: .backchannel(try row.optionalIdentifier("account"))
        }
    }

    private static func state(_ row: SQLRow) throws -> PolledAuthorization.State {
        switch try row.choice("state", as: State.self) {
        case .pending: .pending
        case .approved: .approved(try row.identifier("grant_id"))
        case .denied: .denied
        case .redeemed: .redeemed(try row.identifier("grant_id"), by: try row.identifier("redeemed_by"))
        }
    }
}
