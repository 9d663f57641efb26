/// How many seconds a phone is willing to wait for news before an answer that has none.
package let longestHold: UInt8 = 25

/// E1: a phone claims an enrolment (protocol §5).
package struct E1: WireMessage, Equatable {
    package static let type = MessageType.e1

    package let enrolID: EnrolmentID
    package let enrolSecret: [UInt8]
    package let deviceKey: [UInt8]
    /// Name and version of the app, at most 256 bytes.
    package let appInfo: String
    /// Name of the device and its system, at most 256 bytes; the enrolling page shows it.
    package let osInfo: String
    package let pushToken: [UInt8]
    package let extensions: Extensions

    package init(enrolID: EnrolmentID, enrolSecret: [UInt8], deviceKey: [UInt8], appInfo: String, osInfo: String, pushToken: [UInt8] = []) {
        self.enrolID = enrolID
        self.enrolSecret = enrolSecret
        self.deviceKey = deviceKey
        self.appInfo = appInfo
        self.osInfo = osInfo
        self.pushToken = pushToken
        extensions = .none
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        enrolID = try EnrolmentID(from: &reader)
        enrolSecret = try reader.fixed(16)
        deviceKey = try reader.fixed(DevicePublicKey.count)
        appInfo = try reader.text16(cap: 256)
        osInfo = try reader.text16(cap: 256)
        pushToken = try reader.v16(cap: 1_024)
        extensions = try Extensions(from: &reader)
    }

    package func writeBody(to writer: inout ByteWriter) {
        enrolID.write(to: &writer)
        writer.fixed(enrolSecret, 16)
        writer.fixed(deviceKey, DevicePublicKey.count)
        writer.text16(appInfo, cap: 256)
        writer.text16(osInfo, cap: 256)
        writer.v16(pushToken)
        extensions.write(to: &writer)
    }
}

/// Whether a step asks for a second factor.
package enum SecondFactorNeed: UInt8, Sendable {
    case none = 0
    case needed = 1
    case cacheAllowed = 2
}

/// Whether the server wants proof of the phone's hardware.
package enum AttestationWish: UInt8, Sendable {
    case none = 0
    case log = 1
    case require = 2
}

/// E2: what the person is asked to confirm (protocol §5).
package struct E2: WireMessage, Equatable {
    package static let type = MessageType.e2

    package let accountID: AccountID
    package let displayName: String
    /// Accounts that the user already has at this server, at most 32, each at most 255 bytes.
    package let serverAccounts: [String]
    package let secondFactor: SecondFactorNeed
    package let attestation: AttestationWish
    package let pinPolicy: PINPolicy
    /// Made by the authentication server for a first PIN; nil when none can follow.
    package let serverShare: [UInt8]?
    package let secondFactorPrekey: Encoded<Prekey>?
    package let flags: UInt16
    package let extensions: Extensions

    package init(
        accountID: AccountID, displayName: String, serverAccounts: [String], secondFactor: SecondFactorNeed, pinPolicy: PINPolicy,
        serverShare: [UInt8]?, secondFactorPrekey: Encoded<Prekey>?, flags: UInt16 = 0
    ) {
        self.accountID = accountID
        self.displayName = displayName
        self.serverAccounts = Array(serverAccounts.prefix(32))
        self.secondFactor = secondFactor
        attestation = .none
        self.pinPolicy = pinPolicy
        self.serverShare = serverShare
        self.secondFactorPrekey = secondFactorPrekey
        self.flags = flags
        extensions = .none
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        accountID = try AccountID(from: &reader)
        displayName = try reader.text8()
        serverAccounts = try reader.list(cap: 32) { reader throws(WireError) in try reader.text8() }
        secondFactor = try reader.choice()
        attestation = try reader.choice()
        pinPolicy = try reader.part16(PINPolicy.self).value
        serverShare = try reader.optional8(32)
        secondFactorPrekey = try reader.optionalPart16()
        flags = try reader.u16()
        extensions = try Extensions(from: &reader)
    }

    package func writeBody(to writer: inout ByteWriter) {
        accountID.write(to: &writer)
        writer.text8(displayName)
        writer.list(serverAccounts) { writer, text in writer.text8(text) }
        writer.choice(secondFactor)
        writer.choice(attestation)
        writer.v16(pinPolicy.encoded)
        writer.optional8(serverShare, 32)
        writer.part16(secondFactorPrekey)
        writer.u16(flags)
        extensions.write(to: &writer)
    }

    package static func == (left: E2, right: E2) -> Bool { left.encoded == right.encoded }
}

/// How long a PIN must and may be; the phone enforces it (protocol §7).
package struct PINPolicy: WireStruct, Equatable {
    package let fewestDigits: UInt8
    package let mostDigits: UInt8
    package let refusesEasy: Bool

    package static let standard = PINPolicy(fewestDigits: 5, mostDigits: 12, refusesEasy: true)

    package init(fewestDigits: UInt8, mostDigits: UInt8, refusesEasy: Bool) {
        self.fewestDigits = fewestDigits
        self.mostDigits = mostDigits
        self.refusesEasy = refusesEasy
    }

    package init(from reader: inout ByteReader) throws(WireError) {
        fewestDigits = try reader.u8()
        mostDigits = try reader.u8()
        let flag = try reader.u8()
        guard flag <= 1, fewestDigits <= mostDigits else { throw .badValue }
        refusesEasy = flag == 1
    }

    package func write(to writer: inout ByteWriter) {
        writer.u8(fewestDigits)
        writer.u8(mostDigits)
        writer.u8(refusesEasy ? 1 : 0)
    }
}

