import Foundation

extension Process {
    /// Starts it with no signal blocked. The threads that tasks run on block nearly all of them, and a process has what the thread had that started it:
    /// `openssl speed` waited for SIGALRM for ever.
    /// - Throws: what `run()` does.
    func runUnblocked() throws {
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try run()
    }
}
