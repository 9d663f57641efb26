import OstiaryProtocol
import Synchronization

/// How many calls of the services of one kind there may be. What is counted is this node's, and nothing is lost with it: a service that is slow holds up the calls of its own
/// virtual server only, and an app that asks in a loop is told so.
package final class ServiceCallLimits: Sendable {
    /// Under way at one virtual server.
    package static let mostUnderWay = 64
    /// Of these of one account: with a minute's worth at once two accounts held up a virtual server whose service is slow.
    package static let mostUnderWayOfAccount = 8
    /// Of one account in a minute of the clock, where each is a person's wish.
    package static let mostTokensInMinute = 12
    /// Where they are an app's, which shows a list and what stands in it.
    package static let mostDataInMinute = 60

    private struct State {
        var underWay: [ServerID: Int] = [:]
        var underWayOf: [AccountID: Int] = [:]
        var minute: UInt64 = 0
        /// In that minute.
        var calls: [AccountID: Int] = [:]
        /// Under way: names of calls of which there is one at a time.
        var names: Set<[UInt8]> = []
    }

    private let state = Mutex(State())

    private let mostInMinute: Int

    package init(mostInMinute: Int) { self.mostInMinute = mostInMinute }

    /// Takes a place, which has to be given back.
    /// - Parameter name: of a call of which there is one at a time; it is given back with the place.
    /// - Throws: `tooManyCalls`; then none was taken.
    func begin(_ account: AccountID, at server: ServerID, named name: [UInt8]? = nil, now: Instant) throws(Refusal) {
        let limit = state.withLock { [mostInMinute] state -> ServiceCallLimit? in
            if state.minute != now.seconds / 60 {
                state.minute = now.seconds / 60
                state.calls = [:]
            }
            if let name, state.names.contains(name) { return .same }
            guard state.calls[account, default: 0] < mostInMinute else { return .ofAccount }
            guard state.underWayOf[account, default: 0] < Self.mostUnderWayOfAccount else { return .underWayOfAccount }
            guard state.underWay[server, default: 0] < Self.mostUnderWay else { return .underWay }
            state.underWayOf[account, default: 0] += 1
            state.calls[account, default: 0] += 1
            state.underWay[server, default: 0] += 1
            if let name { state.names.insert(name) }
            return nil
        }
        if let limit { throw .tooManyCalls(limit) }
    }

    func end(_ account: AccountID, at server: ServerID, named name: [UInt8]? = nil) {
        state.withLock { state in
            if let name { state.names.remove(name) }
            Self.takeOne(from: &state.underWay, server)
            Self.takeOne(from: &state.underWayOf, account)
        }
    }

    private static func takeOne<Key: Hashable>(from counts: inout [Key: Int], _ key: Key) {
        let left = counts[key, default: 0] - 1
        counts[key] = left > 0 ? left : nil
    }

    /// Calls under way at a virtual server.
    package func underWay(at server: ServerID) -> Int { state.withLock { $0.underWay[server, default: 0] } }
}
