import Synchronization

/// What a closure saw, for the test to look at afterwards.
final class Seen: Sendable {
    private let content = Mutex<[Bool]>([])

    var values: [Bool] { content.withLock { $0 } }

    func note(_ value: Bool) { content.withLock { $0.append(value) } }
}
