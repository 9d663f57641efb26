import OstiaryProtocol

/// The messages of a call, decoded.
enum CallMessage {
    case ticket(Encoded<Ticket>)
    case proof(Encoded<Proof>)
    case close(Encoded<Close>)
    case reset(Encoded<Reset>)
    case probe(Encoded<Probe>)
    case leave(Encoded<Leave>)

    init?(_ call: SecondFactorCall) {
        guard let type = try? MessageType(of: call.message) else { return nil }
        let message: CallMessage? =
            switch type {
            case .ticket: (try? Encoded(decoding: call.message)).map(CallMessage.ticket)
            case .proof: (try? Encoded(decoding: call.message)).map(CallMessage.proof)
            case .close: (try? Encoded(decoding: call.message)).map(CallMessage.close)
            case .reset: (try? Encoded(decoding: call.message)).map(CallMessage.reset)
            case .probe: (try? Encoded(decoding: call.message)).map(CallMessage.probe)
            case .leave: (try? Encoded(decoding: call.message)).map(CallMessage.leave)
            default: nil
            }
        guard let message else { return nil }
        self = message
    }
}

extension SecondFactorCall {
    /// The receipts that came along.
    var receipts: [Encoded<Receipt>] { [receipt, pinReceipt].compactMap(\.self) }
}
