import Database
import OstiaryProtocol
import SecondFactor

/// Keys wrapped under the key-encryption key, each for its instance and epoch only (protocol §1).
package struct WrappedKeyEvaluator: Evaluator {
    private let keyEncryptionKey: KeyEncryptionKey

    package init(keyEncryptionKey: KeyEncryptionKey) { self.keyEncryptionKey = keyEncryptionKey }

    package func makeKey(for instance: InstanceID, epoch: UInt32) throws -> FreshKey {
        let key = try OPRFKey.generate()
        let wrapped = try keyEncryptionKey.wrap(key.stored.exposed, context: Self.context(instance, epoch))
        return FreshKey(wrapped: WrappedKey(wrapped), publicKey: key.publicKey)
    }

    package func evaluate(_ blinded: GroupElement, under key: WrappedKey, for attempt: AttemptRecord) throws -> [UInt8] {
        let stored = try keyEncryptionKey.unwrap(key.bytes, context: Self.context(attempt.instanceID, attempt.epoch))
        return try OPRFKey(SecretBytes(stored), publicKey: attempt.newEvaluationKey).evaluate(blinded, attempt: attempt.id)
    }

    private static func context(_ instance: InstanceID, _ epoch: UInt32) -> String { "sfs/k/\(instance.text)/\(epoch)" }
}
