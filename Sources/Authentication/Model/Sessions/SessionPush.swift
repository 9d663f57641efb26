import OstiaryProtocol

/// What a session has that the server began for one account, whose phone fetches it (protocol §6).
package struct SessionPush: Hashable, Sendable {
    /// Seconds for which it waits for its phone, at most those of every session.
    package let openFor: UInt64
    /// Decisions that brought another number than the client shows, or none.
    package private(set) var wrongNumbers: UInt8

    package init(openFor: UInt64 = Session.openFor, wrongNumbers: UInt8 = 0) {
        self.openFor = min(openFor, Session.openFor)
        self.wrongNumbers = wrongNumbers
    }

    /// Whether there are no more tries.
    var isSpent: Bool { wrongNumbers >= LoginNumber.mostWrong }

    mutating func countWrongNumber() { wrongNumbers += 1 }
}

/// Three digits that the client shows and the person types on the phone.
package struct PushNumber: Sendable {
    /// For the client's screen, and for nothing else.
    package let exposed: String

    /// - Parameter mac: of the session under a key of the server.
    init(mac: [UInt8]) {
        let value = mac.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        exposed = String(LoginNumber.values.lowerBound + value % UInt64(LoginNumber.values.count))
    }

    /// In a time that tells nothing of the digits.
    func isTyped(_ text: String) -> Bool { matches(Array(text.utf8), Array(exposed.utf8)) }
}

extension PushNumber: CustomStringConvertible, CustomReflectable {
    package var description: String { "‹secret›" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension SessionDerivation {
    /// HMAC(sidKey, "AP1/number" 00 sid): any node derives it again, and none stores it (protocol §6).
    package func number(of session: SessionID) -> PushNumber { PushNumber(mac: MAC(key: sidKey, .number, session.bytes)) }
}
