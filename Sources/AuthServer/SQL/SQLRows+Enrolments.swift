import Authentication
import Database
import OstiaryProtocol

extension SQLRows {
    func enrolment(_ id: EnrolmentID) throws -> Enrolment? {
        try knownEnrolments.row(id) { try enrolments("WHERE id = $1", [SQLValue(id)]).first }
    }

    func enrolment(nonceHash: [UInt8], of server: ServerID) throws -> Enrolment? {
        try enrolments("WHERE server = $1 AND nonce_hash = $2 ORDER BY position DESC LIMIT 1", [SQLValue(server), .blob(nonceHash)]).first
    }

    func enrolment(ephemeral: [UInt8]) throws -> Enrolment? {
        try enrolments("WHERE ephemeral = $1 ORDER BY position DESC LIMIT 1", [.blob(ephemeral)]).first
    }

    func enrolment(account: AccountID) throws -> Enrolment? {
        try enrolments("WHERE account = $1 ORDER BY position DESC LIMIT 1", [SQLValue(account)]).first
    }

    func upgrades(of account: AccountID) throws -> [Enrolment] {
        try enrolments("WHERE upgrades = $1 AND state IN (\(EnrolmentColumns.unfinished)) ORDER BY position", [SQLValue(account)])
    }

    func overdueEnrolments(at now: Instant, limit: Int) throws -> [Enrolment] {
        try enrolments(
            "WHERE expires_at < $1 AND state IN (\(EnrolmentColumns.unfinished)) ORDER BY expires_at LIMIT $2", [SQLValue(now), SQLValue(limit)])
    }

    func enrolments(_ condition: String, _ arguments: [SQLValue]) throws -> [Enrolment] {
        try connection.query(EnrolmentColumns.table.selection + condition, arguments).map { row in
            let enrolment = try EnrolmentColumns.read(row) { id, wrapped in secret(wrapped, "enrolment/share", id.bytes) }
            knownEnrolments.note(enrolment, as: enrolment.id)
            return enrolment
        }
    }

    func save(_ enrolment: Enrolment) throws {
        try knownEnrolments.save(enrolment, as: enrolment.id, values: values, by: EnrolmentColumns.table.saver(on: connection))
    }

    private func values(of enrolment: Enrolment) throws -> [SQLValue] {
        let share = try enrolment.claim.map { try wrapped($0.serverShare, "enrolment/share", enrolment.id.bytes) }
        return EnrolmentColumns.values(of: enrolment, share: SQLValue(share))
    }
}

/// An enrolment as columns.
enum EnrolmentColumns {
    static let table = SQLTable(
        "enrolment", key: ["id"],
        columns: [
            "server", "secret_hash", "nonce_hash", "stream", "user_id", "display_name", "expires_at", "wrong_codes", "state", "failure", "device_key",
            "device", "app", "account", "share", "enrol_hash", "ephemeral", "decision", "verified_at", "activated_at", "session", "given_back",
            "page", "headless", "upgrades",
        ])

    private enum State: UInt8 {
        case open, claimed, confirming, active, failed
    }

    /// Those that can still become an account, for conditions on the column `state`.
    static let unfinished = stateList(State.open, .claimed, .confirming)

    static func values(of enrolment: Enrolment, share: SQLValue) -> [SQLValue] {
        let claim = enrolment.claim
        let (state, finish, activation, failure) = parts(of: enrolment.state)
        return [
            SQLValue(enrolment.id), SQLValue(enrolment.server), .blob(enrolment.secretHash), .blob(enrolment.nonceHash), SQLValue(enrolment.stream),
            SQLValue(enrolment.userID), .text(enrolment.displayName), SQLValue(enrolment.expiresAt), SQLValue(number: enrolment.wrongCodes),
            SQLValue(state), SQLValue(failure), SQLValue(claim?.deviceKey), SQLValue(claim?.device), SQLValue(claim?.app), SQLValue(claim?.account),
            share, SQLValue(claim?.enrolHash), SQLValue(claim?.ephemeral), SQLValue(finish?.decision),
            SQLValue(finish?.verifiedAt), SQLValue(activation?.at), SQLValue(activation?.session),
            SQLValue(enrolment.givenBack), SQLValue(enrolment.page), SQLValue(enrolment.purpose == .headless),
            SQLValue(enrolment.purpose.upgraded),
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

    static func read(_ row: SQLRow, secret: (EnrolmentID, [UInt8]) -> StoredSecret) throws -> Enrolment {
        let id = try row.identifier("id", of: EnrolmentKind.self)
        return Enrolment(
            id: id, server: try row.identifier("server"), secretHash: try row.blob("secret_hash"), nonceHash: try row.blob("nonce_hash"),
            stream: try row.identifier("stream"), userID: try row.optionalText("user_id"), displayName: try row.text("display_name"),
            purpose: try purpose(row), page: try row.optionalBlob("page"), expiresAt: try row.instant("expires_at"),
            wrongCodes: try row.number("wrong_codes"),
            state: try state(row) { secret(id, $0) }, givenBack: try row.optionalChoice("given_back"))
    }

    private static func purpose(_ row: SQLRow) throws -> EnrolmentPurpose {
        if let account = try row.optionalIdentifier("upgrades", of: AccountKind.self) { return .upgrade(account) }
        return try row.bool("headless") ? .headless : .full
    }

    private static func state(_ row: SQLRow, secret: ([UInt8]) -> StoredSecret) throws -> Enrolment.State {
        switch try row.choice("state", as: State.self) {
        case .open: .open
        case .claimed: .claimed(try claim(row, secret: secret))
        case .confirming: .confirming(try claim(row, secret: secret), try finish(row))
        case .active:
            .active(
                try claim(row, secret: secret), try finish(row),
                .init(at: try row.instant("activated_at"), session: try row.optionalIdentifier("session")))
        case .failed: .failed(try row.choice("failure"), try row.isNull("device_key") ? nil : claim(row, secret: secret))
        }
    }

    private static func finish(_ row: SQLRow) throws -> Enrolment.Finish {
        Enrolment.Finish(decision: try row.blob("decision"), verifiedAt: try row.optionalInstant("verified_at"))
    }

    private static func claim(_ row: SQLRow, secret: ([UInt8]) -> StoredSecret) throws -> Enrolment.Claim {
        Enrolment.Claim(
            deviceKey: try row.blob("device_key"), device: try row.text("device"), app: try row.text("app"), account: try row.identifier("account"),
            serverShare: secret(try row.blob("share")), enrolHash: try row.blob("enrol_hash"), ephemeral: try row.blob("ephemeral"))
    }
}