/// What the person said.
package enum Decision: UInt8, Sendable {
    case accept = 1
    case decline = 2
    /// "No, that was not me": a decline that warns.
    case notMe = 3
    /// Of an enrolment: given up before it was decided, at the PIN for example.
    case gaveUp = 4
}

/// E3: the phone's signed answer to an enrolment (protocol §5).
package struct E3: WireMessage, DeviceSigned {
    package static let type = MessageType.e3
    package static let label = Label.devEnrol

    package let enrolHash: [UInt8]
    package let decision: Decision
    package let instanceID: InstanceID?
    package let attemptID: AttemptID?
    package let context: SecondFactorContext
    package let epoch: UInt32
    package let secondFactorKey: [UInt8]?
    package let attestation: [UInt8]
    package let secondFactorSignature: [UInt8]?
    package let extensions: Extensions
    package var deviceSignature: [UInt8]

    package init(
        enrolHash: [UInt8], decision: Decision, instanceID: InstanceID?, attemptID: AttemptID?, context: SecondFactorContext, epoch: UInt32,
        secondFactorKey: [UInt8]?, secondFactorSignature: [UInt8]?
    ) {
        self.enrolHash = enrolHash
        self.decision = decision
        self.instanceID = instanceID
        self.attemptID = attemptID
        self.context = context
        self.epoch = epoch
        self.secondFactorKey = secondFactorKey
        attestation = []
        self.secondFactorSignature = secondFactorSignature
        extensions = .none
        deviceSignature = blankDeviceSignature
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        enrolHash = try reader.fixed(32)
        decision = try reader.choice()
        instanceID = try reader.optionalIdentifier()
        attemptID = try reader.optionalIdentifier()
        context = try reader.choice()
        epoch = try reader.u32()
        secondFactorKey = try reader.optional8(32)
        attestation = try reader.v16(cap: 16_384)
        secondFactorSignature = try reader.optional8(64)
        extensions = try Extensions(from: &reader)
        deviceSignature = try reader.fixed(64)
    }

    package func writeBody(to writer: inout ByteWriter) {
        writer.fixed(enrolHash, 32)
        writer.choice(decision)
        writer.optionalIdentifier(instanceID)
        writer.optionalIdentifier(attemptID)
        writer.choice(context)
        writer.u32(epoch)
        writer.optional8(secondFactorKey, 32)
        writer.v16(attestation)
        writer.optional8(secondFactorSignature, 64)
        extensions.write(to: &writer)
        writer.fixed(deviceSignature, 64)
    }
}

/// Whether an account may log in yet.
package enum EnrolmentState: UInt8, Sendable {
    case pending = 0
    case active = 1
}

/// E4: the account exists (protocol §5).
package struct E4: WireMessage, Equatable {
    package static let type = MessageType.e4

    package let state: EnrolmentState
    package let otpReference: UInt32
    package let otpKey: [UInt8]
    package let flags: UInt16
    package let extensions: Extensions

    /// The offline codes that the virtual server takes; nil for none.
    package var offlineCodes: OfflineCodeLength? { LoginFlags.offlineCodeLength(flags) }

    package init(state: EnrolmentState, otpReference: UInt32, otpKey: [UInt8], flags: UInt16 = 0) {
        self.state = state
        self.otpReference = otpReference
        self.otpKey = otpKey
        self.flags = flags
        extensions = .none
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        state = try reader.choice()
        otpReference = try reader.u32()
        otpKey = try reader.fixed(32)
        flags = try reader.u16()
        extensions = try Extensions(from: &reader)
    }

    package func writeBody(to writer: inout ByteWriter) {
        writer.choice(state)
        writer.u32(otpReference)
        writer.fixed(otpKey, 32)
        writer.u16(flags)
        extensions.write(to: &writer)
    }
}

/// W1: the phone waits for its account to be confirmed, up to `hold` seconds; answered by an L6 or by `accountPending` (protocol §5).
package struct W1: WireMessage, DeviceSigned {
    package static let type = MessageType.w1
    package static let label = Label.devWait

    package let accountID: AccountID
    package let hold: UInt8
    package var deviceSignature: [UInt8]

    package init(accountID: AccountID, hold: UInt8) {
        self.accountID = accountID
        self.hold = min(hold, longestHold)
        deviceSignature = blankDeviceSignature
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        accountID = try AccountID(from: &reader)
        hold = try reader.hold()
        deviceSignature = try reader.fixed(64)
    }

    package func writeBody(to writer: inout ByteWriter) {
        accountID.write(to: &writer)
        writer.u8(hold)
        writer.fixed(deviceSignature, 64)
    }
}

extension ByteReader {
    /// A holding time in seconds, at most `longestHold`.
    mutating func hold() throws(WireError) -> UInt8 {
        let hold = try u8()
        guard hold <= longestHold else { throw .badValue }
        return hold
    }
}
