import Foundation
import OstiaryProgram

/// Counts a penalty down on one line of the terminal, second by second.
enum PenaltyCountdown {
    /// - Returns: false when the person gave up waiting (Ctrl-C or Escape), or nobody wants the answer any more.
    static func wait(seconds: Int, isWanted: @Sendable @escaping () -> Bool) async -> Bool {
        await KeyInput.onOwnThread {
            QuietTerminal.enter()
            defer {
                QuietTerminal.leave()
                StandardStreams.write("\r\u{1B}[K", to: STDERR_FILENO)
            }
            let end = ContinuousClock.now + .seconds(seconds)
            while ContinuousClock.now < end {
                let left = Int((end - ContinuousClock.now).components.seconds) + 1
                StandardStreams.write("\r\u{1B}[Kwait \(Self.spelled(left)) before the next try (Ctrl-C gives up)", to: STDERR_FILENO)
                let nextSecond = min(end, ContinuousClock.now + .seconds(1))
                switch KeyInput.next(isWanted: { isWanted() && ContinuousClock.now < nextSecond }) {
                case .byte(ControlKey.interrupt), .byte(ControlKey.escape), .endOfInput: return false
                // Keys typed ahead must not become digits of the PIN.
                case .byte: continue
                case .calledOff: guard isWanted() else { return false }
                }
            }
            return true
        }
    }

    /// `45 s`, `2 min 5 s`, `1 h 3 min`.
    static func spelled(_ seconds: Int) -> String {
        switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min" + (seconds % 60 == 0 ? "" : " \(seconds % 60) s")
        default: "\(seconds / 3600) h" + (seconds % 3600 / 60 == 0 ? "" : " \(seconds % 3600 / 60) min")
        }
    }
}
