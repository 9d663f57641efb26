import OstiaryProtocol

/// Makes evaluation keys and uses them. Nothing else touches an unwrapped `k`.
package protocol Evaluator: Sendable {
    func makeKey(for instance: InstanceID, epoch: UInt32) throws -> FreshKey

    /// k·B and its proof, 96 bytes: the same for the same attempt, whenever and wherever it is asked again. The attempt was counted durably before.
    /// - Parameter key: that of the attempt's instance and epoch.
    func evaluate(_ blinded: GroupElement, under key: WrappedKey, for attempt: AttemptRecord) throws -> [UInt8]
}
