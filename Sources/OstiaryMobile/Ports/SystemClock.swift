#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

/// The clocks of the system.
public struct SystemClock: DeviceClock {
    public init() {}

    public var wall: UInt64 { Self.read(CLOCK_REALTIME) }

    #if os(Linux) || os(Android)
    public var monotonic: UInt64 { Self.read(CLOCK_BOOTTIME) }
    #else
    /// Goes on while the device sleeps, on Apple systems.
    public var monotonic: UInt64 { Self.read(CLOCK_MONOTONIC) }
    #endif

    public func sleep(seconds: Double) async {
        try? await Task.sleep(for: .milliseconds(Int64(max(0, seconds) * 1_000)))
    }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return 0 }
        return UInt64(max(0, time.tv_sec))
    }
}
