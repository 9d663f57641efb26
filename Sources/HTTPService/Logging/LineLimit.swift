import Synchronization

/// Lets so many lines of a kind into the log in a while, so that whoever can cause lines cannot fill a disk with them.
package final class LineLimit<Kind: Hashable & Sendable>: Sendable {
    private struct Window {
        let opened: ContinuousClock.Instant
        var said = 1
        var heldBack = 0
    }

    private let burst: Int
    private let length: Duration
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let windows = Mutex<[Kind: Window]>([:])

    /// - Parameters:
    ///   - burst: lines of one kind in a window.
    ///   - length: of a window, which the first line opens. There must be few kinds: they are kept for ever.
    package init(
        burst: Int = 1, in length: Duration = .seconds(60), clock: @Sendable @escaping () -> ContinuousClock.Instant = { .now }
    ) {
        self.burst = burst
        self.length = length
        self.clock = clock
    }

    /// Nil: say nothing now. Otherwise how many lines of this kind were held back since the last one that was said.
    package func admit(_ kind: Kind) -> Int? {
        let now = clock()
        return windows.withLock { windows in
            guard var window = windows[kind], now < window.opened + length else {
                defer { windows[kind] = Window(opened: now) }
                return windows[kind]?.heldBack ?? 0
            }
            defer { windows[kind] = window }
            guard window.said < burst else {
                window.heldBack += 1
                return nil
            }
            window.said += 1
            return 0
        }
    }
}
