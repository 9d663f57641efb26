import OstiaryProtocol

/// An authentication server whose chain leads to a trusted root.
package struct Caller: Sendable {
    package let server: VirtualServer
    package let keys: OperatorKeys

    package init(_ keys: OperatorKeys) {
        server = VirtualServer(id: keys.root.serverID, rootHash: keys.root.hash)
        self.keys = keys
    }
}

/// A ticket whose hashes and operator signature fit. The proof of the device and all that rows decide is still to come.
package struct CheckedTicket: Sendable {
    package let owner: VirtualServer
    package let ticket: Ticket
    package let purpose: Purpose
    /// `B`.
    package let blinded: GroupElement

    package var attempt: Attempt { ticket.attempt.value }
}

extension CheckedTicket {
    /// The first line of §7, "At the SFS, on a Ticket", but for the device signature.
    /// - Parameters:
    ///   - sealed: the phone's request as it came beside the ticket.
    ///   - opened: the same, opened with one of our prekeys.
    package static func check(
        _ ticket: Encoded<Ticket>, from caller: Caller, sealed: [UInt8], opened: OpenedRequest, at now: Instant
    ) throws(TicketRefusal) -> CheckedTicket {
        let attempt = ticket.value.attempt.value
        guard (try? ticket.verify(with: caller.keys, at: now)) != nil else { throw .notSigned }
        guard ticket.value.serverID == caller.server.id else { throw .otherServer }
        let sealedHash = SHA(sealed)
        guard matches(sealedHash, attempt.sealedHash), matches(sealedHash, opened.hash) else { throw .sealedHash }
        guard matches(SHA(opened.ephemeral), attempt.ephemeralHash) else { throw .ephemeralHash }
        guard matches(SHA(opened.message), attempt.blindedHash) else { throw .blindedHash }
        guard let blinded = try? GroupElement(opened.message) else { throw .notAnElement }
        return CheckedTicket(owner: caller.server, ticket: ticket.value, purpose: try Purpose(of: ticket.value), blinded: blinded)
    }

    /// Whether a new evaluation key is to be made for the attempt, as far as the rows look now.
    package func needsKey(in situation: Situation) -> Bool {
        guard situation.attempt == nil else { return false }
        return switch purpose {
        case .firstSet: situation.instance == nil
        case .pinChangeSet: situation.voucher != nil
        case .verify, .enrol, .biometricsAdd, .biometricsRemove, .pinChangeVerify: false
        }
    }
}
