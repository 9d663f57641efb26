// HTTPCalls: how our programs call servers that may be anybody.
//
// Owns: how the HTTP client of all of them is set (CallConfiguration), the end of a connection whose answer that client cannot take (StatusCheck), and of a
// call that takes too long as a whole (TimeLimit), and names that are looked up ahead of a call (NameLookups).
// Leaves to others: whom to call, with what and how long, and what the answer means: phone, operator's commands and demonstration in ostiary, the calls to
// the second-factor server and to backends of clients in AuthServer.
// Start reading at CallConfiguration.swift.
