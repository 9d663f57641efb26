import OstiaryProtocol

/// A grant as an operator sees it.
package struct GivenGrant: Equatable, Sendable {
    package let grant: Grant
    /// As the business backend calls whoever gave it; nil for an account that stands alone.
    package let userID: String?
    /// When a refresh token of it was last used, or first given; nil for one that has none.
    package let usedAt: Instant?

    package init(grant: Grant, userID: String?, usedAt: Instant?) {
        self.grant = grant
        self.userID = userID
        self.usedAt = usedAt
    }
}

/// A consent as an operator sees it.
package struct GivenConsent: Equatable, Sendable {
    package let consent: Consent
    package let userID: String?

    package init(consent: Consent, userID: String?) {
        self.consent = consent
        self.userID = userID
    }
}

/// Whose grants and consents are meant. A client is nil for any.
package enum GivenSelection: Hashable, Sendable {
    case byAccount(AccountID, to: ClientID?)
    /// By all accounts of somebody, as the business backend calls them.
    case byUser(String, to: ClientID?)
    /// By everybody.
    case toClient(ClientID)
}
