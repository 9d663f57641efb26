/// Why a second factor is asked (protocol §7).
package enum SecondFactorContext: UInt8, Sendable, CaseIterable {
    case verify = 1
    case firstSet = 2
    case enrol = 3
    case biometricsAdd = 4
    case biometricsRemove = 5
    case pinChangeVerify = 6
    case pinChangeSet = 7

    /// The contexts in which a PIN is set: their attempts are never counted and have sequence number 0.
    package var setsPIN: Bool { self == .firstSet || self == .pinChangeSet }
}

/// Attempt: one try of a second factor, bound to what it approves and signed by the device key (protocol §7).
package struct Attempt: DeviceSigned, Equatable {
    package static let label = Label.devSecondFactor

    package let instanceID: InstanceID
    package let attemptID: AttemptID
    package let sessionHash: [UInt8]
    package let context: SecondFactorContext
    package let epoch: UInt32
    /// SHA of the blinded element; zero for a biometric on its own.
    package let blindedHash: [UInt8]
    /// SHA of the request to the second-factor server; zero for a biometric on its own.
    package let sealedHash: [UInt8]
    /// SHA of the ephemeral key that the outer and the sealed request share.
    package let ephemeralHash: [UInt8]
    package let madeAt: Instant
    package var deviceSignature: [UInt8]

    package init(
        instanceID: InstanceID, attemptID: AttemptID, sessionHash: [UInt8], context: SecondFactorContext, epoch: UInt32, blindedHash: [UInt8],
        sealedHash: [UInt8], ephemeralHash: [UInt8], madeAt: Instant
    ) {
        self.instanceID = instanceID
        self.attemptID = attemptID
        self.sessionHash = sessionHash
        self.context = context
        self.epoch = epoch
        self.blindedHash = blindedHash
        self.sealedHash = sealedHash
        self.ephemeralHash = ephemeralHash
        self.madeAt = madeAt
        deviceSignature = blankDeviceSignature
    }

    package init(from reader: inout ByteReader) throws(WireError) {
        instanceID = try InstanceID(from: &reader)
        attemptID = try AttemptID(from: &reader)
        sessionHash = try reader.fixed(32)
        context = try reader.choice()
        epoch = try reader.u32()
        blindedHash = try reader.fixed(32)
        sealedHash = try reader.fixed(32)
        ephemeralHash = try reader.fixed(32)
        madeAt = try reader.instant()
        deviceSignature = try reader.fixed(64)
    }

    package func write(to writer: inout ByteWriter) {
        instanceID.write(to: &writer)
        attemptID.write(to: &writer)
        writer.fixed(sessionHash, 32)
        writer.choice(context)
        writer.u32(epoch)
        writer.fixed(blindedHash, 32)
        writer.fixed(sealedHash, 32)
        writer.fixed(ephemeralHash, 32)
        writer.instant(madeAt)
        writer.fixed(deviceSignature, 64)
    }
}

/// M1: the phone asks for one evaluation (protocol §7).
package struct M1: WireMessage {
    package static let type = MessageType.m1

    package let accountID: AccountID
    package let attempt: Encoded<Attempt>
    package let payload: [UInt8]
    /// The request to the second-factor server, which the authentication server cannot open.
    package let sealed: [UInt8]
    /// VERIFY: the session of the L2; nil in all other contexts.
    package let sessionID: SessionID?
    /// VERIFY: as it came in the L2; nil in all other contexts.
    package let offer: Encoded<Offer>?

    /// - Parameter question: session and offer of the L2, exactly with VERIFY.
    package init(
        accountID: AccountID, attempt: Encoded<Attempt>, payload: [UInt8], sealed: [UInt8],
        about question: (session: SessionID, offer: Encoded<Offer>)? = nil
    ) {
        self.accountID = accountID
        self.attempt = attempt
        self.payload = payload
        self.sealed = sealed
        sessionID = question?.session
        offer = question?.offer
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        accountID = try AccountID(from: &reader)
        attempt = try reader.part()
        payload = try reader.v16(cap: 1_024)
        sealed = try reader.v16(cap: 1_024)
        sessionID = try reader.optionalIdentifier()
        offer = try reader.optionalPart8()
        let hasSession = attempt.value.context == .verify
        guard hasSession == (sessionID != nil), hasSession == (offer != nil) else { throw .badValue }
    }

    package func writeBody(to writer: inout ByteWriter) {
        accountID.write(to: &writer)
        writer.part(attempt)
        writer.v16(payload)
        writer.v16(sealed)
        writer.optionalIdentifier(sessionID)
        writer.part8(offer)
    }
}

