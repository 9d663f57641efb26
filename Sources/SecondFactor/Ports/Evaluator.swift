import OstiaryProtocol

/// Makes evaluation keys and uses them. Nothing else touches an unwrapped `k`.
package protocol Evaluator: Sendable {
    func makeKey(for instance: InstanceID, epoch: UInt32) throws -> FreshKey

    /// k·B and its proof, 96 bytes. The attempt was counted durably before.
    func evaluate(_ blinded: [UInt8], under key: WrappedKey, of instance: InstanceID, epoch: UInt32) throws -> [UInt8]
}
