import Foundation

/// What a login gave, without its secrets: what an app shows, and shows by.
public struct TokenCredentials: Sendable, Hashable {
    /// Of the person, as the verified ID token tells it; nil where `openid` was not asked for.
    public let profile: TokenProfile?
    /// What was granted, which may be less than what was asked for.
    public let scopes: Set<String>
    /// Whether it is renewed without the person.
    public let isLasting: Bool
    /// Whether its tokens are bound to a key of this device.
    public let isBound: Bool

    /// Whether the person let the app do this, to the byte: `read:timesheets` is not `read:timesheetsX`. For showing and hiding; the API decides.
    public func hasScope(_ scope: String) -> Bool { scopes.contains(scope) }
}

/// Who logged in, out of an ID token whose signature and claims were verified.
public struct TokenProfile: Sendable, Hashable, Codable {
    /// `sub`: who it is at this provider, for ever.
    public let subject: String
    /// With the scope `profile`.
    public let name: String?
    /// With the scope `profile`.
    public let picture: URL?
    /// With the scope `email`. It names nobody for ever: know people by `subject`.
    public let email: String?
    public let isEmailVerified: Bool
    /// When the person last showed themself, in Unix seconds; nil where the provider does not say.
    public let authenticatedAt: UInt64?
    /// How strongly (`acr`): `sf`, `mfa` or `phr` at Ostiary's provider.
    public let authenticationContext: String?
}

/// An access token that is good now, for one call or some that follow at once.
public struct FreshToken: Sendable {
    /// How it is shown.
    public enum Kind: String, Sendable, Hashable, Codable {
        case bearer = "Bearer"
        case dpop = "DPoP"
    }

    /// The token. Keep it nowhere: ask for a fresh one before the next call.
    public let value: String
    public let kind: Kind
    public let scopes: Set<String>
    /// What the API said last in `DPoP-Nonce`, where that is why the call is made again.
    public let nonce: String?
    let proof: DeviceProof?

    /// Whether the person let the app do this.
    public func hasScope(_ scope: String) -> Bool { scopes.contains(scope) }

    /// The fields of the header that a call to an API needs: `Authorization`, and for a token that is bound to this device `DPoP`, which is good for this call
    /// only.
    /// - Parameters:
    ///   - method: of the call, in capitals.
    ///   - url: of the call.
    /// - Throws: `keyStore`; `settings` for an address without a host.
    public func fields(method: String, url: URL) throws(TokenError) -> [String: String] {
        var fields = ["Authorization": "\(kind.rawValue) \(value)"]
        if let proof { fields["DPoP"] = try proof.text(method: method, url: url, accessToken: value, nonce: nonce) }
        return fields
    }
}

extension FreshToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "‹secret›" }
    public var debugDescription: String { "‹secret›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Thrown by an app inside ``TokenClient/performWithFreshToken(_:)`` when its API answered 401: the call is made once more, with another token, or with the
/// nonce that the API asked for.
public struct AccessTokenRefused: Error, Sendable, Hashable {
    /// `DPoP-Nonce` of the answer; nil where it has none.
    public let nonce: String?

    public init(nonce: String? = nil) { self.nonce = nonce }
}
