import Foundation
import Synchronization

/// What `posix_spawn` is told, in the spelling of either system.
struct SpawnSetup {
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
    #else
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    #endif

    /// A group of its own, no signal blocked, every signal with its usual effect.
    init() {
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        var flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETPGROUP)
        #if canImport(Darwin)
        flags |= Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
        #endif
        posix_spawnattr_setflags(&attributes, Int16(flags))
    }

    /// Gives it three descriptors.
    mutating func connect(input: Int32, output: Int32, errors: Int32) {
        for (ours, theirs) in [(input, STDIN_FILENO), (output, STDOUT_FILENO), (errors, STDERR_FILENO)] {
            posix_spawn_file_actions_adddup2(&actions, ours, theirs)
        }
    }

    /// Closes all others that are open now.
    mutating func closeAllOthers() {
        #if !canImport(Darwin)
        for other in Self.openDescriptors() { posix_spawn_file_actions_addclose(&actions, other) }
        #endif
    }

    /// Closing one that is closed already is no error for `posix_spawn`.
    private static func openDescriptors() -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { Int32($0) }.filter { $0 > STDERR_FILENO }
    }

    private static let gate = Mutex(())

    /// Runs `body` while no program is started: what it opens is marked as ours before a program could inherit it.
    static func alone<Value>(_ body: () -> Value) -> Value {
        gate.withLock { _ in body() }
    }

    mutating func destroy() {
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
    }
}
