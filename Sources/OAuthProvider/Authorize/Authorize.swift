// Authorize: what an authorization request may be, what has to happen before it is answered, and the answer.
//
// Owns: the table of checks (AuthorizeRules) and what passed them (AuthorizationRequest), the question what comes next (AuthorizeDecision), the code
// that is given (AuthorizeService), requests that are sent ahead (PushService), and how an answer comes to its client (AuthorizeResponse,
// ResponseMode).
// Leaves to others: pages, cookies and logins (AuthServer), and what a code is exchanged for (Grants).
// Start reading at AuthorizeRules.swift, then AuthorizeService.swift.
