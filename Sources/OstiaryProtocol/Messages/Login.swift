/// How a session reached the phone.
package enum Via: UInt8, Sendable {
    case scan = 1
    case link = 2
    case push = 3
    case app = 4
}

/// L1: the phone asks what a session is about; claims nothing and leaves nothing behind (protocol §4, §6).
package struct L1: WireMessage, DeviceSigned, Equatable {
    package static let type = MessageType.l1
    package static let label = Label.devApp

    /// The link as it was scanned; nil for an AppLogin.
    package let link: Encoded<LoginLink>?
    package let via: Via
    /// The account of an AppLogin.
    package let accountID: AccountID?
    package let clientInfo: String
    /// Of an AppLogin 64 bytes, over `ephPk||ts` of its request too; else empty: whoever sees a code may ask what it is.
    package var deviceSignature: [UInt8]

    /// What a link is about.
    package init(link: Encoded<LoginLink>, via: Via, clientInfo: String) {
        self.link = link
        self.via = via
        accountID = nil
        self.clientInfo = clientInfo
        deviceSignature = []
    }

    /// An AppLogin of this account, to be signed by its device key.
    package init(appLoginOf account: AccountID, clientInfo: String) {
        link = nil
        via = .app
        accountID = account
        self.clientInfo = clientInfo
        deviceSignature = blankDeviceSignature
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        let bytes = try reader.v8()
        link = bytes.isEmpty ? nil : try Encoded(decoding: bytes)
        via = try reader.choice()
        accountID = try reader.optionalIdentifier()
        clientInfo = try reader.text16(cap: 1_024)
        deviceSignature = try reader.optional8(deviceSignatureCount) ?? []
        let isApp = via == .app
        guard isApp == (link == nil), isApp == (accountID != nil), isApp == !deviceSignature.isEmpty else { throw .badValue }
    }

    package func writeBody(to writer: inout ByteWriter) {
        writer.v8(link?.bytes ?? [])
        writer.choice(via)
        writer.optionalIdentifier(accountID)
        writer.text16(clientInfo, cap: 1_024)
        writer.optional8(deviceSignature.isEmpty ? nil : deviceSignature, deviceSignatureCount)
    }

    package static func == (left: L1, right: L1) -> Bool { left.encoded == right.encoded }
}

/// What a session is for.
package enum SessionPurpose: UInt8, Sendable {
    case login = 1
    case app = 2
    case transaction = 3
}

/// Methods that an L2 allows and an L5 used, as bits.
package struct Methods: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let pin = Methods(rawValue: 1)
    package static let bio = Methods(rawValue: 2)
    package static let cached = Methods(rawValue: 4)
    static let known: Methods = [.pin, .bio, .cached]

    /// As logs say it: `pin`, `bio`, `cached`, or several with commas.
    package var words: String {
        [(Methods.pin, "pin"), (.bio, "bio"), (.cached, "cached")].filter { contains($0.0) }.map(\.1).joined(separator: ",")
    }

    init(from reader: inout ByteReader) throws(WireError) {
        let value = Methods(rawValue: try reader.u8())
        guard value.isSubset(of: .known) else { throw .badValue }
        self = value
    }
}

