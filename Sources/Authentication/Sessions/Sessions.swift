// Sessions: what a nonce of a business backend stands for, from its first question to the end of the login (protocol §3, §6).
//
// SessionMachine says which event leads from which state to which; SessionOpening begins sessions, SessionQueries is what backends and
// pages ask. What a session asks, of whom and how strongly, is its LoginRequest. A session that belongs to a page ends in the browser that
// began it: SessionPage, ReturnCode, SessionMachine+Return. The session that a phone brings back with its offer is OfferedSession. Rows are in
// SessionRows.
// Start reading at SessionMachine.swift, then Session.swift and SessionOpening.swift.
