import CSodium

/// An Ed25519 public key, 32 bytes: operational keys, roots and the second-factor key `pkSf`.
package struct EdwardsPublicKey: Sendable, Equatable {
    package static let count = 32
    private static let signatureCount = 64
    package let bytes: [UInt8]

    /// A key as somebody sends it: the one encoding of a point in the group of prime order, other than the neutral element (protocol §0.5).
    ///
    /// RFC 8032 asks for none of that of whoever verifies. Under a point of small order a signature that nobody made fits one message in a few, and under
    /// the neutral element every message. The library by which we verify looks at the smallest orders, and at no mixed one:
    /// where it compares R byte for byte it takes such a key for every second message, where it multiplies by the cofactor for every message.
    package init(_ bytes: [UInt8]) throws(BadSignature) {
        guard Sodium.isReady, bytes.count == Self.count, crypto_core_ed25519_is_valid_point(bytes) == 1,
            Self.libraryIsExact || Self.isOfPrimeOrder(bytes)
        else { throw BadSignature() }
        self.bytes = bytes
    }

    /// Whether libsodium's own look at the order of a point is the whole one. Until the end of 2025 it was at one coordinate of two (CVE-2025-69277), and
    /// took a point with that of order 2 added; an app brings a libsodium of its own. Where it is, the second look would cost as much as two signatures.
    static let libraryIsExact = Sodium.isReady && crypto_core_ed25519_is_valid_point(mixedOrder) != 1

    /// The base point with the point of order 2 added.
    static let mixedOrder: [UInt8] = [0x95] + [UInt8](repeating: 0x99, count: 31)

    /// Whether the order of the group, times this point of the curve, is the neutral element.
    static func isOfPrimeOrder(_ point: [UInt8]) -> Bool {
        var product = [UInt8](repeating: 0, count: count)
        var sum = product
        guard crypto_scalarmult_ed25519_noclamp(&product, orderLessOne, point) == 0, crypto_core_ed25519_add(&sum, product, point) == 0
        else { return false }
        return sum == [1] + [UInt8](repeating: 0, count: count - 1)
    }

    /// 2^252 + 27742317777372353535851937790883648493 − 1, little-endian: one less than the order, because libsodium gives no product that is the
    /// neutral element.
    private static let orderLessOne: [UInt8] = [
        0xEC, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE, 0x14,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10,
    ]

    /// A key that was decoded before it was stored, and is not looked at again.
    package init(stored bytes: [UInt8]) { self.bytes = bytes }

    /// By libsodium, which takes three fifths of swift-crypto's time for it. It refuses an R of small order as well, which nobody comes to who signs.
    package func verify(_ signature: [UInt8], _ label: Label, _ message: [UInt8]) throws(BadSignature) {
        let input = signatureInput(label, message)
        guard Sodium.isReady, bytes.count == Self.count, signature.count == Self.signatureCount,
            crypto_sign_verify_detached(signature, input, UInt64(input.count), bytes) == 0
        else { throw BadSignature() }
    }
}
