import Dispatch
import Foundation
import Synchronization

/// The terminal as a question needs it, from `enter()` until `leave()`. A process has one.
///
/// A signal that ends the process puts the terminal right first: a shell without echo is a nasty thing to leave behind.
/// Ctrl-C comes as a byte meanwhile, so that whoever reads decides.
enum QuietTerminal {
    /// What is to be typed.
    enum Input {
        /// A secret: no echo, no line editing, and no key makes a signal.
        case secret
        /// A line that is shown and can be edited. Ctrl-C ends it, and is its last byte.
        case line
    }

    private static let saved = Mutex<termios?>(nil)

    /// Does nothing when standard input is no terminal.
    static func enter(_ input: Input = .secret) {
        saved.withLock { saved in
            var mode = termios()
            guard saved == nil, tcgetattr(STDIN_FILENO, &mode) == 0 else { return }
            saved = mode
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
        _ = watchers
    }

    /// `_POSIX_VDISABLE`.
    private static var disabledKey: UInt8 {
        #if canImport(Darwin)
        0xFF
        #else
        0
        #endif
    }

    static func leave() {
        saved.withLock { saved in
            guard var mode = saved else { return }
            tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
            saved = nil
        }
    }

    /// Made at the first use and kept until the process ends. Nobody changes them after that.
    nonisolated(unsafe) private static let watchers: [any DispatchSourceSignal] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].map { number in
        #if canImport(Darwin)
        // Only there does a source need the default action out of its way; on Linux it would never hear an ignored signal.
        signal(number, SIG_IGN)
        #endif
        let watcher = DispatchSource.makeSignalSource(signal: number)
        watcher.setEventHandler {
            leave()
            _exit(128 + number)
        }
        watcher.activate()
        return watcher
    }
}
