/// How a session reached the phone.
package enum Via: UInt8, Sendable {
    case scan = 1
    case link = 2
    case push = 3
    case app = 4
}

/// L1: the phone asks what a session is about; claims nothing (protocol §6).
package struct L1: WireMessage, Equatable {
    package static let type = MessageType.l1

    /// The link as it was scanned; nil for an AppLogin.
    package let link: Encoded<LoginLink>?
    package let via: Via
    /// The account of an AppLogin.
    package let accountID: AccountID?
    package let clientInfo: String

    package init(link: Encoded<LoginLink>?, via: Via, accountID: AccountID?, clientInfo: String) {
        self.link = link
        self.via = via
        self.accountID = accountID
        self.clientInfo = clientInfo
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        let bytes = try reader.v8()
        link = bytes.isEmpty ? nil : try Encoded(decoding: bytes)
        via = try reader.choice()
        accountID = try reader.optionalIdentifier()
        clientInfo = try reader.text16(cap: 1_024)
        guard (via == .app) == (link == nil), (via == .app) == (accountID != nil) else { throw .badValue }
    }

    package func writeBody(to writer: inout ByteWriter) {
        writer.v8(link?.bytes ?? [])
        writer.choice(via)
        writer.optionalIdentifier(accountID)
        writer.text16(clientInfo, cap: 1_024)
    }

    package static func == (left: L1, right: L1) -> Bool { left.encoded == right.encoded }
}

/// What a session is for.
package enum SessionPurpose: UInt8, Sendable {
    case login = 1
    case app = 2
    case transaction = 3
}

/// How the browser that asks is tied to the phone that answers (protocol §6).
package enum Binding: UInt8, Sendable, CaseIterable {
    case returnCode = 1
    case qrDynamic = 2
    case qrStatic = 3
    case push = 4
    case app = 5
    case unboundLink = 6
}

/// Methods that an L2 allows and an L5 used, as bits.
package struct Methods: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let pin = Methods(rawValue: 1)
    package static let bio = Methods(rawValue: 2)
    package static let cached = Methods(rawValue: 4)
    static let known: Methods = [.pin, .bio, .cached]

    init(from reader: inout ByteReader) throws(WireError) {
        let value = Methods(rawValue: try reader.u8())
        guard value.isSubset(of: .known) else { throw .badValue }
        self = value
    }
}

/// The relying party that a login is for.
package struct RelyingParty: Sendable, Equatable {
    package let name: String
    package let origin: String
    package let clientID: String

    package init(name: String, origin: String, clientID: String) {
        self.name = name
        self.origin = origin
        self.clientID = clientID
    }
}

/// What the server knows of the browser that asks.
package struct BrowserFacts: Sendable, Equatable {
    package let binding: Binding
    package let label: String
    package let city: String
    package let startedAt: Instant

    package init(binding: Binding, label: String, city: String, startedAt: Instant) {
        self.binding = binding
        self.label = label
        self.city = city
        self.startedAt = startedAt
    }
}

/// One keyed string of announceInfo; key at most 64 bytes, text at most 1 024.
package struct Announcement: Sendable, Equatable {
    package let key: String
    package let text: String

    package init(key: String, text: String) {
        self.key = key
        self.text = text
    }
}

