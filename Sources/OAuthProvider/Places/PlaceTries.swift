import OstiaryProtocol
import Synchronization

/// How often each place has tried something lately, and when it may again. Of this process: who asks several nodes has as many tries at each.
package final class PlaceTries: Sendable {
    /// Places of which it remembers anything; of more, the one that tried longest ago is forgotten.
    package static let mostPlaces = 10_000

    private struct State {
        var places: [String?: RecentTries] = [:]
        /// Those that are believed, of which there are few: they are kept.
        var proxies: [String: RecentTries] = [:]
    }

    private let pace: Pace
    private let state = Mutex(State())

    package init(_ pace: Pace) { self.pace = pace }

    /// Counts a try, at once: of many at the same moment no more go on than may.
    /// - Returns: nil when it may; otherwise the seconds after which one may.
    package func take(_ place: CallPlace, at now: Instant) -> UInt64? {
        state.withLock { state in
            if let wait = wait(place, state, at: now) { return wait }
            state.places[place.address] = state.places[place.address, default: RecentTries()].adding(now, under: pace)
            if let proxy = place.proxy {
                state.proxies[proxy] = state.proxies[proxy, default: RecentTries()].adding(now, under: pace.throughProxy)
            }
            Self.forget(&state)
            return nil
        }
    }

    /// Seconds after which the place may try again; nil when it may now. Counts nothing.
    package func wait(_ place: CallPlace, at now: Instant) -> UInt64? { state.withLock { wait(place, $0, at: now) } }

    private func wait(_ place: CallPlace, _ state: State, at now: Instant) -> UInt64? {
        [
            state.places[place.address]?.wait(under: pace, at: now),
            place.proxy.flatMap { state.proxies[$0] }?.wait(under: pace.throughProxy, at: now),
        ].compactMap { $0 }.max()
    }

    /// What was taken at this moment was none that counts.
    package func giveBack(_ place: CallPlace, takenAt moment: Instant) {
        state.withLock { state in
            state.places[place.address] = state.places[place.address]?.givingBack(moment)
            if let proxy = place.proxy { state.proxies[proxy] = state.proxies[proxy]?.givingBack(moment) }
        }
    }

    private static func forget(_ state: inout State) {
        guard state.places.count > mostPlaces else { return }
        let oldest = state.places.min { ($0.value.moments.last ?? Instant(0)) < ($1.value.moments.last ?? Instant(0)) }
        if let oldest { state.places.removeValue(forKey: oldest.key) }
    }
}
