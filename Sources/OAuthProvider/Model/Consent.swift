import OstiaryProtocol

/// What a person let a client do, remembered so that they are not asked again.
package struct Consent: Equatable, Sendable {
    package let account: AccountID
    package let client: ClientID
    package let api: APIIdentifier?
    package var scopes: ScopeSet
    /// When they said so last; the beginning of time for what was said before that was written down.
    package var givenAt: Instant

    package init(account: AccountID, client: ClientID, api: APIIdentifier?, scopes: ScopeSet, givenAt: Instant = Instant(0)) {
        self.account = account
        self.client = client
        self.api = api
        self.scopes = scopes
        self.givenAt = givenAt
    }
}
