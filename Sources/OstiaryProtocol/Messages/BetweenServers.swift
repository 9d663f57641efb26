/// Ticket: the authentication server vouches for an attempt and numbers it (protocol §7).
package struct Ticket: WireMessage, OperatorSigned {
    package static let type = MessageType.ticket
    package static let label = Label.ticket

    package let serverID: ServerID
    package let sequence: UInt64
    package let issuedAt: Instant
    package let payload: [UInt8]
    package let attempt: Encoded<Attempt>
    package var signature: OperatorSignature

    package init(serverID: ServerID, sequence: UInt64, issuedAt: Instant, payload: [UInt8], attempt: Encoded<Attempt>) {
        self.serverID = serverID
        self.sequence = sequence
        self.issuedAt = issuedAt
        self.payload = payload
        self.attempt = attempt
        signature = .blank
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        serverID = try ServerID(from: &reader)
        sequence = try reader.u64()
        issuedAt = try reader.instant()
        payload = try reader.v16(cap: 1_024)
        attempt = try reader.part()
        signature = try OperatorSignature(from: &reader)
    }

    package func writeBody(to writer: inout ByteWriter) {
        serverID.write(to: &writer)
        writer.u64(sequence)
        writer.instant(issuedAt)
        writer.v16(payload)
        writer.part(attempt)
        signature.write(to: &writer)
    }
}

/// SfAnswer: the second-factor server's answer to whatever an authentication server calls it with (protocol §7).
package struct SecondFactorAnswer: WireMessage, OperatorSigned {
    package static let type = MessageType.secondFactorAnswer
    package static let label = Label.secondFactorAnswer

    /// The attempt, or for a message without one its `answerID`.
    package let attemptID: AttemptID
    package let status: Status
    /// The highest sequence number that was counted.
    package let highest: UInt64
    package let epoch: UInt32
    package let tries: Tries
    package let sealed: [UInt8]
    package let receipt: Encoded<Receipt>?
    package var signature: OperatorSignature

    package init(
        attemptID: AttemptID, status: Status, highest: UInt64, epoch: UInt32, tries: Tries, sealed: [UInt8] = [], receipt: Encoded<Receipt>? = nil
    ) {
        self.attemptID = attemptID
        self.status = status
        self.highest = highest
        self.epoch = epoch
        self.tries = tries
        self.sealed = sealed
        self.receipt = receipt
        signature = .blank
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        attemptID = try AttemptID(from: &reader)
        guard let status = Status(rawValue: UInt16(try reader.u8())) else { throw .badValue }
        self.status = status
        highest = try reader.u64()
        epoch = try reader.u32()
        tries = try Tries(from: &reader)
        sealed = try reader.v16()
        receipt = try reader.optionalPart16()
        signature = try OperatorSignature(from: &reader)
    }

    package func writeBody(to writer: inout ByteWriter) {
        attemptID.write(to: &writer)
        writer.u8(UInt8(status.rawValue))
        writer.u64(highest)
        writer.u32(epoch)
        tries.write(to: &writer)
        writer.v16(sealed)
        writer.part16(receipt)
        signature.write(to: &writer)
    }
}

/// Proof: the authentication server hands on what the opened box signed (protocol §7).
package struct Proof: WireMessage, OperatorSigned {
    package static let type = MessageType.proof
    package static let label = Label.proof

    package let serverID: ServerID
    package let instanceID: InstanceID
    package let attemptID: AttemptID
    package let context: SecondFactorContext
    package let method: Methods
    package let epoch: UInt32
    package let sessionHash: [UInt8]
    /// The new second-factor key, in the contexts that set a PIN.
    package let secondFactorKey: [UInt8]?
    /// For a biometric on its own.
    package let ticket: Encoded<Ticket>?
    package let secondFactorSignature: [UInt8]?
    package let biometricSignature: [UInt8]?
    package var signature: OperatorSignature

    package init(
        serverID: ServerID, instanceID: InstanceID, attemptID: AttemptID, context: SecondFactorContext, method: Methods, epoch: UInt32,
        sessionHash: [UInt8], secondFactorKey: [UInt8]?, ticket: Encoded<Ticket>? = nil, secondFactorSignature: [UInt8]?,
        biometricSignature: [UInt8]? = nil
    ) {
        self.serverID = serverID
        self.instanceID = instanceID
        self.attemptID = attemptID
        self.context = context
        self.method = method
        self.epoch = epoch
        self.sessionHash = sessionHash
        self.secondFactorKey = secondFactorKey
        self.ticket = ticket
        self.secondFactorSignature = secondFactorSignature
        self.biometricSignature = biometricSignature
        signature = .blank
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        serverID = try ServerID(from: &reader)
        instanceID = try InstanceID(from: &reader)
        attemptID = try AttemptID(from: &reader)
        context = try reader.choice()
        method = try Methods(from: &reader)
        epoch = try reader.u32()
        sessionHash = try reader.fixed(32)
        secondFactorKey = try reader.optional8(32)
        ticket = try reader.optionalPart16()
        secondFactorSignature = try reader.optional8(64)
        biometricSignature = try reader.optional8(64)
        signature = try OperatorSignature(from: &reader)
    }

    package func writeBody(to writer: inout ByteWriter) {
        serverID.write(to: &writer)
        instanceID.write(to: &writer)
        attemptID.write(to: &writer)
        writer.choice(context)
        writer.u8(method.rawValue)
        writer.u32(epoch)
        writer.fixed(sessionHash, 32)
        writer.optional8(secondFactorKey, 32)
        writer.part16(ticket)
        writer.optional8(secondFactorSignature, 64)
        writer.optional8(biometricSignature, 64)
        signature.write(to: &writer)
    }
}

