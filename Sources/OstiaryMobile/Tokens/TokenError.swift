/// Why there is no token, or no login. `advice` says what to do now.
public enum TokenError: Error, Sendable, Hashable {
    // The login
    /// Nobody is logged in.
    case notLoggedIn
    /// The provider ended the login: a logout, a stop on the phone, a block, or a refresh token that two had. It is forgotten here.
    case loginOver
    /// The person closed the browser.
    case cancelled
    /// The person said no, or may not use this app.
    case denied
    /// The provider would have had to ask the person, and was told not to.
    case interactionRequired
    /// Another login or logout of this app is going on.
    case inProgress
    /// The code was sent, and no answer came. It is good once: the login begins anew.
    case codeSpent
    /// What brought the browser back is not the answer to what this app asked.
    case callback(CallbackFault)
    /// There is no browser, or it cannot be opened now.
    case browserUnavailable

    // The provider
    /// It cannot be reached. Nothing changed here, and a login goes on.
    case serverConnection
    /// It answers that it cannot answer now.
    case serverBusy
    /// Somebody answers in its place whose certificate this device does not trust.
    case certificateUntrusted
    /// An answer that cannot be understood.
    case serverAnswer
    /// What it says of itself is another issuer's, or lacks what an app needs.
    case metadata(MetadataFault)
    /// The ID token is not one for this app, this person and this login. Nothing of the answer that it came with is used.
    case idToken(IDTokenFault)
    /// This device's clock and the provider's are too far apart.
    case clockWrong
    /// It does not do what was asked for, for this client.
    case refused(TokenRefusalCode)
    /// The API refused an access token that was just made for it.
    case accessTokenRefused

    // The device and the app
    /// What the app said of itself cannot be.
    case settings(SettingsFault)
    /// The ports have no store for tokens, or it cannot be read or written.
    case storeUnavailable
    /// The store is damaged, or was written by a newer version.
    case storeUnreadable
    /// The key store refused.
    case keyStore
    /// Another process of this app is at its tokens and was for too long, or what is stored of the login was changed meanwhile.
    case busy
}

extension TokenError {
    /// What an app does about it.
    public enum Advice: String, Sendable, Hashable, CaseIterable {
        /// The same again, later, may succeed; whoever was logged in still is.
        case retryLater
        /// Show the login. For the rest nothing has to be done.
        case logIn
        /// Only the person can change something: the clock, the network they are in.
        case askUser
        /// Nothing will change until the developer or the operator changes something. Log it.
        case askDeveloper
        /// The person decided so.
        case nothing
    }

    public var advice: Advice {
        switch self {
        case .serverConnection, .serverBusy, .serverAnswer, .storeUnavailable, .keyStore, .busy, .inProgress: .retryLater
        case .notLoggedIn, .loginOver, .codeSpent, .interactionRequired, .callback: .logIn
        case .clockWrong, .certificateUntrusted, .idToken(.expired), .idToken(.issuedLater): .askUser
        case .metadata, .idToken, .refused, .accessTokenRefused, .settings, .storeUnreadable, .browserUnavailable: .askDeveloper
        case .cancelled, .denied: .nothing
        }
    }
}

/// What a client was refused for, by the word of RFC 6749 §5.2, RFC 8707 and RFC 9449.
public enum TokenRefusalCode: String, Sendable, Hashable, CaseIterable {
    case invalidRequest = "invalid_request"
    case invalidClient = "invalid_client"
    case unauthorizedClient = "unauthorized_client"
    case unsupportedGrantType = "unsupported_grant_type"
    case unsupportedResponseType = "unsupported_response_type"
    /// None of the scopes, or none that the person let the app have.
    case invalidScope = "invalid_scope"
    /// The client may not have tokens for this API.
    case invalidTarget = "invalid_target"
    case invalidDPoPProof = "invalid_dpop_proof"
    /// Any other word.
    case other
}

/// Why an address that came back is none that an app logs anybody in with (RFC 6749 §4.1.2, RFC 9207).
public enum CallbackFault: String, Sendable, Hashable, CaseIterable {
    /// Another address than the one that the browser was told.
    case address
    /// A parameter that is there twice.
    case twice
    /// Of another login, or of nobody's: somebody may have sent it.
    case state
    /// Of another provider, or of none where this one always says who it is: two providers may have been mixed up on purpose.
    case issuer
    case codeMissing
}

/// Why what a provider says of itself is of no use (OpenID Connect Discovery §4.3, RFC 8414 §3.3).
public enum MetadataFault: String, Sendable, Hashable, CaseIterable {
    case issuer
    /// An address is missing, or one that no app calls.
    case endpoint
    /// No PKCE with S256.
    case pkce
    /// No proofs by ES256, and the settings bind tokens to the device.
    case dpop
}

/// What of ``TokenSettings`` cannot be.
public enum SettingsFault: String, Sendable, Hashable, CaseIterable {
    case issuer, clientID, scope, redirectURL
    /// The AppLogin names no key for tokens: ``Ostiary/Configuration/bindsTokens`` is off.
    case bindsTokens
}

/// Why an ID token is refused (OpenID Connect Core §3.1.3.7 and §12.2).
public enum IDTokenFault: String, Error, Sendable, Hashable, CaseIterable {
    case missing
    /// No JWT, or one whose members are of other types than theirs.
    case malformed
    /// `none`, one of a shared secret, or one that the provider does not say it uses.
    case algorithm
    /// None of the provider's keys has its name.
    case key
    case signature
    case issuer
    case audience
    /// It is for several, and this client is not the one that it was made for (`azp`).
    case authorizedParty
    /// Not that of this login.
    case nonce
    /// Of another access token.
    case accessTokenHash
    case expired
    /// Made in the future.
    case issuedLater
    /// Of another person than the login.
    case subject
}
