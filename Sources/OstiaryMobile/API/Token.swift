/// What the service behind the server answered for an AppLogin, or the server's provider to its exchange: byte for byte as it came.
public struct Token: Sendable, Hashable {
    /// Often a JSON object, and not always text; nobody between the service and the app looks into it.
    public let bytes: [UInt8]
}

extension Token: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "‹secret›" }
    public var debugDescription: String { "‹secret›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What some servers offer beside logins.
extension Ostiary {
    /// Asks for a token of the logged-in AppLogin `session`; the delegate gets the answer as it is.
    ///
    /// Where the server has a token service behind it, it answers (docs/token-service.md). Where it has none, the provider of ``Configuration/tokens`` does, if there
    /// is one and ``Configuration/bindsTokens`` is on. Otherwise it is `notOffered`. The server says which, each time: its operator can change it, and a service
    /// that fails is `serviceUnavailable`, `serviceRefused` or `serviceAnswer`, and is not replaced by the provider. `tooMany` for more than twelve calls in a minute.
    ///
    /// An app that does not want to read the answer, and ask anew when it is over, uses ``tokenClient(_:)``.
    public func getToken(for session: Session) { send(.token(session.id)) }
}