/// L5: the phone's signed decision on a session (protocol §6).
package struct L5: WireMessage, DeviceSigned {
    package static let type = MessageType.l5
    package static let label = Label.devLogin

    package let sessionID: SessionID
    package let sessionHash: [UInt8]
    package let accountID: AccountID
    package let attemptID: AttemptID
    package let decision: Decision
    package let method: Methods
    package let secondFactorSignature: [UInt8]?
    package let biometricSignature: [UInt8]?
    /// The Attempt of a biometric on its own.
    package let attempt: Encoded<Attempt>?
    package let cache: [UInt8]?
    /// What the person typed of the client's screen, three digits; empty where none is asked, and when declining.
    package let number: String
    /// At most 4 096 bytes.
    package let userInput: String
    package let extensions: Extensions
    /// As it came in the L2.
    package let offer: Encoded<Offer>?
    package var deviceSignature: [UInt8]

    package init(
        sessionID: SessionID, sessionHash: [UInt8], accountID: AccountID, attemptID: AttemptID, decision: Decision, method: Methods,
        secondFactorSignature: [UInt8]? = nil, biometricSignature: [UInt8]? = nil, attempt: Encoded<Attempt>? = nil, cache: [UInt8]? = nil,
        number: String = "", userInput: String = "", extensions: Extensions = .none, offer: Encoded<Offer>?
    ) {
        self.sessionID = sessionID
        self.sessionHash = sessionHash
        self.accountID = accountID
        self.attemptID = attemptID
        self.decision = decision
        self.method = method
        self.secondFactorSignature = secondFactorSignature
        self.biometricSignature = biometricSignature
        self.attempt = attempt
        self.cache = cache
        self.number = number
        self.userInput = userInput
        self.extensions = extensions
        self.offer = offer
        deviceSignature = blankDeviceSignature
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        sessionID = try SessionID(from: &reader)
        sessionHash = try reader.fixed(32)
        accountID = try AccountID(from: &reader)
        attemptID = try AttemptID(from: &reader)
        decision = try reader.choice()
        method = try Methods(from: &reader)
        secondFactorSignature = try reader.optional8(64)
        biometricSignature = try reader.optional8(64)
        attempt = try reader.optionalPart16()
        cache = try reader.optional8(32)
        number = try reader.text8()
        userInput = try reader.text16(cap: 4_096)
        extensions = try Extensions(from: &reader)
        offer = try reader.optionalPart8()
        deviceSignature = try reader.fixed(64)
    }

    package func writeBody(to writer: inout ByteWriter) {
        sessionID.write(to: &writer)
        writer.fixed(sessionHash, 32)
        accountID.write(to: &writer)
        attemptID.write(to: &writer)
        writer.choice(decision)
        writer.u8(method.rawValue)
        writer.optional8(secondFactorSignature, 64)
        writer.optional8(biometricSignature, 64)
        writer.part16(attempt)
        writer.optional8(cache, 32)
        writer.text8(number)
        writer.text16(userInput, cap: 4_096)
        extensions.write(to: &writer)
        writer.part8(offer)
        writer.fixed(deviceSignature, 64)
    }
}

/// How a session ended for the phone.
package enum LoginResult: UInt8, Sendable {
    case loggedIn = 1
    case denied = 2
}

/// L6: the outcome of a login, or of an enrolment that was confirmed (protocol §6).
package struct L6: WireMessage, Equatable {
    package static let type = MessageType.l6

    package let result: LoginResult
    /// The session, for an enrolment whose phone has not met one yet.
    package let sessionID: SessionID?
    /// Seconds within which the app has to answer for the session to go on; 0 for a login that is not watched.
    package let pingTime: UInt32
    package let userName: String
    /// 43 characters, for an AppLogin only.
    package let webNonce: String?
    /// 16 bytes for the app that opens the return address itself, after a tapped link only.
    package let returnCode: [UInt8]?
    package let cache: [UInt8]?
    package let flags: UInt16
    package let extensions: Extensions

    /// Accepted, and the browser that began has not come back yet.
    package var isReturning: Bool { flags & LoginFlags.returning != 0 }
    /// The account is there, and has no second factor: nobody is logged in.
    package var isHeadless: Bool { flags & LoginFlags.headless != 0 }
    /// Ended because the account has had all the wrong numbers of a day.
    package var saysNumbersAreUsedUp: Bool { result == .denied && flags & LoginFlags.numbersUsedUp != 0 }
    /// The offline codes that the virtual server takes; nil for none, and in an L6 that is no login, which says nothing of it.
    package var offlineCodes: OfflineCodeLength? { result == .loggedIn ? LoginFlags.offlineCodeLength(flags) : nil }

    package init(
        result: LoginResult, sessionID: SessionID?, pingTime: UInt32, userName: String, webNonce: String? = nil, returnCode: [UInt8]? = nil,
        cache: [UInt8]? = nil, flags: UInt16 = 0, extensions: Extensions = .none
    ) {
        self.result = result
        self.sessionID = sessionID
        self.pingTime = pingTime
        self.userName = userName
        self.webNonce = webNonce
        self.returnCode = returnCode
        self.cache = cache
        self.flags = flags
        self.extensions = extensions
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        result = try reader.choice()
        sessionID = try reader.optionalIdentifier()
        pingTime = try reader.u32()
        userName = try reader.text8()
        webNonce = try reader.optional8(43).map { bytes throws(WireError) in try WireText.decode(bytes) }
        returnCode = try reader.optional8(16)
        cache = try reader.optional8(32)
        flags = try reader.u16()
        extensions = try Extensions(from: &reader)
    }

    package func writeBody(to writer: inout ByteWriter) {
        writer.choice(result)
        writer.optionalIdentifier(sessionID)
        writer.u32(pingTime)
        writer.text8(userName)
        writer.optional8(webNonce.map { Array($0.utf8) }, 43)
        writer.optional8(returnCode, 16)
        writer.optional8(cache, 32)
        writer.u16(flags)
        extensions.write(to: &writer)
    }
}
