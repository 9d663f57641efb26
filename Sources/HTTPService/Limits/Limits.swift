// Limits: what a stranger may send, for how long, and how much of the process it may hold meanwhile.
//
// ServiceLimits has the numbers. Connections are let in by ConnectionGate, out of the shares of ConnectionShares, each peer no more than
// its part, and where that is wanted whoever keeps the server waiting makes room (WaitingConnections); a request must arrive in time
// (ArrivalDeadline), be small (LimitMiddleware) and fit with all others (BodyBudget), and an answer must be taken (StalledReader) before many
// more are asked for (WaitingRequests); behind the last one a connection ends soon (LingeringClose). Whoever operates the server is told once (LimitLog).
// Who asks is the other end of the connection (Peer), or who asked a proxy there that an operator trusts (TrustedProxies).
// Start reading at ServiceLimits.swift, then ConnectionGate.swift.
