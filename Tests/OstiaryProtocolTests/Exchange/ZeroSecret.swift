import Crypto
import Foundation

/// HPKE (RFC 9180, base mode, X25519, HKDF-SHA-256, ChaCha20-Poly1305) for whoever knows no private key at all: with a point of small order as the
/// encapsulated key the Diffie-Hellman result is zero for everybody, and all keys follow from what is public.
struct ZeroSecret {
    private static let suite = Array("HPKE".utf8) + [0, 0x20, 0, 1, 0, 3]
    private static let kem = Array("KEM".utf8) + [0, 0x20]

    private let schedule: SymmetricKey
    private let context: [UInt8]

    init(encapsulated: [UInt8], recipient: [UInt8], info: [UInt8]) {
        let shared = Self.expand(
            Self.extract(Self.kem, [], "eae_prk", [UInt8](repeating: 0, count: 32)), Self.kem, "shared_secret", encapsulated + recipient, 32)
        context =
            [0] + Self.bytes(Self.extract(Self.suite, [], "psk_id_hash", [])) + Self.bytes(Self.extract(Self.suite, [], "info_hash", info))
        schedule = Self.extract(Self.suite, shared, "secret", [])
    }

    func seal(_ message: [UInt8]) throws -> [UInt8] {
        let nonce = try ChaChaPoly.Nonce(data: Self.expand(schedule, Self.suite, "base_nonce", context, 12))
        let box = try ChaChaPoly.seal(message, using: SymmetricKey(data: Self.expand(schedule, Self.suite, "key", context, 32)), nonce: nonce)
        return Array(box.ciphertext) + Array(box.tag)
    }

    func export(_ label: String) -> [UInt8] {
        let exporter = SymmetricKey(data: Self.expand(schedule, Self.suite, "exp", context, 32))
        return Self.expand(exporter, Self.suite, "sec", Array(label.utf8), 32)
    }

    private static func extract(_ suite: [UInt8], _ salt: [UInt8], _ label: String, _ material: [UInt8]) -> SymmetricKey {
        let labelled = Array("HPKE-v1".utf8) + suite + Array(label.utf8) + material
        return SymmetricKey(data: HKDF<SHA256>.extract(inputKeyMaterial: SymmetricKey(data: labelled), salt: salt))
    }

    private static func expand(_ key: SymmetricKey, _ suite: [UInt8], _ label: String, _ info: [UInt8], _ count: Int) -> [UInt8] {
        let labelled = [UInt8(count >> 8), UInt8(count & 0xFF)] + Array("HPKE-v1".utf8) + suite + Array(label.utf8) + info
        return bytes(HKDF<SHA256>.expand(pseudoRandomKey: key, info: labelled, outputByteCount: count))
    }

    private static func bytes(_ key: SymmetricKey) -> [UInt8] { key.withUnsafeBytes { Array($0) } }
}
