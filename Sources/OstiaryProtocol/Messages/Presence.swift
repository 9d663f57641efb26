/// Ping: the phone says that it is still there, and waits up to `hold` seconds for news (protocol §8).
package struct Ping: WireMessage, DeviceSigned {
    package static let type = MessageType.ping
    package static let label = Label.devPing

    package let sessionID: SessionID
    package let hold: UInt8
    package let extensions: Extensions
    package var deviceSignature: [UInt8]

    package init(sessionID: SessionID, hold: UInt8, extensions: Extensions = .none) {
        self.sessionID = sessionID
        self.hold = min(hold, longestHold)
        self.extensions = extensions
        deviceSignature = blankDeviceSignature
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        sessionID = try SessionID(from: &reader)
        hold = try reader.hold()
        extensions = try Extensions(from: &reader)
        deviceSignature = try reader.fixed(64)
    }

    package func writeBody(to writer: inout ByteWriter) {
        sessionID.write(to: &writer)
        writer.u8(hold)
        extensions.write(to: &writer)
        writer.fixed(deviceSignature, 64)
    }
}

/// Why a session ended.
package enum StopReason: UInt8, Sendable, CaseIterable {
    /// It goes on.
    case none = 0
    /// The person logged out on the phone.
    case user = 1
    /// Nobody used the app for as long as its configuration allows.
    case inactivity = 2
    /// The server or its business backend ended it.
    case server = 3
    /// The phone did not answer in time.
    case timeout = 4
    /// The account was blocked or deleted.
    case account = 5
    /// A newer login took its place.
    case replaced = 6
    /// The browser that came back was another than the one that began: somebody may have sent the login to the person (protocol §6).
    case otherBrowser = 7

    /// Whether a phone decides it. All others are the server's to give.
    package var isPhones: Bool { self == .user || self == .inactivity }
}

/// Stop: the phone ends a session (protocol §8).
package struct Stop: WireMessage, DeviceSigned {
    package static let type = MessageType.stop
    package static let label = Label.devStop

    package let sessionID: SessionID
    package let reason: StopReason
    package let extensions: Extensions
    package var deviceSignature: [UInt8]

    package init(sessionID: SessionID, reason: StopReason, extensions: Extensions = .none) {
        self.sessionID = sessionID
        self.reason = reason
        self.extensions = extensions
        deviceSignature = blankDeviceSignature
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        sessionID = try SessionID(from: &reader)
        reason = try reader.choice()
        guard reason.isPhones else { throw .badValue }
        extensions = try Extensions(from: &reader)
        deviceSignature = try reader.fixed(64)
    }

    package func writeBody(to writer: inout ByteWriter) {
        sessionID.write(to: &writer)
        writer.choice(reason)
        extensions.write(to: &writer)
        writer.fixed(deviceSignature, 64)
    }
}

/// Bits of `flags` in an L6 and a PingAnswer; what is said of offline codes stands in an E4, too.
package enum LoginFlags {
    /// Nobody is logged in before the browser has come back: “go on in the browser” (protocol §6).
    package static let returning: UInt16 = 1
    /// A login waits for the account: “fetch it” (protocol §8). In a PingAnswer only.
    package static let waiting: UInt16 = 2
    /// The account has no more numbers to try for a day, which ended this login (protocol §6). In an L6 that is no login only.
    package static let numbersUsedUp: UInt16 = 2
    /// The virtual server takes offline codes (protocol §9). In an E4, an L6 that logs in, and a PingAnswer.
    package static let offlineCodes: UInt16 = 4
    /// They have eight characters behind the reference; only beside `offlineCodes`.
    package static let longOfflineCodes: UInt16 = 8
    /// The account has no second factor (protocol §5). In an L6 that answers a W1.
    package static let headless: UInt16 = 16

    /// What is said of offline codes.
    package static func offlineCodes(_ length: OfflineCodeLength?) -> UInt16 {
        switch length {
        case nil: 0
        case .six: offlineCodes
        case .eight: offlineCodes | longOfflineCodes
        }
    }

    /// The length of the offline codes that the virtual server takes; nil where it takes none.
    package static func offlineCodeLength(_ flags: UInt16) -> OfflineCodeLength? {
        guard flags & offlineCodes != 0 else { return nil }
        return flags & longOfflineCodes != 0 ? .eight : .six
    }
}

/// A session as the phone learns of it.
package enum Presence: UInt8, Sendable {
    case loggedIn = 1
    case stopped = 2
}

/// PingAnswer: whether the session goes on (protocol §8); also the answer to a Stop.
package struct PingAnswer: WireMessage, Equatable {
    package static let type = MessageType.pingAnswer

    package let state: Presence
    package let reason: StopReason
    package let pingTime: UInt32
    package let flags: UInt16
    package let extensions: Extensions

    /// Accepted, and the browser that began has not come back yet.
    package var isReturning: Bool { flags & LoginFlags.returning != 0 }
    /// A login waits for the account that pinged.
    package var hasWaiting: Bool { flags & LoginFlags.waiting != 0 }
    /// The offline codes that the virtual server takes; nil for none.
    package var offlineCodes: OfflineCodeLength? { LoginFlags.offlineCodeLength(flags) }

    package init(state: Presence, reason: StopReason, pingTime: UInt32, flags: UInt16 = 0, extensions: Extensions = .none) {
        self.state = state
        self.reason = reason
        self.pingTime = pingTime
        self.flags = flags
        self.extensions = extensions
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        state = try reader.choice()
        reason = try reader.choice()
        pingTime = try reader.u32()
        flags = try reader.u16()
        extensions = try Extensions(from: &reader)
    }

    package func writeBody(to writer: inout ByteWriter) {
        writer.choice(state)
        writer.choice(reason)
        writer.u32(pingTime)
        writer.u16(flags)
        extensions.write(to: &writer)
    }
}

/// Delete: the person removes the account on the phone. Signed over its own bytes only, so that it stays valid in an outbox (protocol §13).
package struct Delete: WireMessage, DeviceSigned {
    package static let type = MessageType.delete
    package static let label = Label.devDelete

    package let accountID: AccountID
    package let time: Instant
    package var deviceSignature: [UInt8]

    package init(accountID: AccountID, time: Instant) {
        self.accountID = accountID
        self.time = time
        deviceSignature = blankDeviceSignature
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        accountID = try AccountID(from: &reader)
        time = try reader.instant()
        deviceSignature = try reader.fixed(64)
    }

    package func writeBody(to writer: inout ByteWriter) {
        accountID.write(to: &writer)
        writer.instant(time)
        writer.fixed(deviceSignature, 64)
    }
}

/// Tombstone: the server says that an account is gone. A phone deletes an account on this and on nothing less (protocol §13).
package struct Tombstone: WireMessage, OperatorSigned {
    package static let type = MessageType.tombstone
    package static let label = Label.tombstone

    package let accountID: AccountID
    package let time: Instant
    package var signature: OperatorSignature

    package init(accountID: AccountID, time: Instant) {
        self.accountID = accountID
        self.time = time
        signature = .blank
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        accountID = try AccountID(from: &reader)
        time = try reader.instant()
        signature = try OperatorSignature(from: &reader)
    }

    package func writeBody(to writer: inout ByteWriter) {
        accountID.write(to: &writer)
        writer.instant(time)
        signature.write(to: &writer)
    }
}
