/// What the provider answered to the exchange of an AppLogin, byte for byte as it came.
public struct Token: Sendable, Hashable {
    /// Often a JSON object; the SDK does not look into it.
    public let bytes: [UInt8]
}

extension Token: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "‹secret›" }
    public var debugDescription: String { "‹secret›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What some servers offer beside logins.
extension Ostiary {
    /// Asks the provider of ``Configuration/tokens`` for a token of the logged-in AppLogin `session`; the delegate gets its answer as it is. Without these settings,
    /// or without ``Configuration/bindsTokens``, it is `notOffered`.
    ///
    /// An app that does not want to read the answer, and ask anew when it is over, uses ``tokenClient(_:)``.
    public func getToken(for session: Session) { send(.token(session.id)) }
}
