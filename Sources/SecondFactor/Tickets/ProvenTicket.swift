import OstiaryProtocol

/// A checked ticket together with the device key that signed its attempt.
package struct ProvenTicket: Sendable {
    package let checked: CheckedTicket
    /// Nil when there is no instance whose keys could be asked; then the ticket can only be answered SF_UNKNOWN.
    package let deviceKey: [UInt8]?
    package let receipt: ReceiptFacts?
    /// A new key for a FIRST_SET or a PIN_CHANGE_SET; it is used only when the attempt was never seen.
    package let freshKey: FreshKey?

    package var ticket: Ticket { checked.ticket }
    package var attempt: Attempt { checked.attempt }
}

extension CheckedTicket {
    /// Verifies devSig under a device key of the instance; for FIRST_SET under the one in the payload (protocol §7).
    ///
    /// The rows may change before the decision, which therefore asks again whether this key is still the instance's.
    package func proved(
        in situation: Situation, receipt: ReceiptFacts?, freshKey: FreshKey?
    ) throws(TicketRefusal) -> ProvenTicket {
        ProvenTicket(checked: self, deviceKey: try provingKey(in: situation), receipt: receipt, freshKey: freshKey)
    }

    private func provingKey(in situation: Situation) throws(TicketRefusal) -> [UInt8]? {
        switch purpose {
        case .firstSet(let deviceKey):
            guard ticket.attempt.signer(among: [deviceKey]) != nil else { throw .firstDeviceSignature }
            return deviceKey
        case .verify, .enrol, .biometricsAdd, .biometricsRemove, .pinChangeVerify, .pinChangeSet:
            guard let instance = situation.instance else { return nil }
            guard instance.owner == owner else { throw .otherServer }
            guard let key = ticket.attempt.signer(among: instance.deviceKeys) else { throw .deviceSignature }
            return key
        }
    }
}

extension Encoded<Attempt> {
    /// The device key that made devSig.
    func signer(among keys: [[UInt8]]) -> [UInt8]? {
        keys.first { bytes in
            guard let key = try? DevicePublicKey(bytes) else { return false }
            return (try? verify(by: key)) != nil
        }
    }
}
