/// What makes each guess of a PIN expensive: Argon2id. Another one is there for tests of something else, which would spend half of their time in it.
///
/// Only this package can name it, no setting reaches it, and `scripts/lint` refuses another one in what is shipped
/// (docs/decisions/0033-tests-that-stretch-no-pin.md).
package struct PINStretching: Sendable {
    /// Makes 32 bytes of a PIN, 16 bytes of salt and the cost.
    package typealias Stretch = @Sendable (_ pin: LockedBytes, _ salt: [UInt8], _ cost: Argon2id.Parameters) throws(Argon2idError) -> LockedBytes

    package let stretch: Stretch

    package init(_ stretch: @escaping Stretch) { self.stretch = stretch }

    /// Argon2id version 1.3 (RFC 9106).
    package static let argon2id = Self { (pin, salt, cost) throws(Argon2idError) in
        try Argon2id.stretch(pin, salt: salt, cost, count: 32)
    }
}
