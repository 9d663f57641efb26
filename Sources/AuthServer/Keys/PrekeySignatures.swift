import OstiaryProtocol
import Synchronization

/// Prekeys as bundles have them. A prekey is signed once by a key, and not for every bundle, of which there is one a second while phones ask.
final class PrekeySignatures: Sendable {
    /// What the signature covers, and who made it.
    private struct Name: Hashable {
        let id: UInt32
        let publicKey: [UInt8]
        let until: Instant
        let signer: [UInt8]
    }

    /// A server has two at a time; when this many were signed, all are forgotten.
    static let memory = 256

    private let signed = Mutex<[Name: Encoded<Prekey>]>([:])

    func published(_ prekey: StoredPrekey, signedBy key: OperatorKey) -> Encoded<Prekey> {
        let name = Name(id: prekey.secret.id, publicKey: prekey.secret.publicKey, until: prekey.publishedUntil, signer: key.publicKey)
        if let known = signed.withLock({ $0[name] }) { return known }
        let fresh = prekey.secret.published(until: prekey.publishedUntil, signedBy: key)
        signed.withLock { signed in
            if signed.count >= Self.memory { signed = [:] }
            signed[name] = fresh
        }
        return fresh
    }
}
