import Crypto
import Foundation
import Synchronization

/// The key under which a server wraps the secrets in its database. It lives in a file outside the database and is never printed.
///
/// A wrapped secret is `version 1 | key id[4] | nonce[12] | ciphertext | tag[16]`, AES-256-GCM; key id and context are authenticated, so that a
/// wrapped secret opens only in the place it was made for, and a change of key can tell which secrets are still under the old one.
package struct KeyEncryptionKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names the key without telling anything else about it: 4 bytes.
    package let id: [UInt8]
    private let key: SymmetricKey

    init(_ key: SymmetricKey) {
        self.key = key
        id = Array(HMAC<SHA256>.authenticationCode(for: Array("ostiary/kek/id".utf8), using: key).prefix(4))
    }

    /// A new key that no file holds yet.
    package static func random() -> KeyEncryptionKey {
        KeyEncryptionKey(SymmetricKey(size: .bits256))
    }

    /// - Parameter bytes: 32 bytes; nil for any other number.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.init(SymmetricKey(data: bytes))
    }

    /// The key of a file, which is made if the path does not exist.
    /// - Parameter new: for a new file.
    /// - Returns: also where another process has made the file meanwhile, what is in it.
    /// - Throws: ``KeyFileError``.
    package static func load(orMakeAt path: String, as new: KeyEncryptionKey = .random()) throws(KeyFileError) -> KeyEncryptionKey {
        let digits = try KeyFile.read(orMakeAt: path) { new.key.withUnsafeBytes { Array($0) } }
        return KeyEncryptionKey(SymmetricKey(data: digits))
    }

    /// The key of a file that must be there.
    /// - Throws: ``KeyFileError``.
    package static func load(from path: String) throws(KeyFileError) -> KeyEncryptionKey {
        KeyEncryptionKey(SymmetricKey(data: try KeyFile.read(path)))
    }

    /// Wraps a secret for one place.
    /// - Parameters:
    ///   - context: names the place, for example `sfs/instance/` and the row's key.
    ///   - salt: made outside when this is called in the body of a transaction, so that a body that runs twice writes the same bytes.
    package func wrap(_ secret: some DataProtocol, context: String, salt: WrapSalt = WrapSalt()) throws -> [UInt8] {
        let nonce = try nonce(of: secret, context, salt)
        let sealed = try AES.GCM.seal(secret, using: key, nonce: nonce, authenticating: authenticated(context))
        return [Self.version] + id + Array(sealed.nonce) + Array(sealed.ciphertext) + Array(sealed.tag)
    }

    /// Follows from all that is sealed with it: under one salt, too, another secret or another place has another nonce.
    private func nonce(of secret: some DataProtocol, _ context: String, _ salt: WrapSalt) throws -> AES.GCM.Nonce {
        let place = Array(context.utf8)
        let length = withUnsafeBytes(of: UInt64(place.count).bigEndian) { Array($0) }
        let input = Array("ostiary/kek/nonce".utf8) + [0] + salt.bytes + length + place + Array(secret)
        return try AES.GCM.Nonce(data: Array(HMAC<SHA256>.authenticationCode(for: input, using: key)).prefix(12))
    }

    /// What was wrapped for this place.
    /// - Throws: ``UnwrapError``.
    package func unwrap(_ wrapped: [UInt8], context: String) throws(UnwrapError) -> [UInt8] {
        guard wrapped.count >= Self.overhead else { throw .malformed }
        guard wrapped[0] == Self.version else { throw .unknownVersion(wrapped[0]) }
        guard Array(wrapped[1..<5]) == id else { throw .otherKey(id: Array(wrapped[1..<5])) }
        do {
            let box = try AES.GCM.SealedBox(combined: wrapped[5...])
            return Array(try AES.GCM.open(box, using: key, authenticating: authenticated(context)))
        } catch {
            throw .notAuthentic
        }
    }

    /// Another key, for what one writer seals for one purpose: so much may be sealed with it that this one, which is kept for years, must not be worn by it.
    /// Whoever has this key and is told the writer has that one, too.
    /// - Parameter writer: bytes of its own, drawn once.
    package func derived(for purpose: String, writer: [UInt8]) -> KeyEncryptionKey {
        let label = Array("ostiary/kek/derived/\(purpose)".utf8) + [0]
        return KeyEncryptionKey(SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: label + writer, using: key)))
    }

    package var description: String { "‹key›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }

    private static let version: UInt8 = 1
    /// Version, id, nonce and tag.
    private static let overhead = 1 + 4 + 12 + 16

    private func authenticated(_ context: String) -> [UInt8] {
        Array("ostiary/kek/wrap".utf8) + [0, Self.version] + id + Array(context.utf8)
    }
}

/// 32 random bytes that make the nonces of one transaction: drawn when the first secret is wrapped, and the same when its body runs again.
package final class WrapSalt: Sendable {
    private let drawn = Mutex<[UInt8]?>(nil)

    package init() {}

    fileprivate var bytes: [UInt8] {
        drawn.withLock { drawn in
            let bytes = drawn ?? SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
            drawn = bytes
            return bytes
        }
    }
}

/// Why a wrapped secret does not open.
package enum UnwrapError: Error, Equatable, Sendable {
    case malformed
    case unknownVersion(UInt8)
    /// It was wrapped under another key.
    case otherKey(id: [UInt8])
    /// It was changed, or made for another place.
    case notAuthentic
}
