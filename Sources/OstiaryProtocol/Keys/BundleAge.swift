/// How old a bundle may be beside the newest one that was believed (protocol §3). A server's clock that ran ahead for a moment must not make every later
/// bundle look old, so what was seen counts as no later than any clock that is known now.
package enum BundleAge {
    /// Seconds by which clocks may differ, and by which a bundle may lie behind the newest.
    package static let slack: UInt64 = 6 * 3_600

    /// The smallest sequence that is taken.
    /// - Parameter seen: the newest sequence that was believed.
    /// - Parameter clocks: the phone's own, and the server's as it signed it last.
    package static func lowest(after seen: Instant, clocks: [Instant]) -> Instant { counted(seen, clocks) - slack }

    /// What counts as seen once a bundle of this sequence was taken: never less than before, except for what lay in the future of every clock.
    package static func seen(_ sequence: Instant, after seen: Instant, clocks: [Instant]) -> Instant { max(sequence, counted(seen, clocks)) }

    private static func counted(_ seen: Instant, _ clocks: [Instant]) -> Instant { clocks.reduce(seen) { min($0, $1) } }
}
