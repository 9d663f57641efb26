/// What clients' backends have to be told.
extension OAuthStore {
    /// Sends all at once, so that none waits for a backend that is slow, and writes down what became of each. What can't be sent for a fault of ours is put
    /// off like one whose client was not there, and the others are sent all the same.
    /// - Parameter send: answers the status of the client's answer; nil when there was none.
    /// - Returns: how many were heard.
    /// - Throws: the first fault, after the last was sent.
    func deliver<Item: Sendable>(
        _ items: [Item], by send: @Sendable @escaping (Item) async throws -> Int?,
        _ settle: @Sendable @escaping (any OAuthRows, Item, DeliveryVerdict) throws -> Void
    ) async throws -> Int {
        try await withThrowingTaskGroup(of: Delivery<Item>.self) { group in
            for item in items { group.addTask { await Delivery.of(item, by: send) } }
            var heard = 0
            var fault: (any Error)?
            for try await delivery in group {
                try await write { rows in try settle(rows, delivery.item, delivery.verdict) }
                heard += delivery.verdict == .delivered ? 1 : 0
                fault = fault ?? delivery.fault
            }
            if let fault { throw fault }
            return heard
        }
    }
}

/// What became of one.
private struct Delivery<Item: Sendable>: Sendable {
    let item: Item
    var verdict = DeliveryVerdict.retry
    /// Why it was not sent at all.
    var fault: (any Error)?

    static func of(_ item: Item, by send: (Item) async throws -> Int?) async -> Delivery {
        var delivery = Delivery(item: item)
        do { delivery.verdict = DeliveryVerdict(status: try await send(item)) } catch { delivery.fault = error }
        return delivery
    }
}
