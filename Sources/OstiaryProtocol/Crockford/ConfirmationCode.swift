/// The four characters that the phone shows and the person types into the enrolling browser: the first 20 bits of
/// H("enrol-code", enrolHash) (protocol §5).
package struct ConfirmationCode: Sendable, CustomStringConvertible {
    private static let bits = 20
    private let value: UInt64

    package init(enrolHash: [UInt8]) {
        value = Crockford.leading(bits: Self.bits, of: H(.enrolCode, enrolHash))
    }

    /// As the phone shows it, for example `K7Q3`.
    package var description: String { Crockford.encode(value, bits: Self.bits) }

    /// Whether this is what was typed; throws when what was typed is no code at all, which must not count as a try.
    package func matches(typed text: String) throws(CrockfordError) -> Bool {
        try Crockford.decode(text, bits: Self.bits) ^ value == 0
    }
}
