import CSodium

/// Why a value is no member of ristretto255 or its scalar field (protocol §0.1).
package enum GroupError: Error, Equatable, Sendable {
    /// libsodium did not start on this machine.
    case libraryUnavailable
    /// Not 32 bytes, the identity, or not the canonical encoding of an element.
    case notAnElement
    /// Not 32 bytes, or not below the group order.
    case notAScalar
    /// A product or sum came out as the identity, which no honest run reaches.
    case identity
    /// Zero where it has no inverse or would erase what it multiplies.
    case zeroScalar
}

/// A ristretto255 element other than the identity, in its one encoding of 32 bytes (RFC 9496 §4).
package struct GroupElement: Hashable, Sendable {
    package static let count = 32
    package let bytes: [UInt8]

    /// DeserializeElement (RFC 9497 §4.1): one encoding for each element. libsodium alone would also take the identity and, in 1.0.18,
    /// any element a second time with the unused top bit set.
    package init(_ bytes: [UInt8]) throws(GroupError) {
        guard Sodium.isReady else { throw .libraryUnavailable }
        guard bytes.count == Self.count, bytes[31] & 0x80 == 0, bytes.contains(where: { $0 != 0 }) else { throw .notAnElement }
        guard crypto_core_ristretto255_is_valid_point(bytes) == 1 else { throw .notAnElement }
        self.bytes = bytes
    }

    /// An element that was decoded or computed before it was stored, and is not looked at again.
    package init(stored bytes: [UInt8]) { self.bytes = bytes }

    /// A result of the library, which is valid unless it is the identity.
    private init(result: [UInt8], code: CInt) throws(GroupError) {
        guard code == 0, result.contains(where: { $0 != 0 }) else { throw .identity }
        bytes = result
    }

    /// HashToGroup: 64 bytes of expand_message_xmd, mapped to the group (RFC 9497 §4.1).
    package init(hashing message: UnsafeRawBufferPointer, tag: [UInt8]) throws(GroupError) {
        guard Sodium.isReady else { throw .libraryUnavailable }
        var result = [UInt8](repeating: 0, count: Self.count)
        let code = crypto_core_ristretto255_from_hash(&result, expandMessage(message, tag: tag))
        try self.init(result: result, code: code)
    }

    /// scalar × this element.
    package func multiplied(by scalar: GroupScalar) throws(GroupError) -> GroupElement {
        var result = [UInt8](repeating: 0, count: Self.count)
        let code = crypto_scalarmult_ristretto255(&result, scalar.bytes, bytes)
        return try GroupElement(result: result, code: code)
    }

    /// scalar × the generator.
    package static func generator(times scalar: GroupScalar) throws(GroupError) -> GroupElement {
        var result = [UInt8](repeating: 0, count: Self.count)
        let code = crypto_scalarmult_ristretto255_base(&result, scalar.bytes)
        return try GroupElement(result: result, code: code)
    }

    package func adding(_ other: GroupElement) throws(GroupError) -> GroupElement {
        var result = [UInt8](repeating: 0, count: Self.count)
        let code = crypto_core_ristretto255_add(&result, bytes, other.bytes)
        return try GroupElement(result: result, code: code)
    }

    package func subtracting(_ other: GroupElement) throws(GroupError) -> GroupElement {
        var result = [UInt8](repeating: 0, count: Self.count)
        let code = crypto_core_ristretto255_sub(&result, bytes, other.bytes)
        return try GroupElement(result: result, code: code)
    }
}

/// A whole number below the order of ristretto255, 32 bytes little-endian. Mostly secret, so it prints as ‹secret›.
package struct GroupScalar: Sendable {
    package static let count = 32
    package let bytes: [UInt8]

    /// DeserializeScalar (RFC 9497 §4.1). libsodium has no check of its own: a number below the order is one that reducing leaves as it is.
    package init(_ bytes: [UInt8]) throws(GroupError) {
        guard Sodium.isReady else { throw .libraryUnavailable }
        guard bytes.count == Self.count else { throw .notAScalar }
        let reduced = Self.reduce(bytes + [UInt8](repeating: 0, count: 32))
        guard OstiaryProtocol.matches(reduced, bytes) else { throw .notAScalar }
        self.bytes = bytes
    }

    private init(result: [UInt8]) { bytes = result }

    /// HashToScalar: 64 bytes of expand_message_xmd, reduced (RFC 9497 §4.1).
    package init(hashing message: [UInt8], tag: [UInt8]) throws(GroupError) {
        guard Sodium.isReady else { throw .libraryUnavailable }
        bytes = Self.reduce(message.withUnsafeBytes { expandMessage($0, tag: tag) })
    }

    /// 64 bytes that nobody can tell from random ones, little-endian, modulo the order: as uniform as a drawn scalar (RFC 9497 §4.7.2).
    package init(wide bytes: [UInt8]) throws(GroupError) {
        guard Sodium.isReady else { throw .libraryUnavailable }
        guard bytes.count == 2 * Self.count else { throw .notAScalar }
        self.bytes = Self.reduce(bytes)
    }

    /// A uniform scalar other than zero, from libsodium's generator.
    package static func random() throws(GroupError) -> GroupScalar {
        guard Sodium.isReady else { throw .libraryUnavailable }
        var result = [UInt8](repeating: 0, count: count)
        crypto_core_ristretto255_scalar_random(&result)
        let scalar = GroupScalar(result: result)
        guard !scalar.isZero else { throw .zeroScalar }
        return scalar
    }

    package var isZero: Bool { OstiaryProtocol.matches(bytes, [UInt8](repeating: 0, count: Self.count)) }

    /// 1 / this scalar.
    package func inverted() throws(GroupError) -> GroupScalar {
        var result = [UInt8](repeating: 0, count: Self.count)
        guard crypto_core_ristretto255_scalar_invert(&result, bytes) == 0 else { throw .zeroScalar }
        return GroupScalar(result: result)
    }

    package func multiplied(by other: GroupScalar) -> GroupScalar {
        var result = [UInt8](repeating: 0, count: Self.count)
        crypto_core_ristretto255_scalar_mul(&result, bytes, other.bytes)
        return GroupScalar(result: result)
    }

    package func subtracting(_ other: GroupScalar) -> GroupScalar {
        var result = [UInt8](repeating: 0, count: Self.count)
        crypto_core_ristretto255_scalar_sub(&result, bytes, other.bytes)
        return GroupScalar(result: result)
    }

    /// Equality in constant time.
    package func matches(_ other: GroupScalar) -> Bool { OstiaryProtocol.matches(bytes, other.bytes) }

    /// 64 bytes, little-endian, modulo the order.
    private static func reduce(_ wide: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: count)
        crypto_core_ristretto255_scalar_reduce(&result, wide)
        return result
    }
}

extension GroupScalar: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹secret›" }
    package var debugDescription: String { "‹secret›" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
