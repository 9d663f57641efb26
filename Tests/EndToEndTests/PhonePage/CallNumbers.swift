import Synchronization

/// The numbers of the calls of one loaded page, under which it seals them.
final class CallNumbers: Sendable {
    private static let pages = Mutex<UInt64>(0)

    /// No other page of this process has it.
    let sender: UInt64 = pages.withLock { pages in
        pages += 1
        return pages
    }
    private let count = Mutex<UInt32>(0)

    func next() -> UInt32 {
        count.withLock { count in
            defer { count += 1 }
            return count
        }
    }
}
