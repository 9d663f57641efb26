// PostgreSQL: the seam of Database over PostgreSQL 15 and later, by libpq, which is opened with the first connection (PostgreSQLLibrary).
//
// Bodies are synchronous, so a connection has a thread of its own (ConnectionThreads), on which a body runs and waits for the server; a caller suspends
// meanwhile. PostgreSQLLink says and hears messages, several at a time; PostgreSQLSession keeps one link and the statements that are prepared on it, and
// makes another when that is lost; PostgreSQLTransaction is what a body sees, and knows afterwards how it ended. PostgreSQLDatabase begins a body again
// where that is right: after a conflict, after a loss, and carefully after an error that a body caught.
// LinkMark.swift and PostgreSQLConnector+Pooler.swift find out a pooler that hands connections on between transactions; what readiness asks of a connection
// that is there is in PostgreSQLTransaction+Standing.swift. An old primary that was not fenced is refused by ServerTimeline.swift and PostgreSQLConnector+Hosts.swift.
// Where each failure goes is said in SQLError+PostgreSQL.swift; docs/decisions/0047 says why. What an operator does about a connection that is not had is in
// RefusalAdvice.swift.
// Start reading at PostgreSQLDatabase.swift, then PostgreSQLSession.swift.
