import Foundation

/// How this process ends when it crashes: at once, with the one line that says where, and nothing of its memory anywhere.
///
/// The runtime would print its registers and what they point to, and start a program that inherits its listening sockets; a core file would hold its
/// keys. Whoever looks for a fault asks for the first by the variable of the runtime, and for the second by `prlimit --core`.
enum CrashConduct {
    /// What the runtime reads at the start: with any value its own conduct stays.
    static let variable = "SWIFT_BACKTRACE"

    /// Those that the runtime handles.
    private static let signals = [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]

    /// To be called before anything else.
    static func settle(environment: [String: String] = ProcessInfo.processInfo.environment) {
        if environment[variable] == nil {
            for number in signals { signal(number, SIG_DFL) }
        }
        // What is written beyond a limit of file size is refused to whoever writes it, like on a full disk: no reason to end.
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        guard getrlimit(core, &limit) == 0 else { return }
        limit.rlim_cur = 0
        setrlimit(core, &limit)
    }

    #if canImport(Glibc)
    private static let core = __rlimit_resource_t(RLIMIT_CORE.rawValue)
    #else
    private static let core = RLIMIT_CORE
    #endif
}
