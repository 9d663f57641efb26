import Foundation

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

    /// Gives it three descriptors and no other: all others are closed by range, in the child and before the program begins. A list of those that are open
    /// would be too old: the sockets of our listeners, relays and calls are opened by other threads meanwhile, and nothing marks them as ours.
    /// - Returns: 0, or the number of the error: a system that cannot do that starts no program of ours.
    mutating func connect(input: Int32, output: Int32, errors: Int32) -> Int32 {
        for (ours, theirs) in [(input, STDIN_FILENO), (output, STDOUT_FILENO), (errors, STDERR_FILENO)] {
            posix_spawn_file_actions_adddup2(&actions, ours, theirs)
        }
        #if canImport(Darwin)
        return 0
        #else
        guard let closeFrom = Self.closeFrom else { return ENOSYS }
        return closeFrom(&actions, STDERR_FILENO + 1)
        #endif
    }

    #if !canImport(Darwin)
    private typealias CloseFrom = @convention(c) (_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ first: Int32) -> Int32

    /// Of glibc since 2.34, whose header keeps it from whoever does not ask for GNU's extensions, as Swift does not.
    private static let closeFrom: CloseFrom? = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
        unsafeBitCast($0, to: CloseFrom.self)
    }
    #endif

    mutating func destroy() {
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
    }
}
