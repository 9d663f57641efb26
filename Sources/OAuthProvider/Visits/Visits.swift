// Visits: what happens to a browser between the request that it brings and the answer that it takes to a client, however often its person comes and goes.
//
// Owns: who is at the door (VisitArrival), what comes of that (VisitMove, VisitTurn), what a person is asked and what their answer lets a client have
// (ConsentQuestion, ConsentMark), and the one call for each that comes from a browser (VisitService).
// Leaves to others: what an authorization request may be and what it asks for next (Authorize), what waits on another device (Backchannel), and cookies,
// pages and words in a language (AuthServer).
// Start reading at VisitMove.swift, then VisitService.swift.
