import OstiaryProtocol
import Synchronization

/// Signs the receipts of one call, each once. A rule is asked before the transaction too, so the signature is mostly made when the
/// transaction needs it, and cryptography holds up a commit only if the rows have changed meanwhile.
final class ReceiptSigner: Sendable {
    private let key: OperatorKey
    private let signed = Mutex<[[UInt8]: [UInt8]]>([:])

    init(_ key: OperatorKey) { self.key = key }

    func sign(_ receipt: Receipt) -> [UInt8] {
        let facts = receipt.encoded
        if let known = signed.withLock({ $0[facts] }) { return known }
        let bytes = Encoded(receipt, signedBy: key).bytes
        signed.withLock { $0[facts] = bytes }
        return bytes
    }
}
