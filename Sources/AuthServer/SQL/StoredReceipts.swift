import Authentication
import Database
import OstiaryProtocol

/// The form in which receipts are written; both are read.
enum ReceiptForm: Sendable {
    /// As they were signed: what every program reads.
    case long
    /// Without what the row says: what programs from step 44 of the schema on read (docs/decisions/0068).
    case short
}

/// The receipts of an instance as their columns have them.
struct StoredReceipts: Equatable, Sendable {
    let newest: [UInt8]?
    let newestByPIN: [UInt8]?

    init(_ row: SQLRow) throws {
        newest = try row.optionalBlob("receipt")
        newestByPIN = try row.optionalBlob("pin_receipt")
    }

    /// As an instance is to be kept, with all that it says by now: a short form counts beside the columns that it is written with.
    init(of instance: Instance, in form: ReceiptForm) {
        let row = ReceiptSurroundings(of: instance)
        newest = instance.receipt.map { Self.bytes(of: $0, beside: row, in: form) }
        newestByPIN = instance.pinReceipt.map { Self.bytes(of: $0, beside: row, in: form) }
    }

    /// A receipt from its column, in either form.
    static func receipt(_ bytes: [UInt8], beside row: ReceiptSurroundings) throws(WireError) -> Encoded<Receipt> {
        guard bytes.first == ShortReceipt.version else { return try Encoded<Receipt>(decoding: bytes) }
        return try ShortReceipt.receipt(bytes, beside: row)
    }

    /// A receipt for its column. Short only if it comes out again byte for byte: one of another instance, or signed in a way that is not known here, stays as
    /// it is.
    static func bytes(of receipt: Encoded<Receipt>, beside row: ReceiptSurroundings, in form: ReceiptForm) -> [UInt8] {
        guard form == .short else { return receipt.bytes }
        let short = ShortReceipt.bytes(of: receipt.value, beside: row)
        let rebuilt = try? ShortReceipt.receipt(short, beside: row)
        return rebuilt?.bytes == receipt.bytes ? short : receipt.bytes
    }
}

/// An instance with its receipts as the row has them. In which form they stand there no ``Instance`` says, and whoever saves over the row must know: a column
/// that was short beside a former attempt is written anew with the next one.
struct InstanceRow: Sendable {
    let instance: Instance
    let receipts: StoredReceipts
}
