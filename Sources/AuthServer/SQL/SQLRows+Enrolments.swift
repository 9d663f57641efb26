import Authentication
import Database
import OstiaryProtocol

extension SQLRows {
    func enrolment(_ id: EnrolmentID) throws -> Enrolment? { try enrolments("WHERE id = $1", [SQLValue(id)]).first }

    func enrolment(nonceHash: [UInt8], of server: ServerID) throws -> Enrolment? {
        try enrolments("WHERE server = $1 AND nonce_hash = $2 ORDER BY position DESC LIMIT 1", [SQLValue(server), .blob(nonceHash)]).first
    }

    func enrolment(ephemeral: [UInt8]) throws -> Enrolment? {
        try enrolments("WHERE ephemeral = $1 ORDER BY position DESC LIMIT 1", [.blob(ephemeral)]).first
    }

    func enrolment(account: AccountID) throws -> Enrolment? {
        try enrolments("WHERE account = $1 ORDER BY position DESC LIMIT 1", [SQLValue(account)]).first
    }

    func overdueEnrolments(at now: Instant, limit: Int) throws -> [Enrolment] {
        try enrolments(
            "WHERE expires_at < $1 AND state IN (\(EnrolmentColumns.unfinished)) ORDER BY expires_at LIMIT $2", [SQLValue(now), SQLValue(limit)])
    }

    func enrolments(_ condition: String, _ arguments: [SQLValue]) throws -> [Enrolment] {
        try all("SELECT \(EnrolmentColumns.names.joined(separator: ", ")) FROM enrolment \(condition)", arguments) { columns in
            try EnrolmentColumns.read(&columns) { id, wrapped in try unwrap(wrapped, "enrolment/share", id.bytes) }
        }
    }

    private static let upsert = Upsert("enrolment", key: ["id"], columns: EnrolmentColumns.names)

    func save(_ enrolment: Enrolment) throws {
        let share = try enrolment.claim.map { try wrap($0.serverShare, "enrolment/share", enrolment.id.bytes) }
        try connection.execute(Self.upsert.sql, EnrolmentColumns.values(of: enrolment, share: share))
    }
}

/// An enrolment as columns.
enum EnrolmentColumns {
    static let names = [
        "id", "server", "secret_hash", "nonce_hash", "stream", "user_id", "display_name", "expires_at", "wrong_codes", "state", "failure",
        "device_key", "device", "app", "account", "share", "request_hash", "ephemeral", "shown", "decision", "verified_at", "activated_at", "session",
        "given_back", "page",
    ]

    private enum State: UInt8 {
        case open, claimed, confirming, active, failed
    }

    /// Those that can still become an account, for conditions on the column `state`.
    static let unfinished = stateList(State.open, .claimed, .confirming)

    static func values(of enrolment: Enrolment, share: [UInt8]?) -> [SQLValue] {
        let claim = enrolment.claim
        let (state, finish, activation, failure) = parts(of: enrolment.state)
        return [
            SQLValue(enrolment.id), SQLValue(enrolment.server), .blob(enrolment.secretHash), .blob(enrolment.nonceHash), SQLValue(enrolment.stream),
            SQLValue(enrolment.userID), .text(enrolment.displayName), SQLValue(enrolment.expiresAt), SQLValue(number: enrolment.wrongCodes),
            SQLValue(state), SQLValue(failure), SQLValue(claim?.deviceKey), SQLValue(claim?.device), SQLValue(claim?.app), SQLValue(claim?.account),
            SQLValue(share), SQLValue(claim?.requestHash), SQLValue(claim?.ephemeral), SQLValue(claim?.shown), SQLValue(finish?.decision),
            SQLValue(finish?.verifiedAt), SQLValue(activation?.at), SQLValue(activation?.session),
            SQLValue(enrolment.givenBack), SQLValue(enrolment.page),
        ]
    }

    private static func parts(of state: Enrolment.State) -> (State, Enrolment.Finish?, Enrolment.Activation?, Enrolment.Failure?) {
        switch state {
        case .open: (.open, nil, nil, nil)
        case .claimed: (.claimed, nil, nil, nil)
        case .confirming(_, let finish): (.confirming, finish, nil, nil)
        case .active(_, let finish, let activation): (.active, finish, activation, nil)
        case .failed(let failure, _): (.failed, nil, nil, failure)
        }
    }

    static func read(_ columns: inout ColumnReader, unwrap: (EnrolmentID, [UInt8]) throws -> [UInt8]) throws -> Enrolment {
        let id = try columns.identifier(EnrolmentKind.self)
        let (server, secretHash, nonceHash) = (try columns.identifier(ServerKind.self), try columns.blob(), try columns.blob())
        let stream: StreamID = try columns.identifier()
        let (userID, displayName) = (try columns.optionalText(), try columns.text())
        let (expiresAt, wrongCodes) = (try columns.instant(), try columns.number(UInt8.self))
        let state = try state(&columns) { try unwrap(id, $0) }
        let givenBack = try columns.optionalChoice(Decision.self)
        return Enrolment(
            id: id, server: server, secretHash: secretHash, nonceHash: nonceHash, stream: stream, userID: userID, displayName: displayName,
            page: try columns.optionalBlob(), expiresAt: expiresAt, wrongCodes: wrongCodes, state: state, givenBack: givenBack)
    }

    private static func state(_ columns: inout ColumnReader, unwrap: ([UInt8]) throws -> [UInt8]) throws -> Enrolment.State {
        let state = try columns.choice(State.self)
        let failure = try columns.optionalChoice(Enrolment.Failure.self)
        let claim = try claim(&columns, unwrap: unwrap)
        let decision = try columns.optionalBlob()
        let verifiedAt = try columns.optionalInstant()
        let activatedAt = try columns.optionalInstant()
        let session = try columns.optionalIdentifier(SessionKind.self)
        func finish() throws -> Enrolment.Finish { Enrolment.Finish(decision: try columns.some(decision), verifiedAt: try columns.some(verifiedAt)) }
        switch state {
        case .open: return .open
        case .claimed: return .claimed(try columns.some(claim))
        case .confirming: return .confirming(try columns.some(claim), try finish())
        case .active:
            let activation = Enrolment.Activation(at: try columns.some(activatedAt), session: try columns.some(session))
            return .active(try columns.some(claim), try finish(), activation)
        case .failed: return .failed(try columns.some(failure), claim)
        }
    }

    private static func claim(_ columns: inout ColumnReader, unwrap: ([UInt8]) throws -> [UInt8]) throws -> Enrolment.Claim? {
        let deviceKey = try columns.optionalBlob()
        let device = try columns.optionalText()
        let app = try columns.optionalText()
        let account = try columns.optionalIdentifier(AccountKind.self)
        let share = try columns.optionalBlob()
        let requestHash = try columns.optionalBlob()
        let ephemeral = try columns.optionalBlob()
        let shown = try columns.optionalBlob()
        guard let deviceKey, let device, let app, let account, let share, let requestHash, let ephemeral, let shown else { return nil }
        return Enrolment.Claim(
            deviceKey: deviceKey, device: device, app: app, account: account, serverShare: try unwrap(share), requestHash: requestHash,
            ephemeral: ephemeral, shown: shown)
    }
}
