import Foundation
import HTTPService
import Synchronization

/// A pipe that a program of ours writes to, read on a thread of its own until it ends.
final class OutputPipe: Sendable {
    private let ends: PipeEnds
    private let collected = Mutex<[UInt8]>([])
    private let isOver = AwaitedValue(false)

    init() throws(SpawnError) {
        ends = try PipeEnds()
        Thread { [self] in collect() }.start()
    }

    /// The end to hand to the program.
    var writingEnd: Int32 { ends.writing }

    /// To be called once the program has its end: without it, ours keeps the pipe open.
    func closeWritingEnd() { close(ends.writing) }

    /// What was written so far.
    var text: String { collected.withLock { String(decoding: $0, as: UTF8.self) } }
    /// Whether nothing more can come.
    var isAtEnd: Bool { isOver.value }

    /// Waits for the last word of a program that has ended, also in a task that was cancelled: whoever waits for it is told by the thread that reads.
    func end() async {
        // In a task of its own, which nobody cancels.
        await Task { [isOver] in await isOver.wait { $0 } }.value
    }

    /// Reads until the last writer is gone.
    private func collect() {
        var part = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(ends.reading, &part, part.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { break }
            collected.withLock { $0 += part[..<count] }
        }
        close(ends.reading)
        isOver.change { $0 = true }
    }
}

/// The two ends of a new pipe.
struct PipeEnds {
    let reading: Int32
    let writing: Int32

    init() throws(SpawnError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SpawnError(program: "a pipe", reason: String(cString: strerror(errno))) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
    }
}
