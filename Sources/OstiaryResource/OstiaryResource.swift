// OstiaryResource stands in front of an API's routes: of what a request brings, a webNonce, a JWT or an opaque token, it makes one `VerifiedCaller`, or
// a refusal with the answer that RFC 6750, 9449 and 9470 give it. It needs no web framework, and no Ostiary: any OAuth 2 provider will do.
//
// Its rooms, each above those that it uses: who it is (Caller/), why it is refused and how that sounds (Refusals/), the way to a provider (Calls/), what
// is fetched now and then and kept (Fetching/), a provider's metadata and keys (Provider/), the checks of a JWT as a table (Tokens/), proofs of
// possession (Proofs/), what is asked at once, introspection and getSession (Asking/), what a route wants of its caller (Policies/), and the verifier
// with its settings (Verifier/).
//
// What is not here: how a token is read and its signature verified (OstiaryTokens), who gets one (the provider), routes (OstiaryResourceHummingbird).
// The clock and randomness are parameters, `ResourcePorts`.
//
// Start reading at Verifier/ResourceVerifier.swift, then Tokens/JWTCheck.swift.
