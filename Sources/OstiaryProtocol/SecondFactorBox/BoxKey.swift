import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Why a box did not open or could not be sealed.
package enum BoxError: Error, Equatable, Sendable {
    /// The key is not the one this box was sealed under. With the right servers that is a wrong PIN.
    case wrongPIN
    /// The key is right and the box is not: it was damaged or changed where it is stored.
    case corrupted
    /// The key was made for other stretching parameters than the box names.
    case otherParameters
    /// srvShare, y or SFM of another length than 32, 64 and 32 bytes.
    case badLength
}

/// K of one epoch: all three parts together, the phone's, the second-factor server's and the authentication server's (protocol §7).
///
/// It can seal once and is used up by that, because the nonce is constant: two boxes under one key would give both contents away.
package struct BoxKey: ~Copyable {
    private let scope: BoxScope
    private let parameters: Argon2id.Parameters
    private let encryption: SymmetricKey
    private let commitment: [UInt8]

    /// K = KDF(ikm = srvShare ‖ y, salt = st, "kpin", sfId ‖ epoch, 64) → Kenc ‖ Kcommit.
    package init(_ pin: StretchedPIN, serverShare: SecretBytes, evaluation y: SecretBytes) throws(BoxError) {
        guard serverShare.count == 32, y.count == 64 else { throw .badLength }
        let info = Label.kpin.prefix + pin.scope.bytes
        let parts = SymmetricKey(data: serverShare.exposed + y.exposed)
        let key = pin.bytes.withUnsafeBytes { salt in
            HKDF<SHA256>.deriveKey(inputKeyMaterial: parts, salt: salt, info: info, outputByteCount: 64)
        }
        (encryption, commitment) = key.withUnsafeBytes { bytes in
            (SymmetricKey(data: bytes.prefix(32)), H(.commit, Array(bytes.suffix(32))))
        }
        scope = pin.scope
        parameters = pin.parameters
    }

    /// Seals the second-factor master (SFM, 32 bytes) and ends this key. Store the box durably before anything is sent.
    package consuming func seal(_ master: SecretBytes, pinnedKey: [UInt8]) throws(BoxError) -> PINBox {
        guard master.count == 32, pinnedKey.count == GroupElement.count else { throw .badLength }
        do {
            let box = try AES.GCM.seal(master.exposed, using: encryption, nonce: try Self.nonce, authenticating: scope.bytes)
            return PINBox(parameters: parameters, commitment: commitment, sealed: Array(box.ciphertext) + Array(box.tag), pinnedKey: pinnedKey)
        } catch {
            throw .badLength
        }
    }

    /// SFM, or why not; the commitment is compared first and in constant time.
    package borrowing func open(_ box: PINBox) throws(BoxError) -> SecretBytes {
        guard box.parameters == parameters else { throw .otherParameters }
        guard matches(box.commitment, commitment) else { throw .wrongPIN }
        do {
            let sealed = try AES.GCM.SealedBox(nonce: try Self.nonce, ciphertext: box.sealed.prefix(32), tag: box.sealed.suffix(16))
            return SecretBytes(Array(try AES.GCM.open(sealed, using: encryption, authenticating: scope.bytes)))
        } catch {
            throw .corrupted
        }
    }

    /// Twelve zero bytes: the key is used for one sealing only.
    private static var nonce: AES.GCM.Nonce {
        get throws { try AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 12)) }
    }
}
