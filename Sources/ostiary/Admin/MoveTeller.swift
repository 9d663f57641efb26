import Database
import Foundation
import OstiaryProgram
import Synchronization

/// Tells on standard error how far a move is: on a terminal by one line that changes, otherwise by a line for each table, and for each tenth of the whole.
final class MoveTeller: Sendable {
    fileprivate struct State {
        /// When the line was drawn last.
        var drawnAt: ContinuousClock.Instant?
        /// Tenths of the whole that were told.
        var tenths = 0
        /// The line that was written last.
        var last = ""
    }

    private let isTerminal: Bool
    private let began = ContinuousClock.now
    private let state = Mutex(State())

    init(isTerminal: Bool) { self.isTerminal = isTerminal }

    func tell(_ progress: MoveProgress) {
        let now = ContinuousClock.now
        let isDue = state.withLock { $0.isDue(progress, isTerminal: isTerminal, at: now) }
        guard isDue else { return }
        let line = MoveProgressLine(progress, seconds: Double((now - began).components.seconds))
        guard isTerminal else {
            // The end of a table may be a tenth of the whole, too.
            let isNew = state.withLock { state in
                defer { state.last = line.plain }
                return state.last != line.plain
            }
            if isNew { StandardStreams.printError(line.plain) }
            return
        }
        StandardStreams.write("\r\u{1B}[K" + line.drawn(columns: StandardStreams.columns(of: STDERR_FILENO)), to: STDERR_FILENO)
    }

    /// What comes next begins on a line of its own.
    func end() {
        if isTerminal { StandardStreams.write("\r\u{1B}[K", to: STDERR_FILENO) }
    }
}

extension MoveTeller.State {
    fileprivate mutating func isDue(_ progress: MoveProgress, isTerminal: Bool, at now: ContinuousClock.Instant) -> Bool {
        guard isTerminal else {
            let tenths = progress.done * 10 / max(1, progress.total)
            defer { self.tenths = tenths }
            return tenths > self.tenths || progress.isTableDone && progress.rows > 0
        }
        if let drawnAt, now - drawnAt < .milliseconds(100) { return false }
        drawnAt = now
        return true
    }
}

/// One line of how far a move is.
struct MoveProgressLine {
    private let progress: MoveProgress
    private let seconds: Double

    /// - Parameter seconds: since this run began.
    init(_ progress: MoveProgress, seconds: Double) { (self.progress, self.seconds) = (progress, seconds) }

    /// `copying account: 12000 rows, 40 %, about 2 min left`
    var plain: String { "\(words): \(progress.rows) rows, \(percent) %" + rest }

    /// `[########------------] 40 % copying account, about 2 min left`, no longer than a row.
    func drawn(columns: Int) -> String {
        let filled = percent / 5
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: 20 - filled)
        return String("[\(bar)] \(percent) % \(words)\(rest)".prefix(max(1, columns - 1)))
    }

    private var words: String { "\(progress.step == .copying ? "copying" : "comparing") \(progress.table)" }

    /// 100 only when all is done.
    private var percent: Int { progress.total > 0 ? progress.done * 100 / progress.total : 100 }

    /// At the pace of this run; nothing while that says nothing yet.
    private var rest: String {
        let own = progress.done - progress.before
        guard seconds >= 2, own > 0, progress.done < progress.total else { return "" }
        let left = seconds * Double(progress.total - progress.done) / Double(own)
        return ", about \(Self.spelled(Int(left.rounded(.up)))) left"
    }

    /// `45 s`, `3 min`, `2 h 5 min`: an estimate has no seconds beside minutes.
    private static func spelled(_ seconds: Int) -> String {
        let minutes = (seconds + 59) / 60
        if seconds < 60 { return "\(seconds) s" }
        return minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h" + (minutes % 60 == 0 ? "" : " \(minutes % 60) min")
    }
}
