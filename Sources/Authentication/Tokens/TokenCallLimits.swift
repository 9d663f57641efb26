import OstiaryProtocol
import Synchronization

/// How many calls of token services there may be. What is counted is this node's, and nothing is lost with it: a service that is slow holds up the calls of its own
/// virtual server only, and an app that asks in a loop is told so.
package final class TokenCallLimits: Sendable {
    /// Under way at one virtual server.
    package static let mostUnderWay = 64
    /// Of one account in a minute of the clock.
    package static let mostInMinute = 12

    private struct State {
        var underWay: [ServerID: Int] = [:]
        var minute: UInt64 = 0
        /// In that minute.
        var calls: [AccountID: Int] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Takes a place, which has to be given back.
    /// - Throws: `tooManyCalls`; then none was taken.
    func begin(_ account: AccountID, at server: ServerID, now: Instant) throws(Refusal) {
        let limit = state.withLock { state -> TokenCallLimit? in
            if state.minute != now.seconds / 60 {
                state.minute = now.seconds / 60
                state.calls = [:]
            }
            guard state.calls[account, default: 0] < Self.mostInMinute else { return .ofAccount }
            guard state.underWay[server, default: 0] < Self.mostUnderWay else { return .underWay }
            state.calls[account, default: 0] += 1
            state.underWay[server, default: 0] += 1
            return nil
        }
        if let limit { throw .tooManyCalls(limit) }
    }

    func end(at server: ServerID) {
        state.withLock { state in
            let left = state.underWay[server, default: 0] - 1
            state.underWay[server] = left > 0 ? left : nil
        }
    }

    /// Calls under way at a virtual server.
    package func underWay(at server: ServerID) -> Int { state.withLock { $0.underWay[server, default: 0] } }
}