/// What the phone may show of the counter.
package struct Tries: Sendable, Equatable {
    package let failed: UInt8
    package let most: UInt8
    /// Seconds to wait before the next try.
    package let wait: UInt32
    /// Biometrics that may still follow before a PIN is asked; ``unlimited`` where there is no limit.
    package let withoutPINLeft: UInt16

    /// `withoutPINLeft` of a server that asks for no PIN in between.
    package static let unlimited = UInt16.max

    package static let none = Tries(failed: 0, most: 0, wait: 0, withoutPINLeft: 0)

    package init(failed: UInt8, most: UInt8, wait: UInt32, withoutPINLeft: UInt16) {
        self.failed = failed
        self.most = most
        self.wait = wait
        self.withoutPINLeft = withoutPINLeft
    }

    init(from reader: inout ByteReader) throws(WireError) {
        failed = try reader.u8()
        most = try reader.u8()
        wait = try reader.u32()
        withoutPINLeft = try reader.u16()
    }

    func write(to writer: inout ByteWriter) {
        writer.u8(failed)
        writer.u8(most)
        writer.u32(wait)
        writer.u16(withoutPINLeft)
    }
}

/// SfEval: the evaluation, in an answer that only the phone can open (protocol §7).
package struct SecondFactorEvaluation: WireMessage, Equatable {
    package static let type = MessageType.secondFactorEvaluation

    package let attemptID: AttemptID
    /// Evaluated element and proof.
    package let evaluation: [UInt8]
    /// The public key of a new evaluation key, for the phone to pin.
    package let evaluationKey: [UInt8]?
    package let tries: Tries

    package init(attemptID: AttemptID, evaluation: [UInt8], evaluationKey: [UInt8]?, tries: Tries) {
        self.attemptID = attemptID
        self.evaluation = evaluation
        self.evaluationKey = evaluationKey
        self.tries = tries
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        attemptID = try AttemptID(from: &reader)
        evaluation = try reader.fixed(96)
        evaluationKey = try reader.optional8(32)
        tries = try Tries(from: &reader)
    }

    package func writeBody(to writer: inout ByteWriter) {
        attemptID.write(to: &writer)
        writer.fixed(evaluation, 96)
        writer.optional8(evaluationKey, 32)
        tries.write(to: &writer)
    }
}

/// M2: body of the authentication server's answer to an M1, whatever its status (protocol §7).
package struct M2: WireMessage, Equatable {
    package static let type = MessageType.m2

    /// The active epoch.
    package let epoch: UInt32
    package let tries: Tries
    /// Given only when the attempt was evaluated.
    package let serverShare: [UInt8]?
    package let sealed: [UInt8]

    package init(epoch: UInt32, tries: Tries, serverShare: [UInt8]?, sealed: [UInt8]) {
        self.epoch = epoch
        self.tries = tries
        self.serverShare = serverShare
        self.sealed = sealed
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        epoch = try reader.u32()
        tries = try Tries(from: &reader)
        serverShare = try reader.optional8(32)
        sealed = try reader.v16()
    }

    package func writeBody(to writer: inout ByteWriter) {
        writer.u32(epoch)
        tries.write(to: &writer)
        writer.optional8(serverShare, 32)
        writer.v16(sealed)
    }
}
