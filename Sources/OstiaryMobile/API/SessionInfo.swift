import Foundation

/// What the server says that a login is for, to be shown to the person who confirms it.
public struct SessionInfo: Sendable, Hashable {
    /// The image for this login, at most 64 KiB, checked against what the server signed. Whoever runs that server chose it: of a PNG or JPEG look
    /// at the size that its head says before it is drawn, and draw an SVG only with what draws nothing twice, or not at all.
    public internal(set) var announceLogo: Data?
    /// Texts for this login, by key.
    public internal(set) var announceInfo: [String: String] = [:]
    /// The name of the service that asks.
    public internal(set) var serviceName = ""
    /// Where the service is, an origin.
    public internal(set) var serviceOrigin = ""
    /// The name of the server that vouches for all this.
    public internal(set) var serverName = ""
    /// What the server knows of the browser that asks; empty for an AppLogin.
    public internal(set) var browserLabel = ""
    /// Where that browser seems to be.
    public internal(set) var browserCity = ""
    /// When that browser began, in Unix seconds; 0 if unknown.
    public internal(set) var startedAt: UInt64 = 0
    /// How the browser that asks is tied to this phone.
    public internal(set) var binding = Binding.unknown
    /// When the session can no longer be confirmed, in Unix seconds; 0 if unknown.
    public internal(set) var expiresAt: UInt64 = 0

    /// How surely the browser that asks is the one in front of the person.
    public enum Binding: String, Sendable, Hashable, CaseIterable {
        case unknown, returnCode, qrDynamic, qrStatic, push, app, unboundLink
    }
}

/// What the server says of the account that is about to be made.
public struct EnrolInfo: Sendable, Hashable {
    /// The name that the account will be shown under.
    public internal(set) var displayName = ""
    /// The accounts that the person already has at this server, on whatever device.
    public internal(set) var nsAccounts: [ServerAccount] = []
    /// Whether a PIN will be asked for: false for a headless account, which can do nothing but ask for data. Say so where it is confirmed.
    public internal(set) var asksSecondFactor = true
    /// Whether it gives a second factor to the account of the session, which is there already, and makes no other.
    public internal(set) var isUpgrade = false
}

/// An account as the server knows it.
public struct ServerAccount: Sendable, Hashable, Identifiable {
    /// Its place in the server's list.
    public let id: Int
    public let description: String
}
