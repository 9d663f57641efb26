import Synchronization

/// In which order the hosts of one database are asked: the one that answered last first, so that a silent one before it costs its time once and not
/// with each connection. It is the order and nothing else: whether a host takes writes is seen at each connection.
final class HostOrder: Sendable {
    private let count: Int
    private let first = Mutex(0)

    /// - Parameter count: how many hosts there are.
    init(count: Int) { self.count = count }

    /// Places of the hosts, the one to be asked first at the front, the others as the URL has them.
    var places: [Int] {
        let first = first.withLock { $0 }
        return [first].filter { $0 < count } + (0..<count).filter { $0 != first }
    }

    func note(answered place: Int) { first.withLock { $0 = place } }

    /// A host that has gone silent is asked last.
    func note(silent place: Int) {
        first.withLock { first in
            if first == place, count > 0 { first = (place + 1) % count }
        }
    }
}
