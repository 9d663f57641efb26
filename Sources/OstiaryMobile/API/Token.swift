/// What a token service answered, byte for byte as the server received it.
public struct Token: Sendable, Hashable {
    /// Often a JSON object; the SDK does not look into it.
    public let bytes: [UInt8]
}

extension Token: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "‹secret›" }
    public var debugDescription: String { "‹secret›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What some servers offer beside logins. No server offers these yet: the calls say so with `notOffered`.
extension Ostiary {
    /// Asks the server for a token of the logged-in AppLogin `session`; the delegate gets it.
    public func getToken(for session: Session) { send(.token(session.id)) }

    /// Makes a one-time code of `account` for a login that cannot reach the server, and ends the session; nil when there is none to be had,
    /// which is also reported.
    public func generateOTP(for session: Session, and account: Account) -> String? {
        send(.oneTimeCode(session.id, account.id))
        return nil
    }
}
