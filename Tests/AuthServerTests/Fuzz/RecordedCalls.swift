import Synchronization

/// What went by on its way to the second-factor server.
final class RecordedCalls: Sendable {
    private let content = Mutex<[[UInt8]]>([])

    var all: [[UInt8]] { content.withLock { $0 } }

    func keep(_ bytes: [UInt8]) { content.withLock { $0.append(bytes) } }
}
