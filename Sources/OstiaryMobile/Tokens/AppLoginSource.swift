import Foundation

/// Where a client of tokens finds that the person is logged in to the app itself.
protocol AppLoginSource: Sendable {
    /// The AppLogin that is logged in; nil for none.
    /// - Throws: `settings` where the app's configuration binds no tokens to a key; `storeUnavailable`, `keyStore`.
    func appLogin() async throws(TokenError) -> AppLoginGrant?
}

/// An AppLogin that can be exchanged for tokens (RFC 8693), with the key that it named for them.
struct AppLoginGrant: Sendable {
    /// Names the session inside this app.
    let session: UUID
    let webNonce: String
    /// Of the device key.
    let keyName: String
    /// Seconds that the server's clock is ahead of this device's.
    let ahead: Int64
}
