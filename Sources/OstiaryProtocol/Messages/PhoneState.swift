/// What a phone is at while the page of a login waits for it (protocol §6).
package enum PhoneState: UInt8, Sendable, CaseIterable {
    /// Its person, or the app, left the login without a decision.
    case gaveUp = 1
    /// After wrong tries it has to wait.
    case penalised = 2
    /// Its PIN is blocked.
    case blocked = 3
    /// The second-factor server cannot be asked.
    case noSecondFactor = 4
}

/// L7: the phone says what it is at, for the page that waits for it and for nothing else (protocol §6).
package struct L7: WireMessage, DeviceSigned {
    package static let type = MessageType.l7
    package static let label = Label.devState

    package let sessionID: SessionID
    package let accountID: AccountID
    package let state: PhoneState
    /// The end of a penalty by the server's clock; 0 in every other state.
    package let until: Instant
    /// As it came in the L2; not needed any more when the account has claimed the session.
    package let offer: Encoded<Offer>?
    package var deviceSignature: [UInt8]

    package init(sessionID: SessionID, accountID: AccountID, state: PhoneState, until: Instant = Instant(0), offer: Encoded<Offer>?) {
        self.sessionID = sessionID
        self.accountID = accountID
        self.state = state
        self.until = until
        self.offer = offer
        deviceSignature = blankDeviceSignature
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        sessionID = try SessionID(from: &reader)
        accountID = try AccountID(from: &reader)
        state = try reader.choice()
        until = try reader.instant()
        guard (state == .penalised) == (until > Instant(0)) else { throw .badValue }
        offer = try reader.optionalPart8()
        deviceSignature = try reader.fixed(deviceSignatureCount)
    }

    package func writeBody(to writer: inout ByteWriter) {
        sessionID.write(to: &writer)
        accountID.write(to: &writer)
        writer.choice(state)
        writer.instant(until)
        writer.part8(offer)
        writer.fixed(deviceSignature, deviceSignatureCount)
    }
}
