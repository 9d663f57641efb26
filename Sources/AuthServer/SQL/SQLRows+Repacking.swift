import Authentication
import Database
import OstiaryProtocol

/// Receipts of before step 44, brought into their short form in the order of the ids of their instances. How far that has come stands in the same transaction.
extension SQLRows {
    private static let receipts = SQLValue.text("receipts")
    private static let place = "SELECT place FROM repacking WHERE name = $1 AND is_over = 0"

    /// Whether there may be receipts in the long form that were there before the step.
    func hasReceiptsOfBefore() throws -> Bool { try connection.one(Self.place, [Self.receipts]) != nil }

    /// The next instances, at most `limit`. Looked at again after a lost commit it finds by the place what it did.
    /// - Returns: whether there may be more.
    func repackReceipts(limit: Int) throws -> Bool {
        guard let row = try connection.one(Self.place, [Self.receipts]) else { return false }
        let place = try row.optionalBlob("place") ?? []
        let ids = try connection.query("SELECT id FROM instance WHERE id > $1 ORDER BY id LIMIT $2", [.blob(place), SQLValue(limit)])
            .map { try $0.blob("id") }
        for id in ids { try repack(id) }
        let isOver = ids.count < limit
        try connection.write(
            "UPDATE repacking SET place = $2, is_over = $3 WHERE name = $1", [Self.receipts, .blob(ids.last ?? place), SQLValue(isOver)], changing: 1,
            of: "repacking")
        return !isOver
    }

    /// Saved, an instance has the form in which this transaction writes. One that cannot be read stays as it is: whoever needs it is told. What fails for
    /// another reason than what its row holds ends the batch.
    private func repack(_ bytes: [UInt8]) throws {
        guard let id = InstanceID(bytes) else { return }
        let found: Instance?
        do { found = try instance(id) } catch is WireError { return } catch SQLError.outOfRange, SQLError.wrongKind { return }
        if let found { try save(found) }
    }
}
