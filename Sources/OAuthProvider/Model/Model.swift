// Model: what the provider knows, as values. Applications and APIs are what an operator writes; a `Grant` is one authorization, an
// `AuthorizationCode`, a `RefreshFamily` and an `OpaqueToken` are what was given on it; `PushedRequest` and `PolledAuthorization` are authorizations
// under way. Values decide what they can decide alone: whether a redirect address fits, which refresh token comes next, whether a poll came too soon.
// Start reading at Application.swift and Grant.swift.
