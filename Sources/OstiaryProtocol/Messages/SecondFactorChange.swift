/// M3: the phone completes an operation on the second factor that belongs to no session: contexts 4 to 7 (protocol §7).
///
/// Signed over the ephemeral key and time of its request as well (protocol §2, exception 2).
package struct M3: WireMessage, DeviceSigned {
    package static let type = MessageType.m3
    package static let label = Label.devProof

    package let accountID: AccountID
    package let instanceID: InstanceID
    package let attemptID: AttemptID
    package let context: SecondFactorContext
    package let method: Methods
    package let epoch: UInt32
    /// pkBio for biometrics, empty for PIN_CHANGE_VERIFY, the attempt id of that for PIN_CHANGE_SET.
    package let payload: [UInt8]
    /// The second-factor key that the new box holds; PIN_CHANGE_SET only.
    package let secondFactorKey: [UInt8]?
    /// For a biometric on its own, which has no M1.
    package let attempt: Encoded<Attempt>?
    package let secondFactorSignature: [UInt8]?
    package let biometricSignature: [UInt8]?
    package let extensions: Extensions
    package var deviceSignature: [UInt8]

    package init(
        accountID: AccountID, instanceID: InstanceID, attemptID: AttemptID, context: SecondFactorContext, method: Methods, epoch: UInt32,
        payload: [UInt8], secondFactorKey: [UInt8]? = nil, attempt: Encoded<Attempt>? = nil, secondFactorSignature: [UInt8]? = nil,
        biometricSignature: [UInt8]? = nil
    ) {
        self.accountID = accountID
        self.instanceID = instanceID
        self.attemptID = attemptID
        self.context = context
        self.method = method
        self.epoch = epoch
        self.payload = payload
        self.secondFactorKey = secondFactorKey
        self.attempt = attempt
        self.secondFactorSignature = secondFactorSignature
        self.biometricSignature = biometricSignature
        extensions = .none
        deviceSignature = blankDeviceSignature
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        accountID = try AccountID(from: &reader)
        instanceID = try InstanceID(from: &reader)
        attemptID = try AttemptID(from: &reader)
        context = try reader.choice()
        method = try Methods(from: &reader)
        epoch = try reader.u32()
        payload = try reader.v16(cap: 1_024)
        secondFactorKey = try reader.optional8(32)
        attempt = try reader.optionalPart16()
        secondFactorSignature = try reader.optional8(64)
        biometricSignature = try reader.optional8(64)
        extensions = try Extensions(from: &reader)
        deviceSignature = try reader.fixed(64)
    }

    package func writeBody(to writer: inout ByteWriter) {
        accountID.write(to: &writer)
        instanceID.write(to: &writer)
        attemptID.write(to: &writer)
        writer.choice(context)
        writer.u8(method.rawValue)
        writer.u32(epoch)
        writer.v16(payload)
        writer.optional8(secondFactorKey, 32)
        writer.part16(attempt)
        writer.optional8(secondFactorSignature, 64)
        writer.optional8(biometricSignature, 64)
        extensions.write(to: &writer)
        writer.fixed(deviceSignature, 64)
    }
}

/// M4: the operation is done (protocol §7). A repeat of the same M3 gets it again.
package struct M4: WireMessage, Equatable {
    package static let type = MessageType.m4

    /// The active epoch.
    package let epoch: UInt32
    /// Biometrics that may follow before a PIN is asked; ``Tries/unlimited`` where there is no limit.
    package let withoutPINLeft: UInt16
    package let flags: UInt16
    package let extensions: Extensions

    package init(epoch: UInt32, withoutPINLeft: UInt16, flags: UInt16 = 0, extensions: Extensions = .none) {
        self.epoch = epoch
        self.withoutPINLeft = withoutPINLeft
        self.flags = flags
        self.extensions = extensions
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        epoch = try reader.u32()
        withoutPINLeft = try reader.u16()
        flags = try reader.u16()
        extensions = try Extensions(from: &reader)
    }

    package func writeBody(to writer: inout ByteWriter) {
        writer.u32(epoch)
        writer.u16(withoutPINLeft)
        writer.u16(flags)
        extensions.write(to: &writer)
    }
}
