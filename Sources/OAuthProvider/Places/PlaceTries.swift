import OstiaryProtocol
import Synchronization

/// How often each place has tried something lately, and when it may again. Of this process: who asks several nodes has as many tries at each.
package final class PlaceTries: Sendable {
    /// Places of which it remembers anything; of more, the one that tried longest ago is forgotten. As many networks.
    package static let mostPlaces = 10_000
    /// Seconds by which a call may come after one that was later: more is a clock that was put back. Longer than a body may take to arrive, as a request is
    /// of the moment at which its head came: who sends one slowly puts no clock back for all.
    static let disorder: UInt64 = 60

    fileprivate struct State {
        var places: [String?: RecentTries] = [:]
        var networks: [String: RecentTries] = [:]
        /// Those that are believed, of which there are few: they are kept.
        var proxies: [String: RecentTries] = [:]
        /// The latest that the clock has shown.
        var latest = Instant(0)
    }

    private let pace: Pace
    private let state = Mutex(State())

    package init(_ pace: Pace) { self.pace = pace }

    /// Counts a try, at once: of many at the same moment no more go on than may.
    /// - Returns: nil when it may; otherwise the seconds after which one may.
    package func take(_ place: CallPlace, at now: Instant) -> UInt64? {
        state.withLock { state in
            state.follow(now)
            if let wait = wait(place, state, at: now) { return wait }
            state.places[place.address] = state.places[place.address, default: RecentTries()].adding(now, under: pace)
            Self.forget(&state.places, but: place.address)
            if let network = place.network {
                state.networks[network] = state.networks[network, default: RecentTries()].adding(now, under: pace.inNetwork)
                Self.forget(&state.networks, but: network)
            }
            if let proxy = place.proxy {
                state.proxies[proxy] = state.proxies[proxy, default: RecentTries()].adding(now, under: pace.throughProxy)
            }
            return nil
        }
    }

    /// Seconds after which the place may try again; nil when it may now. Counts nothing.
    package func wait(_ place: CallPlace, at now: Instant) -> UInt64? {
        state.withLock { state in
            state.follow(now)
            return wait(place, state, at: now)
        }
    }

    private func wait(_ place: CallPlace, _ state: State, at now: Instant) -> UInt64? {
        [
            state.places[place.address]?.wait(under: pace, at: now),
            place.network.flatMap { state.networks[$0] }?.wait(under: pace.inNetwork, at: now),
            place.proxy.flatMap { state.proxies[$0] }?.wait(under: pace.throughProxy, at: now),
        ].compactMap { $0 }.max()
    }

    /// What was taken at this moment was none that counts.
    package func giveBack(_ place: CallPlace, takenAt moment: Instant) {
        state.withLock { state in
            state.places[place.address] = state.places[place.address]?.givingBack(moment)
            if let network = place.network { state.networks[network] = state.networks[network]?.givingBack(moment) }
            if let proxy = place.proxy { state.proxies[proxy] = state.proxies[proxy]?.givingBack(moment) }
        }
    }

    /// - Parameter kept: who tried just now: forgotten, they would try without end.
    private static func forget<Key: Hashable>(_ tries: inout [Key: RecentTries], but kept: Key) {
        guard tries.count > mostPlaces else { return }
        let oldest = tries.lazy.filter { $0.key != kept }
            .min { ($0.value.moments.last ?? Instant(0)) < ($1.value.moments.last ?? Instant(0)) }
        if let oldest { tries.removeValue(forKey: oldest.key) }
    }
}

extension PlaceTries.State {
    /// What was counted by a clock that ran ahead counts as done when it is put right: nobody is locked until that clock is reached, nobody has more tries
    /// for it, and what is counted from then on is not forgotten before it.
    fileprivate mutating func follow(_ now: Instant) {
        guard now + PlaceTries.disorder < latest else {
            latest = max(latest, now)
            return
        }
        latest = now
        places = places.mapValues { $0.broughtBack(to: now) }
        networks = networks.mapValues { $0.broughtBack(to: now) }
        proxies = proxies.mapValues { $0.broughtBack(to: now) }
    }
}
