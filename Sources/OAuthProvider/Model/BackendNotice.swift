import Authentication
import OstiaryProtocol

/// Something that a client's backend is still to hear.
package protocol BackendNotice: Sendable {
    var server: ServerID { get }
    var client: ClientID { get }
    /// Where it listens.
    var address: String { get }
    var retry: RetrySchedule { get }
}

extension Array where Element: BackendNotice {
    /// Each client's first, then each client's second, and so on, so that a client of which many are due hides no other. Of one client, and in one turn, what
    /// has been due for longest comes first, and of the same moment what came first here.
    func inTurn() -> [Element] {
        var turns: [TurnKey: Int] = [:]
        let placed = enumerated().sorted { ($0.element.retry.dueAt, $0.offset) < ($1.element.retry.dueAt, $1.offset) }.map { place, notice in
            let turn = turns[TurnKey(server: notice.server, client: notice.client), default: 0]
            turns[TurnKey(server: notice.server, client: notice.client)] = turn + 1
            return (turn: turn, due: notice.retry.dueAt, place: place, notice: notice)
        }
        return placed.sorted { ($0.turn, $0.due, $0.place) < ($1.turn, $1.due, $1.place) }.map(\.notice)
    }
}

/// A client is one server's.
private struct TurnKey: Hashable {
    let server: ServerID
    let client: ClientID
}
