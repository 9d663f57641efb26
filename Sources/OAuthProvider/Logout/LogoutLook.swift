import Authentication
import OstiaryProtocol
import Synchronization

/// Looks for what backends are still to hear of sessions, and costs what ended lately, however many go on.
///
/// What became due in the last two minutes is found by when it did, each time. Everything else is found by going over all grants, so many in each look: what
/// ended while nobody looked or while a clock was wrong, what a host had no time for, a client that has had no address until now. Where that has come is
/// known in memory only: a restart, or another node, begins at the first.
package final class LogoutLook: Sendable {
    /// Seconds for which what became due is found by when it did. Rounds are two seconds apart, and what wrote the end of a session may have waited.
    package static let lately: UInt64 = 120
    /// Grants that one look goes over: a hundred thousand in a hundred seconds, at 10 to 20 ms of each two seconds.
    package static let part = 2_000

    private let length: Int
    private let place = Mutex<GrantPlace?>(nil)

    /// - Parameter length: grants that one look goes over.
    package init(part length: Int = part) { self.length = length }

    /// At most `limit`, each client's first before any client's second. One look at a time.
    package func due(in store: any OAuthStore, at now: Instant, limit: Int) async throws -> [LogoutNotice] {
        let (before, length) = (place.withLock { $0 }, length)
        let (lately, part) = try await store.read { rows -> ([LogoutNotice], LogoutPart) in
            guard try rows.isAnyClientTold() else { return ([], LogoutPart(notices: [], next: nil)) }
            return (
                try rows.logouts(dueSince: now - Self.lately, at: now, limit: limit),
                try rows.logouts(among: length, after: before, at: now)
            )
        }
        // Only now: what was not read is not behind us.
        place.withLock { $0 = part.next }
        return Array(Self.joined(lately, part.notices).inTurn().prefix(limit))
    }

    /// Each session and client once.
    private static func joined(_ lately: [LogoutNotice], _ others: [LogoutNotice]) -> [LogoutNotice] {
        let known = Set(lately.map(\.key))
        return lately + others.filter { !known.contains($0.key) }
    }
}

extension LogoutNotice {
    fileprivate struct Key: Hashable {
        let session: SessionID
        let client: ClientID
    }

    fileprivate var key: Key { Key(session: session, client: client) }
}
