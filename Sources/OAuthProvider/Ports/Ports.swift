// Ports: what the provider needs of the outside, and the context in which its services hold that. The store is one body in one transaction over rows
// by feature, of the same database as the rows of Authentication; the keyring has what tokens are signed with and derived from.
// Start reading at OAuthStore.swift, then GrantRows.swift.
