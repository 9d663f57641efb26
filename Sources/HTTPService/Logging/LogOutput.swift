import Dispatch
import Foundation
import Logging
import Synchronization

/// Where log lines go: a thread of its own writes them from a queue that has an end, so that a reader who stands still, or a full disk, stops that
/// thread only.
///
/// What cannot be written is tried again until it can. What finds no room in the queue meanwhile is dropped and counted, and told in one line in the
/// place where it is missing.
package final class LogOutput: TextOutputStream, Sendable {
    /// Standard error of this process: its log, and why a start failed.
    package static let standardError = LogOutput(descriptor: STDERR_FILENO)

    private struct State {
        var queue: [String] = []
        /// Bytes that are queued or under way.
        var size = 0
        var lost = 0
        /// Whether the thread has something to do.
        var isBusy = false
    }

    private let descriptor: Int32
    private let limit: Int
    private let pause: @Sendable () -> Void
    private let state = Mutex(State())
    /// Signalled when there is something to do again.
    private let work = DispatchSemaphore(value: 0)
    /// Entered as long as there is something to do.
    private let busy = DispatchGroup()

    /// Its thread lives as long as the process.
    /// - Parameters:
    ///   - limit: bytes that may wait.
    ///   - pause: returns when what could not be written is to be tried again.
    package init(
        descriptor: Int32, limit: Int = 1 << 20, pause: @Sendable @escaping () -> Void = { Thread.sleep(forTimeInterval: 1) }
    ) {
        self.descriptor = descriptor
        self.limit = limit
        self.pause = pause
        Thread { [self] in run() }.start()
    }

    /// Queues a line, with its end, or counts it as lost. Waits for nobody.
    package func write(_ line: String) {
        let size = line.utf8.count
        let begins = state.withLock { state in
            // After one that is lost come no others before that is said: the reader sees where lines are missing.
            if state.lost == 0, state.size + size <= limit {
                state.queue.append(line)
                state.size += size
            } else {
                state.lost += 1
            }
            defer { state.isBusy = true }
            if !state.isBusy { busy.enter() }
            return !state.isBusy
        }
        if begins { work.signal() }
    }

    /// Waits until everything that was queued is written, but no longer than `patience`: for the end of a program.
    package func finish(within patience: DispatchTimeInterval = .seconds(1)) {
        _ = busy.wait(timeout: .now() + patience)
    }

    private func run() {
        while true {
            work.wait()
            while let (lines, lost) = take() {
                for line in lines {
                    put(line)
                    state.withLock { $0.size -= line.utf8.count }
                }
                if lost > 0 { tell(lost) }
            }
        }
    }

    /// What is queued and what was lost after it; nil, and no longer busy, when that is nothing.
    private func take() -> (lines: [String], lost: Int)? {
        state.withLock { state in
            guard !state.queue.isEmpty || state.lost > 0 else {
                state.isBusy = false
                busy.leave()
                return nil
            }
            defer { (state.queue, state.lost) = ([], 0) }
            return (state.queue, state.lost)
        }
    }

    private func tell(_ lost: Int) {
        let logger = Logger(label: "ostiary.log") { StreamLogHandler(label: $0, stream: Direct(output: self)) }
        logger.line(.warning, "standard error took no more: lines are missing here", [.lost: "\(lost)"])
    }

    /// Each line by a call of its own, so that what another process writes to the same pipe stands between lines. Returns when it is written.
    private func put(_ line: String) {
        let whole = Array(line.utf8)
        var rest = whole[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if written < 0, errno == EINTR {
                continue
            } else if written < 0, errno == EAGAIN {
                // Whoever shares the pipe made it one that does not wait.
                var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&room, 1, -1)
            } else {
                // A full disk, say. What it took of the line ends there, and the line comes once more as a whole.
                if rest.count < whole.count { rest = ([UInt8(ascii: "\n")] + whole)[...] }
                pause()
            }
        }
    }

    /// The way past the queue, for the thread that empties it.
    private struct Direct: TextOutputStream, Sendable {
        let output: LogOutput

        func write(_ line: String) { output.put(line) }
    }
}
