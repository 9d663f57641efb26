import OstiaryProtocol

/// What the verifier has from outside: the way to the provider, the time, and random bytes.
public struct ResourcePorts: Sendable {
    public var calls: any ResourceCalls
    /// Unix seconds.
    public var now: @Sendable () -> UInt64
    /// So many random bytes, of a generator that is good for keys.
    public var randomBytes: @Sendable (Int) -> [UInt8]

    public init(
        calls: any ResourceCalls = HTTPResourceCalls(), now: @escaping @Sendable () -> UInt64 = ResourcePorts.systemTime,
        randomBytes: @escaping @Sendable (Int) -> [UInt8] = ResourcePorts.systemRandom
    ) {
        self.calls = calls
        self.now = now
        self.randomBytes = randomBytes
    }

    /// The operating system's generator.
    @Sendable
    public static func systemRandom(_ count: Int) -> [UInt8] { SystemRandomSource().bytes(count) }
}
