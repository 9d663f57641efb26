import Dispatch
import Foundation
import OstiaryProgram
import Synchronization

/// The terminal as a question needs it, from `enter()` until `leave()`. A process has one.
///
/// The end of the process puts the terminal right first, be it by a signal or while a question that nobody wants any more still stands: a shell
/// without echo is a nasty thing to leave behind.
/// Ctrl-C comes as a byte meanwhile, so that whoever reads decides.
enum QuietTerminal {
    /// What is to be typed.
    enum Input {
        /// A secret: no echo, no line editing, and no key makes a signal.
        case secret
        /// A line that is shown and can be edited. Ctrl-C ends it, and is its last byte.
        case line
    }

    /// How the terminal was. A class, because the optimiser of Swift 6.3 starts a static `Mutex` wrongly whose value has a nil of a large plain struct
    /// in it: there was something else than nil.
    private final class Mode: Sendable {
        let mode: termios

        init(_ mode: termios) { self.mode = mode }
    }

    private struct State {
        var saved: Mode?
        /// The process ends: nothing is asked any more.
        var isOver = false
    }

    private static let state = Mutex(State())

    /// Does nothing when standard input is no terminal.
    static func enter(_ input: Input = .secret) {
        _ = watchers
        state.withLock { state in
            var mode = termios()
            guard state.saved == nil, !state.isOver, tcgetattr(STDIN_FILENO, &mode) == 0 else { return }
            state.saved = Mode(mode)
            switch input {
            case .secret:
                mode.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG | IEXTEN)
                // Keys typed ahead were not typed as a secret.
                tcsetattr(STDIN_FILENO, TCSAFLUSH, &mode)
            case .line:
                withUnsafeMutableBytes(of: &mode.c_cc) { keys in
                    keys[Int(VINTR)] = disabledKey
                    keys[Int(VEOL)] = ControlKey.interrupt
                }
                tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
            }
        }
    }

    /// `_POSIX_VDISABLE`.
    private static var disabledKey: UInt8 {
        #if canImport(Darwin)
        0xFF
        #else
        0
        #endif
    }

    static func leave() { leave(forGood: false) }

    private static func leave(forGood: Bool) {
        state.withLock { state in
            if forGood { state.isOver = true }
            guard var mode = state.saved?.mode else { return }
            tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
            state.saved = nil
        }
    }

    /// Made at the first use and kept until the process ends. Nobody changes them after that.
    nonisolated(unsafe) private static let watchers: [any DispatchSourceSignal] = {
        atexit { leave(forGood: true) }
        return [SIGINT, SIGTERM, SIGHUP, SIGQUIT].map(watcher(of:))
    }()

    private static func watcher(of number: Int32) -> any DispatchSourceSignal {
        #if canImport(Darwin)
        // Only there does a source need the default action out of its way; on Linux it would never hear an ignored signal.
        signal(number, SIG_IGN)
        #endif
        let watcher = DispatchSource.makeSignalSource(signal: number)
        watcher.setEventHandler {
            leave(forGood: true)
            _exit(128 + number)
        }
        watcher.activate()
        return watcher
    }
}
