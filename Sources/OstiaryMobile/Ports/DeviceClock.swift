/// The device's two clocks, and waiting.
public protocol DeviceClock: Sendable {
    /// Unix seconds; people and networks may set it.
    var wall: UInt64 { get }
    /// Seconds since some moment before this process, sleep included; nobody sets it, and a restart of the device sets it back.
    var monotonic: UInt64 { get }
    /// Returns early when the task is cancelled.
    func sleep(seconds: Double) async
}

extension Duration {
    /// The same in seconds, for the clocks of a device.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }

    /// The same in whole seconds, rounded up; nil for what is negative or too long to count.
    var wholeSeconds: UInt64? { UInt64(exactly: inSeconds.rounded(.up)) }
}
