import Synchronization

/// Tells the backends of clients what is due, each host by itself: what one host takes its time for is no other's.
///
/// A round may begin while others go on. A host that one of them calls is left out of it, so nothing is told twice but what was not written down. Of a host
/// that was not there no more is tried in the same round, and what was not tried stays as it is.
final class Deliveries: Sendable {
    /// What one look takes from the store at most, each client's first before any client's second.
    static let looked = 1_000
    /// Calls of one round at a time, where that is one for each host; and to one host.
    static let (calls, callsToOne) = (100, 8)

    private struct State {
        var isLooking = false
        /// Hosts that rounds are calling.
        var busy: Set<String> = []
    }

    private let state = Mutex(State())

    /// - Parameters:
    ///   - store: in which is written what became of each.
    ///   - due: looks what there is to tell, at most so many; one look at a time.
    ///   - send: answers the status of the client's answer; nil when there was none. What can't be sent for a fault of ours is put off like one whose
    ///     client was not there, and the others are sent all the same.
    ///   - settle: writes down what became of one.
    /// - Returns: how many were heard.
    /// - Throws: the first fault, after the last was sent.
    func run<Item: BackendNotice>(
        in store: any OAuthStore, _ due: @Sendable @escaping (_ limit: Int) async throws -> [Item],
        by send: @Sendable @escaping (Item) async throws -> Int?,
        _ settle: @Sendable @escaping (any OAuthRows, Item, DeliveryVerdict) throws -> Void
    ) async throws -> Int {
        let lanes = try await begin(due)
        let abreast = max(1, min(Self.callsToOne, Self.calls / max(1, lanes.count)))
        let outcome = await withTaskGroup(of: Outcome.self) { group in
            for lane in lanes {
                group.addTask {
                    let outcome = await Self.tell(lane, abreast: abreast, in: store, by: send, settle)
                    self.state.withLock { _ = $0.busy.remove(lane.host) }
                    return outcome
                }
            }
            var all = Outcome()
            for await outcome in group { all.add(outcome) }
            return all
        }
        if let fault = outcome.fault { throw fault }
        return outcome.heard
    }

    /// Looks what is due, and takes the hosts of it. One look at a time: of a host that another look took meanwhile what was read would be old.
    private func begin<Item: BackendNotice>(
        _ due: @Sendable @escaping (_ limit: Int) async throws -> [Item]
    ) async throws -> [DeliveryLane<Item>] {
        // Before what is due is read: a host that is done by then has written it down.
        let before = state.withLock { state -> Set<String>? in
            guard !state.isLooking else { return nil }
            state.isLooking = true
            return state.busy
        }
        guard let busy = before else { return [] }
        var lanes: [DeliveryLane<Item>] = []
        defer {
            let hosts = lanes.map(\.host)
            state.withLock { state in
                state.isLooking = false
                state.busy.formUnion(hosts)
            }
        }
        lanes = DeliveryLane.lanes(of: try await due(Self.looked), at: Self.calls, leavingOut: busy)
        return lanes
    }

    private static func tell<Item: BackendNotice>(
        _ lane: DeliveryLane<Item>, abreast: Int, in store: any OAuthStore, by send: @Sendable @escaping (Item) async throws -> Int?,
        _ settle: @Sendable @escaping (any OAuthRows, Item, DeliveryVerdict) throws -> Void
    ) async -> Outcome {
        await withTaskGroup(of: Delivery<Item>.self) { group in
            var outcome = Outcome()
            for item in lane.items.prefix(abreast) { group.addTask { await Delivery.of(item, by: send) } }
            var waiting = lane.items.dropFirst(abreast)
            while let delivery = await group.next() {
                do {
                    try await store.write { rows in try settle(rows, delivery.item, delivery.verdict) }
                    outcome.heard += delivery.verdict == .delivered ? 1 : 0
                    outcome.fault = outcome.fault ?? delivery.fault
                } catch {
                    outcome.fault = outcome.fault ?? error
                    waiting = []
                }
                if delivery.isInVain { waiting = [] }
                if let next = waiting.popFirst() { group.addTask { await Delivery.of(next, by: send) } }
            }
            return outcome
        }
    }
}

/// What became of a round, or of what one host was to hear in it.
private struct Outcome: Sendable {
    var heard = 0
    var fault: (any Error)?

    mutating func add(_ other: Outcome) {
        heard += other.heard
        fault = fault ?? other.fault
    }
}

/// What became of one.
private struct Delivery<Item: BackendNotice>: Sendable {
    let item: Item
    var verdict = DeliveryVerdict.retry
    /// Why it was not sent at all.
    var fault: (any Error)?

    /// Whether the host was not there, or has enough for now.
    var isInVain: Bool { verdict == .retry && fault == nil }

    static func of(_ item: Item, by send: (Item) async throws -> Int?) async -> Delivery {
        var delivery = Delivery(item: item)
        do { delivery.verdict = DeliveryVerdict(status: try await send(item)) } catch { delivery.fault = error }
        return delivery
    }
}
