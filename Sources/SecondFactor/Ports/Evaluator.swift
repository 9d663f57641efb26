import OstiaryProtocol

/// Makes evaluation keys and uses them. Nothing else touches an unwrapped `k`.
package protocol Evaluator: Sendable {
    func makeKey(for instance: InstanceID, epoch: UInt32) throws -> FreshKey

    /// k·B and its proof, 96 bytes. The attempt was counted durably before.
    /// - Parameter publicKey: pkK where the attempt has it, that of a key that was made for it; nil where it has to be computed.
    func evaluate(
        _ blinded: GroupElement, under key: WrappedKey, publicKey: [UInt8]?, of instance: InstanceID, epoch: UInt32
    ) throws -> [UInt8]
}
