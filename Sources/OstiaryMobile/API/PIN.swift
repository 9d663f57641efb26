import OstiaryProtocol

/// A PIN while it is typed, in memory that is kept out of swap and wiped when it is cleared or let go.
///
/// Feed it one digit at a time from an own PIN pad: digits in a `String` cannot be wiped. In `firstSet` let the person type it twice and
/// compare with `matches(_:)` before it is handed to `Ostiary.sfInput(_:)`.
public final class PIN: Sendable {
    public static let fewestDigits = 5
    public static let mostDigits = 12

    /// Nil when the system has no such memory; `sfInput` reports that.
    private let digits: LockedBytes?

    public init() { digits = try? LockedBytes(capacity: Self.mostDigits) }

    /// Adds a digit, 0 to 9; anything else, and a thirteenth, is left out.
    public func append(digit: UInt8) {
        guard digit <= 9 else { return }
        try? digits?.append(UInt8(ascii: "0") + digit)
    }

    /// Wipes the last digit, if there is one.
    public func removeLast() { digits?.removeLast() }

    /// Wipes all digits.
    public func clear() { digits?.clear() }

    public var count: Int { digits?.count ?? 0 }

    /// Whether many people would choose this PIN. Meant for the moment a PIN is set; one that is already in use is never refused.
    public var isEasyToGuess: Bool { digits?.withUnsafeBytes { EasyPIN.includes($0) } ?? false }

    /// Equality whose time depends on the lengths only.
    public func matches(_ other: PIN) -> Bool {
        guard let digits, let others = other.digits else { return false }
        return digits.matches(others)
    }

    /// The digits for one use by the engine, independent of what the app does with this PIN meanwhile.
    func copy() throws(OstiaryError) -> LockedBytes {
        guard let digits, let copy = try? LockedBytes(capacity: Self.mostDigits) else { throw .lockedMemory }
        let isCopied = digits.withUnsafeBytes { bytes in (try? copy.append(contentsOf: bytes)) != nil }
        guard isCopied else { throw .lockedMemory }
        return copy
    }
}

extension PIN: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "‹secret›" }
    public var debugDescription: String { "‹secret›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
