// Sessions: what a nonce of a business backend stands for, from its first question to the end of the login (protocol §3, §6).
//
// SessionMachine says which event leads from which state to which. What a session asks, of whom and how strongly, is its LoginRequest. A session that
// belongs to a page ends in the browser that began it: SessionPage, ReturnCode, SessionMachine+Return.
// Who begins sessions (SessionOpening), what backends and pages ask (SessionQueries) and the session that a phone brings back with its offer
// (OfferedSession) is in the room Sessions/ of the target; rows are in Ports/SessionRows.
// Start reading at SessionMachine.swift, then Session.swift and LoginRequest.swift.
