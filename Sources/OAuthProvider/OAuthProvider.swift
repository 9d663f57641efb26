// OAuthProvider owns the rules of the OAuth 2 and OpenID Connect provider: which applications and APIs there are (Model/) and what may be written of
// them (Registration/), clients that register themselves (SelfRegistration/), the checks of an authorization request and what has to happen before a
// code (Authorize/), what a browser is told on its way there and what its person is asked (Visits/), how clients show who they are (Clients/), the
// token endpoint (TokenEndpoint/) with one grant for each way to a token (Grants/), polled authorizations on another device (Backchannel/), what tokens
// say (Issuing/), the questions and the end of tokens (Tokens/, Logout/), and how the backends of clients are told what is due, whatever it is
// (Deliveries/).
// What is not here: HTTP, SQL, JSON bodies, pages, clocks and randomness (parameters); logins and sessions (Authentication, of which this is a
// backend); the form of tokens (OstiaryTokens).
//
// A grant hangs on what a person can end. Whether it still stands is asked in the statement that reads it (`GrantRows`), so nothing here is told of a
// logout.
// Routes hold `OAuthServices`. Start reading at Authorize/AuthorizeRules.swift, then TokenEndpoint/TokenEndpoint.swift and Grants/CodeGrant.swift.
