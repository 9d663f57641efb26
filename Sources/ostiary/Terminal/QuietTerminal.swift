import Dispatch
import Foundation
import Synchronization

/// The terminal without echo and without line editing, from `enter()` until `leave()`.
///
/// A signal that would end or stop the process puts the terminal right first: a shell without echo is a nasty thing to leave behind.
/// Keys that make signals (Ctrl-C and the like) come as bytes meanwhile, so that whoever reads decides.
final class QuietTerminal: Sendable {
    private struct State {
        var saved: termios?
        var watchers: [any DispatchSourceSignal] = []
    }

    private let descriptor: Int32
    private let state = Mutex(State())
    private static let deadlySignals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// - Parameter descriptor: a terminal; anything else is left as it is.
    init(descriptor: Int32 = STDIN_FILENO) { self.descriptor = descriptor }

    func enter() {
        state.withLock { state in
            guard state.saved == nil else { return }
            var mode = termios()
            guard tcgetattr(descriptor, &mode) == 0 else { return }
            state.saved = mode
            mode.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG | IEXTEN)
            tcsetattr(descriptor, TCSAFLUSH, &mode)
        }
        watchSignals()
    }

    func leave() {
        let watchers = state.withLock { state in
            if var mode = state.saved { tcsetattr(descriptor, TCSADRAIN, &mode) }
            defer { state = State() }
            return state.watchers
        }
        for watcher in watchers { watcher.cancel() }
    }

    private func watchSignals() {
        let watchers = Self.deadlySignals.map { number in
            #if canImport(Darwin)
            // Only there does a source need the default action out of its way; on Linux it would never hear an ignored signal.
            signal(number, SIG_IGN)
            #endif
            let watcher = DispatchSource.makeSignalSource(signal: number)
            watcher.setEventHandler { [weak self] in
                self?.leave()
                _exit(128 + number)
            }
            watcher.activate()
            return watcher
        }
        state.withLock { $0.watchers += watchers }
    }
}
