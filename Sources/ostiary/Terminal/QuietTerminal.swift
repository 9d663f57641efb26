import Dispatch
import Foundation
import Synchronization

/// The terminal without echo and without line editing, from `enter()` until `leave()`. A process has one.
///
/// A signal that ends the process puts the terminal right first: a shell without echo is a nasty thing to leave behind.
/// Keys that make signals (Ctrl-C and the like) come as bytes meanwhile, so that whoever reads decides.
enum QuietTerminal {
    private static let saved = Mutex<termios?>(nil)

    /// Does nothing when standard input is no terminal.
    static func enter() {
        saved.withLock { saved in
            var mode = termios()
            guard saved == nil, tcgetattr(STDIN_FILENO, &mode) == 0 else { return }
            saved = mode
            mode.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG | IEXTEN)
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &mode)
        }
        _ = watchers
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
