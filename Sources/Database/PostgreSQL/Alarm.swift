import Foundation

/// Wakes a thread that waits for a descriptor. Rung before that waits, it does not wait.
final class Alarm: Sendable {
    /// Readable once it has rung; nil where the process has no descriptors left.
    private let ends: (hears: Int32, rings: Int32)?

    init() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            self.ends = nil
            return
        }
        for end in ends {
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        self.ends = (ends[0], ends[1])
    }

    deinit {
        guard let ends else { return }
        close(ends.hears)
        close(ends.rings)
    }

    /// One that has rung already, and was not heard yet, rings no louder.
    func ring() {
        guard let ends else { return }
        var byte: UInt8 = 0
        _ = write(ends.rings, &byte, 1)
    }

    /// Waits until it rings, or something comes from a descriptor.
    /// - Parameters:
    ///   - descriptor: -1 for none.
    ///   - milliseconds: the longest wait.
    /// - Returns: whether something came from the descriptor, and whether it rang; neither when the time is over.
    @discardableResult
    func wait(or descriptor: Int32 = -1, milliseconds: Int32) -> (comes: Bool, rang: Bool) {
        var descriptors = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: ends?.hears ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        // A wait that a signal ended early is as good as one that is over.
        guard poll(&descriptors, 2, milliseconds) > 0 else { return (false, false) }
        let rang = descriptors[1].revents != 0
        if rang, let ends { empty(ends.hears) }
        return (descriptors[0].revents != 0, rang)
    }

    private func empty(_ end: Int32) {
        var bytes = [UInt8](repeating: 0, count: 256)
        while read(end, &bytes, bytes.count) > 0 {}
    }
}
