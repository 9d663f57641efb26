import Foundation

/// The room for addresses that this process may have (`ulimit -v`). More of it is set aside than is ever used, so it ends long before memory does.
enum AddressRoom {
    /// What is taken beside the program and the stacks of its threads: requests that are under way, the work for a PIN, pages of the database. In bytes.
    static let reserve = 64 << 20

    #if canImport(Glibc)
    /// To be called while there is one thread. Where room is limited all threads take their memory from one arena: glibc sets 64 MiB and more aside for that
    /// of each, and whoever comes last, a thread or the database, would find nothing.
    static func settle() {
        guard isLimited else { return }
        _ = setOption?(arenaMaximum, 1)
    }

    /// Calls `body` while the reserve is taken, so that what `body` finds is there beside it.
    /// - Returns: what `body` returned; nil, without a call of it, when there is no room for the reserve.
    static func besideReserve<Found>(_ body: () -> Found) -> Found? {
        guard let held = mmap(nil, reserve, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), held != MAP_FAILED else { return nil }
        defer { munmap(held, reserve) }
        return body()
    }

    private static var isLimited: Bool {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 && limit.rlim_cur != .max
    }

    /// M_ARENA_MAX of glibc's malloc.h, which Swift does not see.
    private static let arenaMaximum: Int32 = -8

    private typealias SetOption = @convention(c) (_ option: Int32, _ value: Int32) -> Int32

    private static let setOption: SetOption? = dlsym(nil, "mallopt").map { unsafeBitCast($0, to: SetOption.self) }
    #else
    static func settle() {}

    static func besideReserve<Found>(_ body: () -> Found) -> Found? { body() }
    #endif
}