/// Receipt: the second-factor server's word that an attempt was counted, not blocked, and proved (protocol §7).
package struct Receipt: WireMessage, OperatorSigned {
    package static let type = MessageType.receipt
    package static let label = Label.receipt

    package let serverID: ServerID
    package let instanceID: InstanceID
    package let attemptID: AttemptID
    package let sessionHash: [UInt8]
    package let context: SecondFactorContext
    package let method: Methods
    package let epoch: UInt32
    package let sequence: UInt64
    package let secondFactorKey: [UInt8]
    /// SHA(sfSig||bioSig).
    package let signaturesHash: [UInt8]
    package let withoutPIN: UInt16
    package let lastPIN: Instant
    package let issuedAt: Instant
    package var signature: OperatorSignature

    package init(
        serverID: ServerID, instanceID: InstanceID, attemptID: AttemptID, sessionHash: [UInt8], context: SecondFactorContext, method: Methods,
        epoch: UInt32, sequence: UInt64, secondFactorKey: [UInt8], signaturesHash: [UInt8], withoutPIN: UInt16, lastPIN: Instant, issuedAt: Instant
    ) {
        self.serverID = serverID
        self.instanceID = instanceID
        self.attemptID = attemptID
        self.sessionHash = sessionHash
        self.context = context
        self.method = method
        self.epoch = epoch
        self.sequence = sequence
        self.secondFactorKey = secondFactorKey
        self.signaturesHash = signaturesHash
        self.withoutPIN = withoutPIN
        self.lastPIN = lastPIN
        self.issuedAt = issuedAt
        signature = .blank
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        serverID = try ServerID(from: &reader)
        instanceID = try InstanceID(from: &reader)
        attemptID = try AttemptID(from: &reader)
        sessionHash = try reader.fixed(32)
        context = try reader.choice()
        method = try Methods(from: &reader)
        epoch = try reader.u32()
        sequence = try reader.u64()
        secondFactorKey = try reader.fixed(32)
        signaturesHash = try reader.fixed(32)
        withoutPIN = try reader.u16()
        lastPIN = try reader.instant()
        issuedAt = try reader.instant()
        signature = try OperatorSignature(from: &reader)
    }

    package func writeBody(to writer: inout ByteWriter) {
        serverID.write(to: &writer)
        instanceID.write(to: &writer)
        attemptID.write(to: &writer)
        writer.fixed(sessionHash, 32)
        writer.choice(context)
        writer.u8(method.rawValue)
        writer.u32(epoch)
        writer.u64(sequence)
        writer.fixed(secondFactorKey, 32)
        writer.fixed(signaturesHash, 32)
        writer.u16(withoutPIN)
        writer.instant(lastPIN)
        writer.instant(issuedAt)
        signature.write(to: &writer)
    }
}

/// Close: the last account of an instance is gone; the second-factor server erases its key (protocol §13).
package struct Close: WireMessage, OperatorSigned {
    package static let type = MessageType.close
    package static let label = Label.close

    package let serverID: ServerID
    package let instanceID: InstanceID
    package let time: Instant
    package var signature: OperatorSignature

    package init(serverID: ServerID, instanceID: InstanceID, time: Instant) {
        self.serverID = serverID
        self.instanceID = instanceID
        self.time = time
        signature = .blank
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        serverID = try ServerID(from: &reader)
        instanceID = try InstanceID(from: &reader)
        time = try reader.instant()
        signature = try OperatorSignature(from: &reader)
    }

    package func writeBody(to writer: inout ByteWriter) {
        serverID.write(to: &writer)
        instanceID.write(to: &writer)
        writer.instant(time)
        signature.write(to: &writer)
    }
}

/// Reset: an operator lifts the block of a person who lost all tries. How often is the second-factor server's policy (docs/protocol/second-factor).
package struct Reset: WireMessage, OperatorSigned {
    package static let type = MessageType.reset
    package static let label = Label.reset

    package let serverID: ServerID
    package let instanceID: InstanceID
    package let time: Instant
    package var signature: OperatorSignature

    package init(serverID: ServerID, instanceID: InstanceID, time: Instant) {
        self.serverID = serverID
        self.instanceID = instanceID
        self.time = time
        signature = .blank
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        serverID = try ServerID(from: &reader)
        instanceID = try InstanceID(from: &reader)
        time = try reader.instant()
        signature = try OperatorSignature(from: &reader)
    }

    package func writeBody(to writer: inout ByteWriter) {
        serverID.write(to: &writer)
        instanceID.write(to: &writer)
        writer.instant(time)
        signature.write(to: &writer)
    }
}
