// OstiaryTokens owns what a token is, and what is signed like one: JSON as tokens carry it (JSON/), keys and algorithms (Keys/), compact JWS (JOSE/),
// the claims of access, ID and logout tokens (Claims/), PKCE (PKCE/) and proofs of possession (DPoP/).
// What is not here: who gets a token (OAuthProvider), what an API asks of one (OstiaryResource), HTTP, storage, fetching of keys, clocks. Time comes in
// as a parameter.
//
// A token that came from somewhere is an `UnverifiedJWS`; only `verified(by:as:allowing:)` makes a `VerifiedJWS`, and claims are read from that.
// Start reading at JOSE/UnverifiedJWS.swift, then Claims/AccessTokenClaims.swift.
