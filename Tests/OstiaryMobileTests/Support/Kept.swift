import Synchronization

/// The first bytes that came by, again and again.
final class Kept: Sendable {
    private let content = Mutex<[UInt8]?>(nil)

    func first(_ bytes: [UInt8]) -> [UInt8] {
        content.withLock { content in
            if content == nil { content = bytes }
            return content ?? bytes
        }
    }
}
