/// One person's account at one server, on this device.
public struct Account: Sendable, Identifiable, Hashable {
    /// The account's name between device and server, 22 characters of base64url.
    public struct ID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public var description: String { rawValue }
    }

    /// Whether an account can log in.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// The server did not acknowledge it yet.
        case enrolling
        /// It waits for its code to be typed into the browser that it was made with.
        case pending
        case active
    }

    public let id: ID
    public let username: String
    public let displayName: String
    public let serverName: String
    /// Where the server is, an origin.
    public let serverURL: String
    /// The server's identity, 43 characters of base64url: the same for all accounts of one server.
    public let serverIdentity: String
    public let state: State
    /// False for a headless account: it asks for data (``Ostiary/getData(_:for:call:)``) and does nothing else, until an enrolment that its backend begins gives
    /// it a PIN. Its id stays the same then.
    public let hasSecondFactor: Bool
    /// When it was made on this device, in Unix seconds.
    public let createdAt: UInt64
}
