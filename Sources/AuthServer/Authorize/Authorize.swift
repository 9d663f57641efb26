// Authorize: the provider as a browser and its person see it, which is as a business backend of our own (docs/decisions/0024).
//
// Owns: the authorization endpoint, the visit that begins there (a cookie, and a request that is kept as one that was sent ahead), the logins that a
// browser has at the provider, the questions that a person is asked (consent, device codes, logout), and what is told to people instead of clients.
// Leaves to others: what is right, what comes next and what an answer means (OAuthProvider, its Visits/), the login itself (Pages, Authentication), the
// pages' files (Pages/Assets), and the endpoints that clients call (OAuth).
// Start reading at AuthorizeRoutes.swift, then AuthorizeRoutes+Visit.swift and Visit.swift.
