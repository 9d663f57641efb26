/// What clients' backends have to be told, one after the other.
extension OAuthStore {
    /// Sends each, and writes down what became of it. What can't be sent for a fault of ours is put off like one whose client was not there, and the
    /// others are sent all the same.
    /// - Parameter send: answers the status of the client's answer; nil when there was none.
    /// - Returns: how many were heard.
    /// - Throws: the first fault, after the last was sent.
    func deliver<Item: Sendable>(
        _ items: [Item], by send: (Item) async throws -> Int?,
        _ settle: @Sendable @escaping (any OAuthRows, Item, DeliveryVerdict) throws -> Void
    ) async throws -> Int {
        var heard = 0
        var fault: (any Error)?
        for item in items {
            var verdict = DeliveryVerdict.retry
            do { verdict = DeliveryVerdict(status: try await send(item)) } catch { fault = fault ?? error }
            let settled = verdict
            try await write { rows in try settle(rows, item, settled) }
            heard += verdict == .delivered ? 1 : 0
        }
        if let fault { throw fault }
        return heard
    }
}
