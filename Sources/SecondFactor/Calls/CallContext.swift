import OstiaryProtocol

/// One call: who asks, as whom we answer, and when. Each message has its own file.
struct CallContext: Sendable {
    let service: SecondFactorService
    let caller: Caller
    let keys: any OwnKeys
    let now: Instant
    /// Seconds for which the clock has gone on without a leap.
    let steadyFor: UInt64

    var store: any SecondFactorStore { service.store }
    var policy: Policy { service.policy }

    /// Whether the order names the server that the call came from, and bears its signature under a certificate that is valid at this time.
    func isSignedByCaller(_ order: Encoded<some SecondFactorOrder>, at time: Instant) -> Bool {
        order.value.serverID == caller.server.id && (try? order.verify(with: caller.keys, at: time)) != nil
    }

    /// Whether it is for the clocks that a ticket cannot be taken: its time is far from ours, and at that time its caller signed it. By another
    /// clock a certificate is not valid, and a prekey is gone.
    func isOfAnotherClock(_ ticket: Encoded<Ticket>) -> Bool {
        let time = ticket.value.issuedAt
        return time.distance(to: now) > Times.requestWindow && (try? ticket.verify(with: caller.keys, at: time)) != nil
    }

    func record(
        _ kind: CallRecord.Kind, _ instance: InstanceID, _ outcome: String, context: SecondFactorContext? = nil, methods: Methods? = nil,
        isNotable: Bool = false
    ) -> CallRecord {
        CallRecord(
            kind: kind, server: caller.server.id, instance: instance, outcome: outcome, context: context, methods: methods, isNotable: isNotable)
    }
}
