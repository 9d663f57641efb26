import Foundation
import Synchronization

/// Memory that was freed and that the C library keeps for later.
enum FreeMemory {
    private static let isUnderWay = Mutex(false)

    /// Gives it back to the system: glibc does so by itself for large pieces only, and what thousands of connections leave behind are small ones.
    /// Waits a moment first, so that all of what goes is gone; asked again meanwhile it does nothing.
    static func giveBack() {
        #if canImport(Glibc)
        let isFirst = isUnderWay.withLock { isUnderWay in
            defer { isUnderWay = true }
            return !isUnderWay
        }
        guard isFirst else { return }
        Task.detached(priority: .background) {
            try? await Task.sleep(for: .seconds(1))
            isUnderWay.withLock { $0 = false }
            _ = trim?(0)
        }
        #endif
    }

    #if canImport(Glibc)
    private typealias Trim = @convention(c) (Int) -> Int32
    /// `malloc_trim(3)`, which the Swift module of glibc leaves out.
    private static let trim: Trim? = dlsym(nil, "malloc_trim").map { unsafeBitCast($0, to: Trim.self) }
    #endif
}
