/// Brings the receipts of before step 44 into their short form, so many rows in a transaction. After whatever ended it, it goes on where it was, and it ends
/// for good (docs/decisions/0068).
struct ReceiptRepacking: Sendable {
    /// The most rows that one transaction changes, as in all housekeeping (docs/decisions/0059).
    static let batch = 200
    /// The most transactions of a run.
    private static let rounds = 50

    let store: SQLAuthenticationStore

    /// - Parameter mayGoOn: asked after each full batch; false ends the run.
    /// - Returns: whether there is more, for the next run at once; false where `mayGoOn` ended this one.
    func run(while mayGoOn: () async throws -> Bool) async throws -> Bool {
        guard try await store.hasReceiptsOfBefore() else { return false }
        for _ in 0..<Self.rounds {
            guard try await store.repackReceipts(limit: Self.batch) else { return false }
            guard try await mayGoOn() else { return false }
        }
        return true
    }
}
