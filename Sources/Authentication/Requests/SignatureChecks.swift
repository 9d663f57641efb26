import OstiaryProtocol
import Synchronization

/// The signatures of one request, each verified once. What came out in a transaction that reads counts in the one that writes: writers run one after
/// the other, and none waits for the signature of another.
final class SignatureChecks: Sendable {
    private struct Check {
        let label: Label
        let key: [UInt8]
        /// Signature and content.
        let signed: [UInt8]
        let holds: Bool
    }

    /// A request has three signatures at most.
    private let results = Mutex<[Check]>([])

    /// How many signatures were verified.
    var count: Int { results.withLock(\.count) }

    /// Whether `verify` throws nothing, for this label, this key and these bytes.
    func holds(_ signed: [UInt8], _ label: Label, by key: [UInt8], _ verify: () throws -> Void) -> Bool {
        let known = results.withLock { $0.first { $0.label == label && $0.key == key && $0.signed == signed } }
        if let known { return known.holds }
        let holds = (try? verify()) != nil
        results.withLock { $0.append(Check(label: label, key: key, signed: signed, holds: holds)) }
        return holds
    }
}

extension PhoneRequest {
    /// Checks a device signature.
    /// - Throws: `badSignature`.
    func verify<Message: DeviceSigned>(_ message: Encoded<Message>, by key: [UInt8], freshness: [UInt8] = []) throws(Refusal) {
        let holds = signatures.holds(message.bytes + freshness, Message.label, by: key) {
            try message.verify(by: try DevicePublicKey(key), freshness: freshness)
        }
        guard holds else { throw .badSignature }
    }

    /// Verifies a message before the transaction that needs it. Whether it holds is told there, in its turn.
    /// - Parameter key: finds the key that is to have signed.
    func verifyAhead(
        _ message: Encoded<some DeviceSigned>, freshness: [UInt8] = [], in store: any AuthenticationStore,
        by key: @Sendable @escaping (any AuthenticationRows) throws -> [UInt8]?
    ) async throws {
        if let key = try await store.read(key) { try? verify(message, by: key, freshness: freshness) }
    }
}