/// L2: what the person is asked to confirm (protocol §6).
package struct L2: WireMessage {
    package static let type = MessageType.l2

    package let sessionID: SessionID
    package let purpose: SessionPurpose
    /// The account that the server selected, if it did.
    package let accountID: AccountID?
    package let relyingParty: RelyingParty
    package let announceInfo: [Announcement]
    package let logoHash: [UInt8]?
    package let transaction: [UInt8]
    package let browser: BrowserFacts
    package let needsNumber: Bool
    /// Where the app opens the browser again after a tapped link, without the code; empty for every other login.
    package let returnURL: String
    package let secondFactor: SecondFactorNeed
    package let methods: Methods
    /// 32 bytes of server randomness, so that no two L2 are the same.
    package let serverNonce: [UInt8]
    package let secondFactorPrekey: Encoded<Prekey>?
    package let flags: UInt16
    package let expiresAt: Instant
    package let extensions: Extensions

    package init(
        sessionID: SessionID, purpose: SessionPurpose, accountID: AccountID?, relyingParty: RelyingParty, announceInfo: [Announcement] = [],
        logoHash: [UInt8]? = nil, browser: BrowserFacts, returnURL: String = "", secondFactor: SecondFactorNeed, methods: Methods,
        serverNonce: [UInt8],
        secondFactorPrekey: Encoded<Prekey>?, flags: UInt16 = 0, expiresAt: Instant
    ) {
        self.sessionID = sessionID
        self.purpose = purpose
        self.accountID = accountID
        self.relyingParty = relyingParty
        self.announceInfo = announceInfo
        self.logoHash = logoHash
        transaction = []
        self.browser = browser
        needsNumber = false
        self.returnURL = returnURL
        self.secondFactor = secondFactor
        self.methods = methods
        self.serverNonce = serverNonce
        self.secondFactorPrekey = secondFactorPrekey
        self.flags = flags
        self.expiresAt = expiresAt
        extensions = .none
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        sessionID = try SessionID(from: &reader)
        purpose = try reader.choice()
        accountID = try reader.optionalIdentifier()
        relyingParty = RelyingParty(name: try reader.text8(), origin: try reader.text8(), clientID: try reader.text8())
        announceInfo = try reader.list(cap: 32) { reader throws(WireError) in
            Announcement(key: try WireText.decode(try reader.v8(cap: 64)), text: try reader.text16(cap: 1_024))
        }
        logoHash = try reader.optional8(32)
        transaction = try reader.v16()
        browser = BrowserFacts(
            binding: try reader.choice(), label: try reader.text8(), city: try reader.text8(), startedAt: try reader.instant())
        let number = try reader.u8()
        guard number <= 1 else { throw .badValue }
        needsNumber = number == 1
        returnURL = try reader.text16(cap: 2_048)
        secondFactor = try reader.choice()
        methods = try Methods(from: &reader)
        serverNonce = try reader.fixed(32)
        secondFactorPrekey = try reader.optionalPart16()
        flags = try reader.u16()
        expiresAt = try reader.instant()
        extensions = try Extensions(from: &reader)
    }

    package func writeBody(to writer: inout ByteWriter) {
        sessionID.write(to: &writer)
        writer.choice(purpose)
        writer.optionalIdentifier(accountID)
        writer.text8(relyingParty.name)
        writer.text8(relyingParty.origin)
        writer.text8(relyingParty.clientID)
        writer.list(announceInfo) { writer, item in
            writer.v8(WireText.encode(item.key, cap: 64))
            writer.text16(item.text, cap: 1_024)
        }
        writer.optional8(logoHash, 32)
        writer.v16(transaction)
        writer.choice(browser.binding)
        writer.text8(browser.label)
        writer.text8(browser.city)
        writer.instant(browser.startedAt)
        writer.u8(needsNumber ? 1 : 0)
        writer.text16(returnURL, cap: 2_048)
        writer.choice(secondFactor)
        writer.u8(methods.rawValue)
        writer.fixed(serverNonce, 32)
        writer.part16(secondFactorPrekey)
        writer.u16(flags)
        writer.instant(expiresAt)
        extensions.write(to: &writer)
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
    package let number: String
    /// At most 4 096 bytes.
    package let userInput: String
    package let extensions: Extensions
    package var deviceSignature: [UInt8]

    package init(
        sessionID: SessionID, sessionHash: [UInt8], accountID: AccountID, attemptID: AttemptID, decision: Decision, method: Methods,
        secondFactorSignature: [UInt8]? = nil, biometricSignature: [UInt8]? = nil, attempt: Encoded<Attempt>? = nil, cache: [UInt8]? = nil,
        userInput: String = "", extensions: Extensions = .none
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
        number = ""
        self.userInput = userInput
        self.extensions = extensions
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
