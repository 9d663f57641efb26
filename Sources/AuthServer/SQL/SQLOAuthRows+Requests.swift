import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

/// Authorizations that nobody has given yet.
extension SQLOAuthRows {
    private static let pushed = SQLTable(
        "oauth_pushed", key: ["server", "hash"], columns: ["client", "parameters", "expires_at", "spent", "place"])

    func pushedRequest(hash: [UInt8], of server: ServerID) throws -> PushedRequest? {
        try knownPushed.row(Key(server: server, name: hash)) {
            try connection.one(Self.pushed.selection + "WHERE server = $1 AND hash = $2", [SQLValue(server), .blob(hash)]).map { row in
                let kept = try KeptText(reading: try row.text("parameters"))
                return PushedRequest(
                    hash: hash, server: server, client: try row.client("client"), parameters: kept.parameters,
                    expiresAt: try row.instant("expires_at"), place: try row.optionalText("place"), isSpent: try row.bool("spent"),
                    refusedBy: kept.refusedBy)
            }
        }
    }

    func save(_ request: PushedRequest) throws {
        try knownPushed.save(
            request, as: Key(server: request.server, name: request.hash),
            values: { request in
                [
                    SQLValue(request.server), .blob(request.hash), .text(request.client.text), .text(KeptText(request).text),
                    SQLValue(request.expiresAt), SQLValue(request.isSpent), SQLValue(request.place),
                ]
            }, by: Self.pushed.saver(on: connection))
    }

    func polled(hash: [UInt8], of server: ServerID) throws -> PolledAuthorization? {
        try knownPolled.row(Key(server: server, name: hash)) {
            try polled("WHERE server = $1 AND hash = $2", [SQLValue(server), .blob(hash)]).first
        }
    }

    func polled(userCodeHash: [UInt8], of server: ServerID) throws -> PolledAuthorization? {
        try polled(
            "WHERE server = $1 AND user_code_hash = $2 AND state = \(PolledColumns.pending) ORDER BY created_at DESC, hash LIMIT 1",
            [SQLValue(server), .blob(userCodeHash)]
        ).first
    }

    func backchannelRequests(of client: ClientID, for account: AccountID, since: Instant) throws -> [PolledAuthorization] {
        try polled(
            "WHERE account = $1 AND created_at >= $2 AND client = $3 ORDER BY created_at, hash",
            [SQLValue(account), SQLValue(since), .text(client.text)])
    }

    func openQuestions(of client: ClientID, at server: ServerID, since: Instant) throws -> [PolledAuthorization] {
        try polled(
            "WHERE expires_at >= $3 AND server = $1 AND client = $2 AND state = \(PolledColumns.pending) AND session IS NOT NULL",
            [SQLValue(server), .text(client.text), SQLValue(since)])
    }

    func askedOnPhones(at server: ServerID, since: Instant) throws -> [PolledAuthorization] {
        try polled(
            "WHERE expires_at >= $2 AND server = $1 AND state = \(PolledColumns.pending) AND session IS NOT NULL",
            [SQLValue(server), SQLValue(since)])
    }

    func decidedOnPhones(at now: Instant, limit: Int) throws -> [PolledAuthorization] {
        // The last yes comes at the end of a claim; a yes is good for so long (`PolledAuthorization.goodUntil(approvedAt:)`).
        let patience = Session.claimedFor + PolledAuthorization.grace
        let longest = PolledAuthorization.longestPause
        let pause = "CASE WHEN pause < \(longest) THEN pause ELSE \(longest) END"
        let isGood = { (moment: String) in "\(moment) + \(pause) + \(PolledAuthorization.grace) >= $3" }
        return try polled(
            """
            WHERE state = \(PolledColumns.pending) AND session IS NOT NULL AND ping_address IS NOT NULL AND expires_at >= $1 AND session IN (
                SELECT id FROM session WHERE id = oauth_polled.session AND (state IN (\(SessionColumns.States.refused))
                OR state = \(SessionColumns.States.loggedIn) AND (\(isGood("expires_at")) OR \(isGood("logged_in_at")))))
            ORDER BY expires_at LIMIT $2
            """, [SQLValue(now - patience), SQLValue(limit), SQLValue(now)])
    }

    private func polled(_ condition: String, _ arguments: [SQLValue]) throws -> [PolledAuthorization] {
        try connection.query(PolledColumns.table.selection + condition, arguments).map { row in
            let authorization = try PolledColumns.read(row, secrets)
            knownPolled.note(authorization, as: Key(server: authorization.server, name: authorization.hash))
            return authorization
        }
    }

    func save(_ authorization: PolledAuthorization) throws {
        let secrets = secrets
        try knownPolled.save(
            authorization, as: Key(server: authorization.server, name: authorization.hash),
            values: { try PolledColumns.values(of: $0, secrets) }, by: PolledColumns.table.saver(on: connection))
    }
}

/// The text that is kept of a request: its parameters, and which call told its client that there is no code. That is no column of its own: a row
/// that was refused goes on to count among those that wait, and programs of before read the parameters alone.
private struct KeptText {
    let parameters: [Parameter]
    let refusedBy: RefusalID?

    init(_ request: PushedRequest) {
        parameters = request.parameters
        refusedBy = request.refusedBy
    }

    init(reading text: String) throws {
        let object = try? JSONReader.object(Array(text.utf8))
        let texts = try SQLRow.required(object?[Self.parametersName]?.strings, "parameters")
        guard texts.count.isMultiple(of: 2) else { throw SQLError.outOfRange("parameters") }
        parameters = stride(from: 0, to: texts.count, by: 2).map { Parameter(texts[$0], texts[$0 + 1]) }
        guard let call = object?[Self.refusedName] else {
            refusedBy = nil
            return
        }
        refusedBy = try SQLRow.required(call.string.flatMap { RefusalID(text: $0) }, "parameters")
    }

    var text: String {
        // Names and values by turns: a name may come twice.
        let object = JSONObject([
            Self.parametersName: .strings(parameters.flatMap { [$0.name, $0.value] }), Self.refusedName: refusedBy.map { .string($0.text) },
        ])
        return String(decoding: object.encoded, as: UTF8.self)
    }

    private static let (parametersName, refusedName) = ("parameters", "refused_by")
}
