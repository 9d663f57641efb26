import Authentication
import Database
import OAuthProvider
import OstiaryProtocol

/// What waits and may be anybody's, counted by the indexes of those rows alone (`AuthenticationSchema.waitingColumns`).
extension SQLOAuthRows {
    func count(_ waiting: WaitingKind, _ part: WaitingPart, at server: ServerID, since: Instant, upTo most: Int) throws -> WaitingCount {
        let table =
            switch waiting {
            case .visits: "oauth_pushed WHERE spent = 0"
            case .devices: "oauth_polled WHERE state = \(PolledColumns.pending)"
            }
        var arguments = [SQLValue(server), SQLValue(since), SQLValue(most)]
        let whose: String
        switch part {
        case .place(let name):
            whose = "AND place = $4"
            arguments.append(.text(name))
        case .client(let id):
            whose = "AND client = $4"
            arguments.append(.text(id.text))
        case .server: whose = ""
        }
        let found = try connection.one(
            """
            SELECT count(*) AS total, min(expires_at) AS first_end FROM (
            SELECT expires_at FROM \(table) AND place IS NOT NULL AND server = $1 AND expires_at >= $2 \(whose) ORDER BY expires_at LIMIT $3) w
            """, arguments)
        return WaitingCount(Int(try found?.integer("total") ?? 0), firstEnd: try found?.optionalInstant("first_end"))
    }
}
