/// How long keys live, in seconds (protocol §1, §2).
enum KeyLife {
    private static let hour: UInt64 = 3_600
    private static let day: UInt64 = 24 * hour

    /// An operational key signs for this long.
    static let operatorKey = 90 * day
    /// A new one is certified when the newest has less than this left, so that phones meet it in a bundle long before the old one ends.
    static let operatorOverlap = 30 * day
    /// A certificate begins this long before it is made, for clocks that are behind.
    static let clockSlack = hour
    /// Phones seal to a prekey for this long after it was made.
    static let prekeyPublished = day
    /// A new prekey is made when the newest has less than this left.
    static let prekeyOverlap = day / 2
    /// The server opens what was sealed to a prekey for this long after it was made; then it is erased.
    static let prekeyOpened = 2 * day
}
