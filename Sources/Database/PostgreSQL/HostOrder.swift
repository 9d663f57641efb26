import Synchronization

/// In which order the hosts of one database are asked: the one that answered last first, so that a silent one before it costs its time once and not
/// with each connection. It is the order and nothing else: whether a host takes writes is seen at each connection.
final class HostOrder: Sendable {
    private let count: Int
    private let known = Mutex(Known())

    /// What is known of them.
    private struct Known {
        /// The one to be asked first.
        var first = 0
        /// The one that went silent last, until it answers.
        var silent: Int?
    }

    /// - Parameter count: how many hosts there are.
    init(count: Int) { self.count = count }

    /// Places of the hosts, the one to be asked first at the front, the others as the URL has them, and one that has gone silent behind all.
    var places: [Int] {
        let known = known.withLock { $0 }
        func rank(_ place: Int) -> Int { place == known.first ? 0 : place == known.silent ? 2 : 1 }
        return (0...2).flatMap { wanted in (0..<count).filter { rank($0) == wanted } }
    }

    func note(answered place: Int) {
        known.withLock { known in
            known.first = place
            if known.silent == place { known.silent = nil }
        }
    }

    /// A host that has gone silent is asked last.
    func note(silent place: Int) {
        known.withLock { known in
            known.silent = place
            if known.first == place, count > 0 { known.first = (place + 1) % count }
        }
    }
}
