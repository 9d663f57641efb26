import OstiaryProtocol

/// What a person let a client do, remembered so that they are not asked again.
package struct Consent: Equatable, Sendable {
    package let account: AccountID
    package let client: ClientID
    package let api: APIIdentifier?
    package var scopes: ScopeSet

    package init(account: AccountID, client: ClientID, api: APIIdentifier?, scopes: ScopeSet) {
        self.account = account
        self.client = client
        self.api = api
        self.scopes = scopes
    }
}
